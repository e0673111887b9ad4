import { isUtf8 } from 'node:buffer';
import { Injectable } from '@nestjs/common';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { Egress, EgressFailed, EgressRefused, type EgressResponse } from '../../../ports/egress.port.js';
import { type Capability, CapabilityRefused, RunEnded } from '../../../ports/sandbox.port.js';
import type { MarkedRequest } from '../../../secret-text/marked-request.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { outgoing } from './outgoing-request.api.js';
import type { RunHiding } from './run-hiding.api.js';

/** The largest body that fits into the answer of one call, even as base64. */
const largestAnswer = 3 * 1024 * 1024;
/** How many characters of answers one run may have searched for secrets. */
const mostLookedThrough = 100 * 1024 * 1024;
/** How many answers of one run may contain a guessable secret. Code that tries values would learn from each of them. */
const mostGuesses = 3;
const guessable =
  'It could be guessed from what is left out of an answer; give the secret a value of 20 random characters or more.';

/**
 * `ctx.fetch(url, { method, headers, query, body, redirect })`: an HTTP request to a public address, through the single
 * egress port. Markers of secrets are filled in on each hop, only for the hosts listed with the secret. Values that a
 * server repeats are hidden in the answer, so code never sees them.
 */
@Injectable()
export class Fetch implements CapabilityMaker {
  readonly usage =
    'ctx.fetch(url, { method?, headers?, query?, body?, redirect?, signal? }): an HTTP request; resolves to { ok, status, headers, text(), json(), bytes() }. A secret goes in as ctx.secrets.ref(name, { prefix?, suffix?, basic? }), alone as a header, a query value or a value in a body given as an object.';

  constructor(private readonly egress: Egress) {}

  make(scope: RunScope): Capability {
    let guesses = 0;
    return {
      name: 'fetch',
      call: async (args) => {
        try {
          return await this.fetch(scope, args);
        } catch (error) {
          if (!(error instanceof GuessShown)) throw error;
          guesses += 1;
          if (guesses > mostGuesses)
            throw new RunEnded(`Answers to this run showed a secret more than ${mostGuesses} times. ${guessable}`);
          throw new CapabilityRefused(`The answer shows a secret and is not given. ${guessable}`, 'secret-shown', 403);
        }
      },
    };
  }

  private async fetch({ secrets }: RunScope, [asked]: readonly Json[]): Promise<Json> {
    if (!isObject(asked) || typeof asked['url'] !== 'string') {
      throw new CapabilityRefused('ctx.fetch takes an address, and options as an object.', 'invalid-input', 400);
    }
    const { hiding } = secrets;
    if (hiding.lookedThrough > mostLookedThrough) {
      const told = 'This run has fetched 100 MB, and no more is looked through for secrets in one run; split the work.';
      throw new CapabilityRefused(told, 'fetch-limit', 429);
    }
    const request = outgoing(asked as MarkedRequest, secrets);
    try {
      const response = await this.egress.send({ ...request, limits: { responseBytes: largestAnswer } });
      return await answerOf(response, hiding);
    } catch (error) {
      if (error instanceof EgressRefused) throw new CapabilityRefused(error.message, `fetch-${error.kind}`, 403);
      if (error instanceof EgressFailed) throw new CapabilityRefused(error.message, `fetch-${error.kind}`, 502);
      throw error;
    }
  }
}

/** Text is searched as text. In bytes that are not text, the value is looked for exactly as it was sent. */
async function answerOf({ status, headers, url, redirected, body }: EgressResponse, hiding: RunHiding): Promise<Json> {
  const about = await hiding.json({ status, headers: headers.map(([name, value]) => [name, value]), url, redirected });
  const isText = isUtf8(body);
  const shown = isText ? await hiding.text(Buffer.from(body).toString('utf8')) : await hiding.bytes(body);
  if (about.guessable || shown.guessable) throw new GuessShown();
  const { value } = shown;
  const given = typeof value === 'string' ? { text: value } : { base64: Buffer.from(value).toString('base64') };
  return { ...(about.value as JsonObject), ...given };
}

/** The answer contains a guessable secret. */
class GuessShown extends Error {}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

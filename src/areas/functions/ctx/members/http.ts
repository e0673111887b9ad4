import { isUtf8 } from 'node:buffer';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.js';
import { Egress, EgressFailed, EgressRefused, type EgressResponse } from '../../../../ports/network/egress.port.js';
import { CapabilityRefused, RunEnded } from '../../../../ports/offloaded/sandbox.port.js';
import type { MarkedRequest } from '../../../../secret-text/marked-request.js';
import { outgoing } from '../../run-secrets/outgoing-request.api.js';
import type { RunHiding } from '../../run-secrets/run-hiding.api.js';
import { type CtxCall, type CtxMember, ctxMember } from '../ctx-member.js';

/** Maximum size of a response body, in bytes, because its base64 must fit into the answer of one ctx call. */
const largestAnswer = 3 * 1024 * 1024;
/**
 * Maximum number of characters that are searched for secrets in the responses of one run. Beyond this, the run cannot
 * fetch.
 */
const mostSearched = 100 * 1024 * 1024;
/**
 * Maximum number of responses per run that contain a secret short or simple enough to be guessed. Code could otherwise
 * try many values and learn from the hidden parts of the responses which value is right.
 */
const mostGuesses = 3;
const guessable =
  'It could be guessed from what a response omits; give the secret a value of at least 20 random characters.';

export const httpMembers: readonly CtxMember[] = [
  /**
   * Where a secret belongs, code writes the result of ctx.secrets.ref. The secret replaces it only in requests and
   * redirects to hosts that are listed with the secret, and is hidden in the response, so code never sees it.
   */
  ctxMember({ egress: Egress })({
    name: 'fetch',
    usage:
      '(url, { method?, headers?, query?, body?, redirect?, signal? }): an HTTP request; resolves to { ok, status, headers, text(), json(), bytes() }. A secret goes in as ctx.secrets.ref(name, { prefix?, suffix?, basic? }), alone as a header, a query value or a value in a body given as an object.',
    isCounted: false,
    args: ([sent], no) =>
      isJsonObject(sent) && typeof sent['url'] === 'string'
        ? (sent as MarkedRequest)
        : no('takes an address, and options as an object'),
    state: () => ({ guesses: 0 }),
    call: async (sent, run) => {
      try {
        return await fetched(sent, run);
      } catch (error) {
        if (!(error instanceof GuessableSecretShown)) throw error;
        run.state.guesses += 1;
        if (run.state.guesses > mostGuesses)
          throw new RunEnded(`Responses to this run contained a secret more than ${mostGuesses} times. ${guessable}`);
        throw new CapabilityRefused(
          `The response contains a secret and was withheld. ${guessable}`,
          'secret-shown',
          403,
        );
      }
    },
  }),
];

async function fetched(
  sent: MarkedRequest,
  { scope: { secrets }, egress }: CtxCall & { readonly egress: Egress },
): Promise<Json> {
  const { hiding } = secrets;
  if (hiding.lookedThrough > mostSearched) {
    const sentence = 'This run has fetched 100 MB, the most that is searched for secrets in one run; split the work.';
    throw new CapabilityRefused(sentence, 'fetch-limit', 429);
  }
  const request = outgoing(sent, secrets);
  try {
    const response = await egress.send({ ...request, limits: { responseBytes: largestAnswer } });
    return await answerOf(response, hiding);
  } catch (error) {
    if (error instanceof EgressRefused) throw new CapabilityRefused(error.message, `fetch-${error.kind}`, 403);
    if (error instanceof EgressFailed) throw new CapabilityRefused(error.message, `fetch-${error.kind}`, 502);
    throw error;
  }
}

async function answerOf({ status, headers, url, redirected, body }: EgressResponse, hiding: RunHiding): Promise<Json> {
  const about = await hiding.json({ status, headers: headers.map(([name, value]) => [name, value]), url, redirected });
  const isText = isUtf8(body);
  const shown = isText ? await hiding.text(Buffer.from(body).toString('utf8')) : await hiding.bytes(body);
  if (about.guessable || shown.guessable) throw new GuessableSecretShown();
  const { value } = shown;
  const given = typeof value === 'string' ? { text: value } : { base64: Buffer.from(value).toString('base64') };
  return { ...(about.value as JsonObject), ...given };
}

class GuessableSecretShown extends Error {}

import { isUtf8 } from 'node:buffer';
import { Injectable } from '@nestjs/common';
import type { Json, JsonObject } from '../../kernel/json.js';
import { Egress, EgressFailed, EgressRefused, type EgressResponse } from '../../ports/egress.port.js';
import { type Capability, CapabilityRefused } from '../../ports/sandbox.port.js';
import type { MarkedRequest } from '../secrets/marked-request.js';
import type { Redactor } from '../secrets/redactor.js';
import type { CapabilityMaker, RunScope } from './capability-table.js';
import { outgoing } from './outgoing-request.js';

/** What fits into the answer of one call, also as base64. */
const largestAnswer = 3 * 1024 * 1024;

/**
 * `ctx.fetch(url, { method, headers, query, body, redirect })`: an HTTP request to a public address, through the one way
 * out. Markers of secrets are filled in for the listed hosts of each hop, and no value comes back: what a server repeats
 * of one is hidden.
 */
@Injectable()
export class Fetch implements CapabilityMaker {
  readonly usage =
    'ctx.fetch(url, { method?, headers?, query?, body?, redirect? }): an HTTP request; resolves to { ok, status, headers, text(), json(), bytes() }. A secret goes in as ctx.secrets.ref(name, { prefix?, suffix?, basic? }), alone as a header, a query value or a value in a body given as an object.';

  constructor(private readonly egress: Egress) {}

  make(scope: RunScope): Capability {
    return { name: 'fetch', call: (args) => this.fetch(scope, args) };
  }

  private async fetch({ secrets }: RunScope, [asked]: readonly Json[]): Promise<Json> {
    if (!isObject(asked) || typeof asked['url'] !== 'string') {
      throw new CapabilityRefused('ctx.fetch takes an address, and options as an object.', 'invalid-input', 400);
    }
    const request = outgoing(asked as MarkedRequest, secrets);
    try {
      const response = await this.egress.send({ ...request, limits: { responseBytes: largestAnswer } });
      return answerOf(response, secrets.redactor);
    } catch (error) {
      if (error instanceof EgressRefused) throw new CapabilityRefused(error.message, `fetch-${error.kind}`, 403);
      if (error instanceof EgressFailed) throw new CapabilityRefused(error.message, `fetch-${error.kind}`, 502);
      throw error;
    }
  }
}

/** Text is hidden in as text; in bytes that are none, a value would stand as it was sent. */
function answerOf({ status, headers, url, redirected, body }: EgressResponse, redactor: Redactor): JsonObject {
  const about = { status, headers: headers.map(([name, value]) => [name, value]), url, redirected };
  const answer = redactor.json(about).value as JsonObject;
  if (isUtf8(body)) return { ...answer, text: redactor.text(Buffer.from(body).toString('utf8')).value };
  return { ...answer, base64: Buffer.from(redactor.bytes(body).value).toString('base64') };
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

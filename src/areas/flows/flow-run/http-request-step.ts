import { isUtf8 } from 'node:buffer';
import { Injectable } from '@nestjs/common';
import { derivedUuid } from '../../../kernel/event/derived-id.js';
import { isJsonArray, type Json, type JsonObject } from '../../../kernel/json/json.js';
import { deepestInput, isTooDeep } from '../../../kernel/json/json-depth.js';
import { fillJson, readTemplate, type TemplateFilling, textOf } from '../../../kernel/json/template.js';
import {
  Egress,
  EgressFailed,
  type EgressFailureKind,
  EgressRefused,
  type EgressResponse,
} from '../../../ports/network/egress.port.js';
import { type Outgoing, outgoing } from '../../functions/run-secrets/outgoing-request.api.js';
import type { RunHiding } from '../../functions/run-secrets/run-hiding.api.js';
import type { RunSecrets } from '../../functions/run-secrets/run-secrets.api.js';
import { SecretsOfRuns } from '../../functions/run-secrets/secrets-of-runs.api.js';
import type { StepSettings } from '../flow/flow.record.js';
import { filledUrl } from './filled-url.js';
import { type FlowStepInHand, type StepDoer, type StepDone, UnfitValue } from './step-doer.js';

type Settings = StepSettings['http_request'];

const largestAnswer = 1024 * 1024;
const idempotencyKey = 'idempotency-key';

/**
 * Each time a host is contacted, including after a redirect, a secret is inserted only if both the flow and the secret
 * list that host. Secrets are hidden in the response. A repetition of the step sends the same Idempotency-Key, unless
 * the settings of the step contain this header.
 */
@Injectable()
export class HttpRequestStep implements StepDoer<'http_request'> {
  constructor(
    private readonly egress: Egress,
    private readonly secrets: SecretsOfRuns,
  ) {}

  async do(settings: Settings, { inHand, flow, filling }: FlowStepInHand): Promise<StepDone> {
    const secrets = await this.secrets.of(flow.workspaceId, flow.secrets);
    const request = requestOf(settings, filling, secrets, derivedUuid(`flow-step/${inHand.stepKey}`));
    try {
      const response = await this.egress.send({ ...request, limits: { responseBytes: largestAnswer } });
      return await judged(settings, response, secrets);
    } catch (error) {
      if (error instanceof EgressRefused) return { error: error.message, final: true };
      if (error instanceof EgressFailed) return { error: error.message, final: !mayPass.has(error.kind) };
      throw error;
    }
  }
}

const mayPass: ReadonlySet<EgressFailureKind> = new Set([
  'dns',
  'connection-refused',
  'unreachable',
  'reset',
  'timeout',
]);

const showsGuessable =
  'The response contains a secret that could be guessed, so it was withheld; use a secret of at least 20 random characters.';

const isTemporary = (status: number) => status === 408 || status === 425 || status === 429 || status >= 500;

function requestOf(
  { method, url, headers, query, body }: Settings,
  filling: TemplateFilling,
  secrets: RunSecrets,
  key: string,
): Outgoing {
  const { seal } = secrets;
  const within: TemplateFilling = {
    ...filling,
    secret: ($secret, prefix, suffix) => ({ $secret, seal, prefix, suffix }),
  };
  const hasKey = Object.keys(headers).some((name) => name.toLowerCase() === idempotencyKey);
  const asked = {
    method,
    url: filledUrl(url, filling),
    headers: { ...texts(headers, within, 'header'), ...(hasKey ? {} : { [idempotencyKey]: key }) },
    query: texts(query, within, 'query member'),
    ...(body === undefined ? {} : { body: fillJson(body, within) }),
  };
  return outgoing(asked, secrets, 'flow');
}

/**
 * Fills in the values of headers or query members, and converts them to text. Values with a secret remain as `fillJson`
 * returns them.
 * @throws UnfitValue if any other value is an object or a list, or if a header contains a line break
 */
function texts(members: JsonObject, filling: TemplateFilling, what: 'header' | 'query member'): JsonObject {
  const written = (name: string, template: Json): Json => {
    const filled = fillJson(template, filling);
    if (holdsSecret(template)) return filled;
    const shown = name.slice(0, 100);
    if (typeof filled === 'object' && filled !== null) {
      throw new UnfitValue(`With the values of this run, the ${what} ${shown} is not a string.`);
    }
    const text = textOf(filled);
    if (what === 'header' && /[\r\n\0]/.test(text)) {
      throw new UnfitValue(`With the values of this run, the header ${shown} contains a line break.`);
    }
    return text;
  };
  return Object.fromEntries(
    Object.entries(members).map(([name, value = null]) => [
      name,
      isJsonArray(value) ? value.map((one) => written(name, one)) : written(name, value),
    ]),
  );
}

function holdsSecret(template: Json): boolean {
  const read = typeof template === 'string' ? readTemplate(template) : undefined;
  return read?.ok === true && read.parts.some((part) => 'secret' in part);
}

async function judged({ failOnStatus }: Settings, response: EgressResponse, { hiding }: RunSecrets): Promise<StepDone> {
  const { status } = response;
  const note = { status };
  if (failOnStatus && status >= 400) {
    return { error: `The request was answered with status ${status}.`, final: !isTemporary(status), note };
  }
  const { value: output, guessable } = await hiding.json({
    status,
    headers: headersOf(response),
    ...(await bodyOf(response, hiding)),
  });
  return guessable ? { error: showsGuessable, final: true, note } : { output, note };
}

function headersOf({ headers }: EgressResponse): JsonObject {
  const by = Map.groupBy(headers, ([name]) => name);
  return Object.fromEntries([...by].map(([name, all]) => [name, all.map(([, value]) => value).join(', ')]));
}

/**
 * JSON that is nested too deep stays a text, because it could not be serialised again. A body that is not UTF-8 is
 * returned as base64.
 */
async function bodyOf({ body, headers }: EgressResponse, hiding: RunHiding): Promise<JsonObject> {
  if (!isUtf8(body)) {
    return { base64: Buffer.from((await hiding.bytes(body)).value).toString('base64') };
  }
  const text = Buffer.from(body).toString('utf8');
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  if (!/\bjson\b/i.test(type)) return { body: text };
  try {
    const value = JSON.parse(text) as Json;
    return { body: isTooDeep(value, deepestInput) ? text : value };
  } catch {
    return { body: text };
  }
}

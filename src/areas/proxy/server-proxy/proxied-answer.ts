import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { EgressResponse } from '../../../ports/network/egress.port.js';
import type { RunHiding } from '../../functions/run-secrets/run-hiding.api.js';
import { isDropped } from './proxied-request.js';

export interface ProxiedAnswer {
  readonly status: number;
  /** Names are in lower case. The values of repeated headers are joined with commas. */
  readonly headers: JsonObject;
  readonly body: string;
  /** Set if the body is bytes instead of text. */
  readonly encoding?: 'base64';
}

/** Cookies are not passed on, because they are meant for the other service's own pages. */
const cookies = /^set-cookie2?$/;

/**
 * Hides secrets, as in the responses of `ctx.fetch`. Returns undefined if the answer contains a secret short or simple
 * enough to be guessed.
 */
export async function proxiedAnswer(
  { status, headers, body }: Pick<EgressResponse, 'status' | 'headers' | 'body'>,
  hiding: RunHiding,
): Promise<ProxiedAnswer | undefined> {
  const about = await hiding.json(headersOf(headers));
  const shown = isUtf8(body) ? await hiding.text(Buffer.from(body).toString('utf8')) : await hiding.bytes(body);
  if (about.guessable || shown.guessable) return undefined;
  const answer = { status, headers: about.value as JsonObject };
  const { value } = shown;
  if (typeof value === 'string') return { ...answer, body: value };
  return { ...answer, body: Buffer.from(value).toString('base64'), encoding: 'base64' };
}

function headersOf(headers: EgressResponse['headers']): JsonObject {
  const connection = headers.filter(([name]) => name === 'connection').map(([, value]) => value);
  const shown = new Map<string, string>();
  for (const [name, value] of headers) {
    if (isDropped(name, connection) || cookies.test(name)) continue;
    const before = shown.get(name);
    shown.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(shown);
}

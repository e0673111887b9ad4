import type { DeliveryHeaders } from '../areas/automations/webhook/delivery-claim.js';
import { isJsonObject, type Json, type JsonObject, withMember } from '../kernel/json.js';
import { deepestInput, isTooDeep } from '../kernel/json-depth.js';

/** What a function gets of a webhook call: the body as params, and the call itself under `_request`. */
export function deliveryOf(url: string, headers: DeliveryHeaders, body: Uint8Array): JsonObject {
  const raw = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const text = raw.toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(raw);
  const request = {
    method: 'POST',
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, joined(value)])),
    query: membersOf(new URLSearchParams(url.split('?')[1] ?? '')),
    rawBody: isText ? text : raw.toString('base64'),
    rawBodyEncoding: isText ? 'utf8' : 'base64',
  };
  return withMember(
    paramsOf(joined(headers['content-type']), isText ? text : raw.toString('base64')),
    '_request',
    request,
  );
}

/** Settled question Q-A38: a form becomes an object; what is neither form nor JSON object is `{ body }`. */
function paramsOf(contentType: string, text: string): JsonObject {
  if (text === '') return {};
  if (/^application\/x-www-form-urlencoded *(;|$)/i.test(contentType)) return membersOf(new URLSearchParams(text));
  const value = parsed(text);
  return isJsonObject(value) ? value : { body: value };
}

/** JSON whatever the sender calls it; other text, and JSON that nests too deep, as it is. */
function parsed(text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    return isTooDeep(value, deepestInput) ? text : value;
  } catch {
    return text;
  }
}

/** A name that comes several times becomes an array. In time that grows with the text alone: there may be very many. */
function membersOf(pairs: URLSearchParams): JsonObject {
  const byName = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const values = byName.get(name);
    if (values === undefined) byName.set(name, [value]);
    else values.push(value);
  }
  return Object.fromEntries(
    [...byName].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

const joined = (value: string | readonly string[] | undefined): string =>
  typeof value === 'object' ? value.join(', ') : (value ?? '');

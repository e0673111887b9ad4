import type { DeliveryHeaders } from '../../areas/triggers/webhook/delivery.api.js';
import type { Json, JsonObject } from '../../kernel/json/json.js';
import { isJsonObject, withMember } from '../../kernel/json/json.js';
import { deepestInput, isTooDeep } from '../../kernel/json/json-depth.js';
import { bodyLimit, multipart } from '../body.js';
import { type FormFile, readForm } from './multipart-form.js';

export interface WebhookRequest {
  /** The body as params, with the call itself under `_request`. */
  readonly params: JsonObject;
  /** Files that `params` lists as `{ fileId, name, contentType, size }`. */
  readonly files: readonly DeliveredFile[];
}

export interface DeliveredFile {
  readonly fileId: string;
  readonly bytes: Uint8Array;
}

/** A received body. */
interface Raw {
  readonly bytes: Buffer;
  /** Undefined if it is not UTF-8. */
  readonly text: string | undefined;
}

export interface DeliveryCall {
  readonly url: string;
  readonly headers: DeliveryHeaders;
  readonly body: Uint8Array;
}

/**
 * Returns the input that a target gets from a webhook call. `fileIdAt` returns the id of a form's file by its index, or
 * null if the target cannot read files. @throws Refusal form-malformed, form-too-large
 */
export async function deliveryOf(
  call: DeliveryCall,
  fileIdAt: (index: number) => string | null,
): Promise<WebhookRequest> {
  const { headers, body } = call;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const contentType = joined(headers['content-type']);
  if (multipart.test(contentType)) return formDelivery(call, contentType, bytes, fileIdAt);
  const text = textOf(bytes);
  const params = paramsOf(contentType, text ?? bytes.toString('base64'));
  return { params: withMember(params, '_request', requestOf(call, rawBodyOf({ bytes, text }))), files: [] };
}

async function formDelivery(
  call: DeliveryCall,
  contentType: string,
  bytes: Buffer,
  fileIdAt: (index: number) => string | null,
): Promise<WebhookRequest> {
  const files: DeliveredFile[] = [];
  let index = 0;
  const described = ({ name, contentType, bytes }: FormFile): JsonObject => {
    const fileId = fileIdAt(index);
    index += 1;
    if (fileId !== null) files.push({ fileId, bytes });
    return { fileId, name, contentType, size: bytes.length };
  };
  const parts = await readForm(contentType, bytes);
  const params = membersOf(
    parts.map(([field, value]) => [field, typeof value === 'string' ? value : described(value)] as const),
  );
  // A form with files is binary and far larger than what is passed on as text.
  const hasText = index === 0 && bytes.length <= bodyLimit;
  const raw = hasText ? rawBodyOf({ bytes, text: textOf(bytes) }) : { rawBody: null, rawBodyEncoding: null };
  return { params: withMember(params, '_request', requestOf(call, raw)), files };
}

function requestOf({ url, headers }: DeliveryCall, raw: JsonObject): JsonObject {
  return {
    method: 'POST',
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, joined(value)])),
    query: membersOf(new URLSearchParams(url.split('?')[1] ?? '')),
    ...raw,
  };
}

function textOf(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined;
}

const rawBodyOf = ({ bytes, text }: Raw): JsonObject =>
  text === undefined
    ? { rawBody: bytes.toString('base64'), rawBodyEncoding: 'base64' }
    : { rawBody: text, rawBodyEncoding: 'utf8' };

/**
 * Converts the text to params. A form becomes an object; text that is neither a form nor a JSON object becomes `{ body
 * }`.
 */
function paramsOf(contentType: string, text: string): JsonObject {
  if (text === '') return {};
  if (/^application\/x-www-form-urlencoded *(;|$)/i.test(contentType)) return membersOf(new URLSearchParams(text));
  const value = parsed(text);
  return isJsonObject(value) ? value : { body: value };
}

/** Parses JSON regardless of the content type. Other text, and JSON that is nested too deep, is passed on as text. */
function parsed(text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    return isTooDeep(value, deepestInput) ? text : value;
  } catch {
    return text;
  }
}

/**
 * Makes an object. A repeated name gets an array of its values. Linear in the size of the text, because there may be
 * very many names.
 */
function membersOf(pairs: Iterable<readonly [string, Json]>): JsonObject {
  const byName = new Map<string, Json[]>();
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

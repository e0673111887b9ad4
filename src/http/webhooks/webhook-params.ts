import type { DeliveryHeaders } from '../../areas/triggers/webhook/delivery.api.js';
import type { Json, JsonObject } from '../../kernel/json/json.js';
import { isJsonObject, withMember } from '../../kernel/json/json.js';
import { deepestInput, isTooDeep } from '../../kernel/json/json-depth.js';
import { bodyLimit, multipart } from '../body.js';
import { type FormFile, readForm } from './multipart-form.js';

export interface WebhookRequest {
  /** `_request` describes the HTTP request. */
  readonly params: JsonObject;
  /** `params` refers to a file as `{ fileId, name, contentType, size }`. */
  readonly files: readonly DeliveredFile[];
}

export interface DeliveredFile {
  readonly fileId: string;
  readonly bytes: Uint8Array;
}

interface Raw {
  readonly bytes: Buffer;
  readonly text: string | undefined;
}

export interface DeliveryCall {
  readonly url: string;
  readonly headers: DeliveryHeaders;
  readonly body: Uint8Array;
}

/**
 * @param fileIdAt returns the id for a file by its index in the form, or null if the target cannot read files
 * @throws Refusal form-malformed, form-too-large
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
  // The raw body of a form with files is not passed on, because it is binary and large.
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

function paramsOf(contentType: string, text: string): JsonObject {
  if (text === '') return {};
  if (/^application\/x-www-form-urlencoded *(;|$)/i.test(contentType)) return membersOf(new URLSearchParams(text));
  const value = parsed(text);
  return isJsonObject(value) ? value : { body: value };
}

/** The content type is ignored. A text that is not JSON, or is nested too deep, is returned unchanged. */
function parsed(text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    return isTooDeep(value, deepestInput) ? text : value;
  } catch {
    return text;
  }
}

/** Repeated names have arrays of values. A Map groups very many names in linear time. */
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

import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { EgressFailed, type EgressHeaders, type EgressLimits } from '../../../ports/egress.port.js';
import { sizeOf } from './words.js';

export interface Answer {
  readonly status: number;
  readonly headers: EgressHeaders;
  readonly body: Uint8Array;
}

type Decode = (compressed: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;
const [gzip, br, zlib, bare] = [
  promisify(gunzip),
  promisify(brotliDecompress),
  promisify(inflate),
  promisify(inflateRaw),
];

/** Other codings, and combinations of several, are not decoded. */
const decoders: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['br', br],
  // Some servers omit the zlib header of deflate.
  ['deflate', (bytes, options) => (((bytes[0] ?? 0) & 0x0f) === 8 ? zlib : bare)(bytes, options)],
]);

interface Wanted {
  readonly host: string;
  readonly limits: EgressLimits;
  /** False: a body that cannot be decoded is returned as received. */
  readonly readable: boolean;
}

/** Reads and decompresses no further than the limit. @throws EgressFailed, and errors of Node */
export async function readAnswer(incoming: IncomingMessage, { host, limits, readable }: Wanted): Promise<Answer> {
  const { statusCode: status = 0 } = incoming;
  const headers = headersOf(incoming);
  if (headers.length > limits.headerCount)
    throw new EgressFailed('too-large', `The answer of '${host}' has too many headers; ask for fewer.`);
  const bytes = await bytesOf(incoming, host, limits.responseBytes);
  const coding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? '';
  const decode = decoders.get(coding);
  // An empty body (the answer to a HEAD) was not compressed, and a partial one (206) cannot be decompressed.
  if (decode === undefined || bytes.length === 0 || status === 206) {
    const isPlain = ['', 'identity'].includes(coding) && isChunkedAtMost(incoming);
    if (readable && !isPlain && bytes.length > 0) throw unreadable(host);
    return { status, headers, body: bytes };
  }
  const body = await decoded(bytes, decode, { host, coding, limit: limits.responseBytes });
  return { status, headers: headers.filter(([name]) => !/^content-(encoding|length)$/.test(name)), body };
}

/** Node decodes chunks but no other transfer coding. */
function isChunkedAtMost({ headers }: IncomingMessage): boolean {
  return (headers['transfer-encoding'] ?? 'chunked').trim().toLowerCase() === 'chunked';
}

function unreadable(host: string): EgressFailed {
  const sentence =
    `The answer of '${host}' is compressed in a way that cannot be undone here, so it could not be looked through ` +
    'for secrets and is not given; ask for it in another form, or without a secret.';
  return new EgressFailed('protocol', sentence);
}

function headersOf({ rawHeaders }: IncomingMessage): EgressHeaders {
  return rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? ''] as const] : [],
  );
}

async function bytesOf(incoming: IncomingMessage, host: string, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > limit) throw tooLarge(host, limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

interface Coded {
  readonly host: string;
  readonly coding: string;
  readonly limit: number;
}

async function decoded(bytes: Buffer, decode: Decode, { host, coding, limit }: Coded): Promise<Buffer> {
  try {
    return await decode(bytes, { maxOutputLength: limit });
  } catch (error) {
    if (isTooLarge(error)) throw tooLarge(host, limit);
    const sentence = `The answer of '${host}' says it is ${coding} and is not; ask for it with Accept-Encoding: identity.`;
    throw new EgressFailed('protocol', sentence);
  }
}

function tooLarge(host: string, limit: number): EgressFailed {
  return new EgressFailed(
    'too-large',
    `The answer of '${host}' is larger than ${sizeOf(limit)}; ask for less at a time.`,
  );
}

/** By shape: an error of Node is no instance of another realm's Error, as in tests. */
function isTooLarge(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

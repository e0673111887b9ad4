import type { IncomingMessage } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { EgressFailed, type EgressHeaders, type EgressLimits } from '../../../ports/network/egress.port.js';
import { egressFailureOf } from './failure.js';
import { sizeInWords } from './words.js';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: EgressHeaders;
  readonly pieces: AsyncGenerator<Buffer>;
}

type Decoder = (first: Buffer) => Transform;

const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['br', () => createBrotliDecompress()],
  // Some servers omit the zlib header of deflate.
  ['deflate', (first) => (((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw())],
]);

interface AnsweredRequest {
  readonly method: string;
  readonly host: string;
  readonly limits: EgressLimits;
  /** If true, a body that cannot be decoded is an error. Otherwise such a body is returned as received. */
  readonly readable: boolean;
}

/**
 * The body is read, and its errors are thrown, when the caller iterates over `pieces`.
 * @throws EgressFailed if there are too many headers
 */
export function httpAnswerOf(incoming: IncomingMessage, request: AnsweredRequest): HttpAnswer {
  const { statusCode: status = 0 } = incoming;
  const { method, host, limits } = request;
  const headers = headersOf(incoming);
  if (headers.length > limits.headerCount)
    throw new EgressFailed('too-large', `The response of '${host}' has too many headers; request fewer.`);
  const bounded = (pieces: AsyncIterable<Buffer>) =>
    upTo(limits.responseBytes, pieces, () => tooLarge(host, limits.responseBytes));
  const received = bounded(incoming);
  const coding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? '';
  const decoder = decoders.get(coding);
  const isEmpty = method === 'HEAD' || [204, 304].includes(status) || incoming.headers['content-length'] === '0';
  // An empty body was not compressed, and a partial body (206) cannot be decompressed.
  if (decoder === undefined || isEmpty || status === 206) {
    const isPlain = ['', 'identity'].includes(coding) && isChunkedAtMost(incoming);
    const pieces = request.readable && !isPlain ? upTo(0, received, () => unreadable(host)) : received;
    return { status, headers, pieces };
  }
  const remaining = headers.filter(([name]) => !/^content-(encoding|length)$/.test(name));
  return { status, headers: remaining, pieces: bounded(decoded(received, decoder, { host, coding })) };
}

/** Whether the body has no transfer coding other than `chunked`, the only one that Node decodes. */
function isChunkedAtMost({ headers }: IncomingMessage): boolean {
  return (headers['transfer-encoding'] ?? 'chunked').trim().toLowerCase() === 'chunked';
}

function headersOf({ rawHeaders }: IncomingMessage): EgressHeaders {
  return rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? ''] as const] : [],
  );
}

async function* upTo(
  limit: number,
  pieces: AsyncIterable<Buffer>,
  failure: () => EgressFailed,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > limit) throw failure();
    yield piece;
  }
}

function tooLarge(host: string, limit: number): EgressFailed {
  const sentence = `The response of '${host}' is larger than ${sizeInWords(limit)}; request less at a time.`;
  return new EgressFailed('too-large', sentence);
}

function unreadable(host: string): EgressFailed {
  const sentence =
    `The response of '${host}' uses a compression that cannot be decoded here, so it could not be searched ` +
    'for secrets and is withheld; request it with another encoding, or without a secret.';
  return new EgressFailed('protocol', sentence);
}

interface Coded {
  readonly host: string;
  readonly coding: string;
}

async function* decoded(
  received: AsyncGenerator<Buffer>,
  decoderFor: Decoder,
  { host, coding }: Coded,
): AsyncGenerator<Buffer> {
  const first = await received.next();
  if (first.done) return;
  const decoder = decoderFor(first.value);
  const rejoined = async function* () {
    yield first.value;
    yield* received;
  };
  pipeline(rejoined, decoder, () => undefined);
  try {
    yield* decoder as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof EgressFailed || egressFailureOf(error, host) !== error) throw error;
    const sentence = `The response of '${host}' claims to be ${coding} but is not; request it with Accept-Encoding: identity.`;
    throw new EgressFailed('protocol', sentence);
  }
}

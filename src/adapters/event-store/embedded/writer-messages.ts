import { type ExpectedRevision, WrongExpectedRevision } from '../../../ports/event-store.port.js';
import * as threadErrors from '../../threads/thread-errors.js';
import type { RequestTexts } from './event-texts.js';
import type { ListResult, WrittenGroup } from './log-writer.js';

/** The thread responds to appends in the order of their arrival, and to other requests with their `number`. */
export type WriterRequest =
  | { readonly kind: 'append'; readonly lists: FlatLists }
  | { readonly kind: 'prune'; readonly number: number; readonly stream: string; readonly beforeRevision: number }
  | { readonly kind: 'try'; readonly number: number }
  | 'close';

/** `messages` is the number of append requests that shared the transaction. */
export type WriterAnswer =
  | { readonly kind: 'appended'; readonly messages: number; readonly written: EncodedWritten }
  | { readonly kind: 'marked'; readonly number: number }
  | { readonly kind: 'done'; readonly number: number; readonly failure?: EncodedError };

/** Flat arrays are copied to the thread faster than objects. */
export type FlatLists = readonly (string | number)[];

interface EncodedWritten extends Omit<WrittenGroup, 'outcome'> {
  readonly outcome:
    | { readonly results: readonly (readonly number[] | EncodedError)[] }
    | { readonly failure: EncodedError };
}

interface EncodedError extends threadErrors.EncodedError {
  readonly wrong?: readonly [stream: string, expected: ExpectedRevision, actual: number];
}

export function flatten(lists: readonly (readonly RequestTexts[])[]): FlatLists {
  const flat: (string | number)[] = [lists.length];
  for (const list of lists) {
    flat.push(list.length);
    for (const { stream, expected, events } of list) {
      flat.push(stream, expected, events.length);
      for (const { id, type, data, metadata } of events) flat.push(id, type, data, metadata);
    }
  }
  return flat;
}

export function unflatten(flat: FlatLists): readonly (readonly RequestTexts[])[] {
  let at = 0;
  const next = () => flat[at++];
  const text = () => String(next());
  const times = <T>(make: () => T): readonly T[] => Array.from({ length: Number(next()) }, make);
  return times(() =>
    times(() => ({
      stream: text(),
      expected: next() as ExpectedRevision,
      events: times(() => ({ id: text(), type: text(), data: text(), metadata: text() })),
    })),
  );
}

export function encodeWritten({ outcome, ...positions }: WrittenGroup): EncodedWritten {
  if ('failure' in outcome) return { ...positions, outcome: { failure: encodeWriterError(outcome.failure) } };
  const results = outcome.results.map((result) =>
    result.status === 'fulfilled'
      ? result.value.flatMap(({ revision, position }) => [revision, position])
      : encodeWriterError(result.reason),
  );
  return { ...positions, outcome: { results } };
}

export function decodeWritten({ outcome, ...positions }: EncodedWritten): WrittenGroup {
  if ('failure' in outcome) return { ...positions, outcome: { failure: decodeWriterError(outcome.failure) } };
  return { ...positions, outcome: { results: outcome.results.map(decodeResult) } };
}

function decodeResult(encoded: readonly number[] | EncodedError): ListResult {
  if (!isPositions(encoded)) return { status: 'rejected', reason: decodeWriterError(encoded) };
  const value = Array.from({ length: encoded.length / 2 }, (_, n) => ({
    revision: encoded[2 * n] ?? Number.NaN,
    position: encoded[2 * n + 1] ?? Number.NaN,
  }));
  return { status: 'fulfilled', value };
}

const isPositions = (encoded: readonly number[] | EncodedError): encoded is readonly number[] => Array.isArray(encoded);

export function encodeWriterError(error: unknown): EncodedError {
  const encoded = threadErrors.encodeError(error);
  if (!(error instanceof WrongExpectedRevision)) return encoded;
  return { ...encoded, wrong: [error.stream, error.expected, error.actual] };
}

export function decodeWriterError({ wrong, ...encoded }: EncodedError): Error {
  return wrong === undefined ? threadErrors.decodeError(encoded) : new WrongExpectedRevision(...wrong);
}

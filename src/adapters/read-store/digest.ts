import { createHash } from 'node:crypto';
import type { Document } from '../../kernel/record/projection.js';

export interface Line {
  readonly collection: string;
  readonly document: Document;
}

/**
 * SHA-256 over documents in the order in which they are added. Each document is one line of the hashed text, so
 * different lists of documents have different texts.
 */
export class Digest {
  private readonly hash = createHash('sha256');

  add({ collection, document }: Line): void {
    this.hash.update(`${JSON.stringify([collection, document.id])}${canonical(document)}\n`);
  }

  /** Returns the digest in hexadecimal. After this call, neither `add` nor `hex` can be called again. */
  hex(): string {
    return this.hash.digest('hex');
  }
}

/** Returns JSON in which the keys of every object are ordered by code unit, so that equal values have equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (isObject(inner) ? sorted(inner) : inner));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(inner: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
}

import { createHash } from 'node:crypto';
import type { Document } from '../../kernel/record/projection.js';

export interface Line {
  readonly collection: string;
  readonly document: Document;
}

export class Digest {
  private readonly hash = createHash('sha256');

  add({ collection, document }: Line): void {
    this.hash.update(`${JSON.stringify([collection, document.id])}${canonical(document)}\n`);
  }

  /** After this call, neither `add` nor `hex` can be called again. */
  hex(): string {
    return this.hash.digest('hex');
  }
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (isObject(inner) ? sorted(inner) : inner));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(inner: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
}

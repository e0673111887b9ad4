import type { Document } from '../../../kernel/projection.js';

/** What was done at once and can be undone for a while. */
export interface Notice extends Document {
  readonly summary: string;
  readonly target: { readonly kind: string; readonly id: string; readonly name: string };
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly undoneAt: string | null;
}

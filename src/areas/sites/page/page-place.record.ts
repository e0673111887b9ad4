import type { Document } from '../../../kernel/record/projection.js';

/** The paths that a page has or had. Remain after the page has left a path or was deleted. `id` is that of the page. */
export interface PagePlaces extends Document {
  readonly projectId: string;
  readonly paths: readonly string[];
}

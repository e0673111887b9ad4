import type { Document } from '../../../kernel/record/projection.js';

/** A path that a page has or had. Remains after the page has left the path or was deleted. */
export interface PagePlace extends Document {
  readonly projectId: string;
  readonly pageId: string;
  readonly path: string;
}

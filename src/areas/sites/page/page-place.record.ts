import type { Document } from '../../../kernel/record/projection.js';

/**
 * The present and all former paths of a page, under the id of the page. The paths remain when the page is moved or
 * deleted.
 */
export interface PagePlaces extends Document {
  readonly projectId: string;
  readonly paths: readonly string[];
}

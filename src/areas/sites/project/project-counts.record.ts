import type { Document } from '../../../kernel/record/projection.js';

/** How much is in a project, under its id. There is none of a project that is empty. */
export interface ProjectCounts extends Document {
  readonly pages: number;
  readonly components: number;
}

export type Counted = 'pages' | 'components';

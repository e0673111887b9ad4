import type { Document } from '../../../kernel/record/projection.js';

/**
 * Numbers of pages and components in a project. Its id is the project's id. A project without content has no such
 * record.
 */
export interface ProjectCounts extends Document {
  readonly pages: number;
  readonly components: number;
}

export type Counted = 'pages' | 'components';

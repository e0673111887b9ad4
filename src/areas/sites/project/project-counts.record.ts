import type { Document } from '../../../kernel/record/projection.js';

/** Numbers of records in a project, under the project's id. An empty project has no such record. */
export interface ProjectCounts extends Document {
  readonly pages: number;
  readonly components: number;
}

export type Counted = 'pages' | 'components';

import type { Document } from '../../../kernel/record/projection.js';

export interface ProjectCounts extends Document {
  readonly pages: number;
  readonly components: number;
}

export type Counted = 'pages' | 'components';

import type { Where } from '../../../../kernel/record/projection.js';
import type { Group } from '../../../../kernel/rows/row-report.js';
import type { Counting, Query, Report } from '../../../../ports/read-store.port.js';
import type { encodeCommitError } from '../commits/commit-messages.js';

export type RowQuestion =
  | { readonly kind: 'find'; readonly collection: string; readonly query: Query }
  | { readonly kind: 'count'; readonly collection: string; readonly where: Where; readonly counting: Counting }
  | { readonly kind: 'groups'; readonly collection: string; readonly report: Report };

export type TimedQuestion = RowQuestion & { readonly withinMs: number };

/** `groups` is undefined if the collection has no table yet. */
export type RowThreadAnswer =
  | { readonly kind: 'late' }
  | { readonly kind: 'find'; readonly documents: readonly string[] }
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'groups'; readonly groups: readonly Group[] | undefined }
  | { readonly kind: 'failure'; readonly error: ReturnType<typeof encodeCommitError> };

import type { Document, Where } from '../../kernel/record/projection.js';
import type { Reads } from '../scopes/reads.js';

export interface PageInput {
  readonly limit?: number;
  readonly before?: string;
}

export interface Pages<Doc> {
  readonly where?: Where;
  /** Name of the field to sort by, in descending order. Records with equal values are ordered by id. */
  readonly by: keyof Doc & ('createdAt' | 'position');
  missing(): never;
  belongs?(record: Doc): boolean;
}

export const defaultPage = 50;

export async function newestFirst<Doc extends Document>(
  reads: Reads,
  workspaceId: string,
  collection: string,
  { limit = defaultPage, before }: PageInput,
  { where = {}, by, missing, belongs = () => true }: Pages<Doc>,
): Promise<readonly Doc[]> {
  const older = before === undefined ? undefined : await reads.get<Doc>(workspaceId, collection, before);
  if (before !== undefined && (older === undefined || !belongs(older))) return missing();
  return reads.find<Doc>(workspaceId, collection, {
    where,
    sort: [[by, 'desc']],
    limit,
    ...(older === undefined ? {} : { after: [older[by] as string | number, older.id] }),
  });
}

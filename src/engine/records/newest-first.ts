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

const longestPage = 200;
const mostReads = 10;

export async function newestFirst<Doc extends Document>(
  reads: Reads,
  workspaceId: string,
  collection: string,
  input: PageInput,
  pages: Pages<Doc>,
): Promise<readonly Doc[]> {
  const older = await oldestShown(reads, workspaceId, collection, input, pages);
  return olderThan(reads, workspaceId, collection, older, { ...pages, limit: input.limit ?? defaultPage });
}

/**
 * Lists only what `open` returns of each page, for records that some callers may not read. Reads on until the list is
 * full, in at most 10 pages.
 */
export async function newestOpen<Doc extends Document, Shown>(
  reads: Reads,
  workspaceId: string,
  collection: string,
  input: PageInput,
  { open, ...pages }: Pages<Doc> & { open(page: readonly Doc[]): Promise<readonly Shown[]> },
): Promise<readonly Shown[]> {
  const { limit = defaultPage } = input;
  let older = await oldestShown(reads, workspaceId, collection, input, pages);
  const shown: Shown[] = [];
  for (let read = 0; read < mostReads && shown.length < limit; read += 1) {
    const most = read === 0 ? limit : longestPage;
    const page = await olderThan(reads, workspaceId, collection, older, { ...pages, limit: most });
    shown.push(...(await open(page)));
    if (page.length < most) break;
    older = page.at(-1);
  }
  return shown.slice(0, limit);
}

async function oldestShown<Doc extends Document>(
  reads: Reads,
  workspaceId: string,
  collection: string,
  { before }: PageInput,
  { missing, belongs = () => true }: Pages<Doc>,
): Promise<Doc | undefined> {
  if (before === undefined) return undefined;
  const found = await reads.get<Doc>(workspaceId, collection, before);
  return found !== undefined && belongs(found) ? found : missing();
}

function olderThan<Doc extends Document>(
  reads: Reads,
  workspaceId: string,
  collection: string,
  older: Doc | undefined,
  { where = {}, by, limit }: Pages<Doc> & { readonly limit: number },
): Promise<readonly Doc[]> {
  return reads.find<Doc>(workspaceId, collection, {
    where,
    sort: [[by, 'desc']],
    limit,
    ...(older === undefined ? {} : { after: [older[by] as string | number, older.id] }),
  });
}

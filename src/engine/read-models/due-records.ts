import type { Document, Where } from '../../kernel/record/projection.js';
import type { ReadStore } from '../../ports/read-store.port.js';

interface Due<Field extends string> {
  /** Name of the field with the due time in ISO 8601. A document without it, or with null, is never due. */
  readonly field: Field;
  readonly now: number;
  readonly where?: Where;
  readonly page: number;
}

/**
 * Returns documents of all workspaces in pages, earliest first. A document appears once, even if it is still due when
 * its page has been handled.
 */
export async function* dueRecords<Doc extends Document & Readonly<Record<Field, string | null>>, Field extends string>(
  store: ReadStore,
  collection: string,
  { field, now, where = {}, page }: Due<Field>,
): AsyncGenerator<readonly Doc[]> {
  for (let after: readonly (string | null)[] | undefined; ; ) {
    const due: readonly Doc[] = await store.find<Doc>(collection, {
      where: { ...where, [field]: { lte: new Date(now).toISOString() } },
      sort: [[field, 'asc']],
      limit: page,
      ...(after && { after }),
    });
    const last = due.at(-1);
    if (last === undefined) return;
    yield due;
    if (due.length < page) return;
    after = [last[field], last.id];
  }
}

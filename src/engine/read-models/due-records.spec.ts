import { expect, it } from '@jest/globals';
import type { Document } from '../../kernel/record/projection.js';
import type { Query, ReadStore } from '../../ports/read-store.port.js';
import { dueRecords } from './due-records.js';

interface Timed extends Document {
  readonly dueAt: string | null;
}

const at = (second: number) => `2030-01-01T00:00:0${second}.000Z`;
const timed = (id: string, dueAt: string | null): Timed => ({ id, workspaceId: 'ws_1', dueAt });
const key = ({ dueAt, id }: Timed) => `${dueAt} ${id}`;

function storeOf(documents: readonly Timed[]) {
  const asked: Query[] = [];
  const find = async (_: string, query: Query) => {
    asked.push(query);
    const { lte } = query.where['dueAt'] as { readonly lte: string };
    const after = query.after?.join(' ') ?? '';
    return documents
      .filter((one) => one.dueAt !== null && one.dueAt <= lte && key(one) > after)
      .toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
      .slice(0, query.limit);
  };
  return { asked, store: { find } as unknown as ReadStore };
}

async function pagesOf(documents: readonly Timed[]) {
  const { asked, store } = storeOf(documents);
  const pages: string[][] = [];
  const due = { field: 'dueAt', now: Date.parse(at(5)), where: { status: 'pending' }, page: 2 } as const;
  for await (const some of dueRecords<Timed, 'dueAt'>(store, 'timed', due)) pages.push(some.map(({ id }) => id));
  return { asked, pages };
}

it('returns due records, the earliest first, each once although all remain due', async () => {
  const all = [timed('e', at(5)), timed('b', at(1)), timed('a', at(1)), timed('c', at(1)), timed('d', at(3))];
  const { asked, pages } = await pagesOf([...all, timed('later', at(6)), timed('never', null)]);
  expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  for (const { where } of asked) expect(where).toEqual({ status: 'pending', dueAt: { lte: at(5) } });
});

it.each([
  ['nothing is due', [], 1],
  ['the last page is full', [timed('a', at(1)), timed('b', at(2))], 2],
])('ends if %s', async (_, documents, questions) => {
  const { asked, pages } = await pagesOf(documents);
  expect(pages.flat()).toEqual(documents.map(({ id }) => id));
  expect(asked).toHaveLength(questions);
});

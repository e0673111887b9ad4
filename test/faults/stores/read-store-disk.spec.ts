import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedReadStore } from '../../../src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import { ReadStoreUnavailable, type Write } from '../../../src/ports/read-store.port.js';

const build = { projection: 'catalogue', generation: 'v1' };
const collections = { things: { indexes: [{ fields: ['batch'] }] } };
const batch = (n: number): Write[] =>
  Array.from({ length: 20 }, (_, index) => ({
    kind: 'put',
    collection: 'things',
    document: { id: `${n}.${index}`, workspaceId: 'w1', batch: n, text: 'x'.repeat(500) },
    position: n,
  }));

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'read-store-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('a full disk refuses a whole commit, does not affect reads, and commits work when there is room', async () => {
  const store = new EmbeddedReadStore({ directory, maxPages: 60, patienceMs: 0 });
  await store.prepare(build, collections);
  await store.activate(build, collections);
  let last = -1;
  let failure: unknown;
  while (failure === undefined) {
    failure = await store.commit(build, last, last + 1, batch(last + 1)).catch((error: unknown) => error);
    if (failure === undefined) last += 1;
  }
  expect(failure).toBeInstanceOf(ReadStoreUnavailable);
  expect(String(failure)).toContain('The disk of the read store is full. Free some space');
  expect(String(failure)).not.toContain(directory);
  expect(last).toBeGreaterThan(10);
  expect(await store.checkpoint(build)).toBe(last);
  expect(await store.count('things', {})).toBe(20 * (last + 1));
  expect(await store.count('things', { batch: last + 1 })).toBe(0);
  await expect(store.check()).rejects.toThrow(ReadStoreUnavailable);

  const room: Write = { kind: 'removeWhere', collection: 'things', where: { batch: { lt: 10 } } };
  await store.commit(build, last, last + 1, [room, ...batch(last + 1)]);
  await store.commit(build, last + 1, last + 2, []);
  expect(await store.count('things', { batch: last + 1 })).toBe(20);
  await expect(store.check()).resolves.toBeUndefined();
  await store.close();
});

it('a data directory that cannot be created is reported without its path', () => {
  writeFileSync(join(directory, 'data'), 'a file stands in the way');
  const open = () => new EmbeddedReadStore({ directory: join(directory, 'data') });
  expect(open).toThrow(ReadStoreUnavailable);
  expect(open).toThrow(/^The data directory of the read store cannot be used \([A-Z]+\)\. Check/);
});

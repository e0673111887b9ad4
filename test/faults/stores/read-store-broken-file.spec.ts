import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EmbeddedReadStore } from '../../../src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import { ReadStoreUnavailable } from '../../../src/ports/read-store.port.js';

const build = { projection: 'catalogue', generation: 'v1' };
const collections = { things: { indexes: [] } };

let directory = '';
let file = '';
let notices: string[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'read-store-'));
  file = join(directory, 'read.db');
  notices = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = () => new EmbeddedReadStore({ directory, onNotice: (sentence) => notices.push(sentence) });

async function written(documents: number): Promise<void> {
  const store = open();
  await store.prepare(build, collections);
  await store.activate(build, collections);
  const text = 'x'.repeat(2000);
  await store.commit(
    build,
    -1,
    4,
    Array.from({ length: documents }, (_, n) => ({
      kind: 'put',
      collection: 'things',
      document: { id: `${n}`, workspaceId: 'w1', text },
      position: 1,
    })),
  );
  await store.close();
}

async function expectEmptyAndUsable(): Promise<void> {
  const store = open();
  expect(await store.builds('catalogue')).toEqual([]);
  expect(await store.checkpoint(build)).toBe(-1);
  await store.close();
  await written(1);
}

it('a missing file is an empty store, without a warning', async () => {
  directory = join(directory, 'not', 'there');
  await written(1);
  expect(notices).toEqual([]);
});

it('a file that is no database is set aside and reported', async () => {
  writeFileSync(file, 'This is not a database. '.repeat(500));
  await expectEmptyAndUsable();
  expect(notices).toEqual([
    'The file of the read store is not a database. It was renamed to read.db.broken-1; the read models are rebuilt from the log.',
  ]);
  expect(readFileSync(`${file}.broken-1`, 'utf8')).toContain('This is not');
});

it.each([
  ['a later schema', `PRAGMA user_version = 99`],
  ['tables of somebody else', `PRAGMA user_version = 0`],
])('a file with %s is set aside', async (_, change) => {
  await written(1);
  const database = new DatabaseSync(file);
  database.exec(change);
  database.close();
  await expectEmptyAndUsable();
  expect(notices).toEqual([expect.stringContaining('was written by another version')]);
});

it('every broken file is renamed with a number of its own, with its companion files', async () => {
  for (const n of [1, 2, 3]) {
    writeFileSync(file, `broken ${n} `.repeat(200));
    writeFileSync(`${file}-wal`, 'left over');
    await open().close();
    expect(readFileSync(`${file}.broken-${n}`, 'utf8')).toContain(`broken ${n}`);
  }
  expect(notices).toHaveLength(3);
  expect(readdirSync(directory).filter((name) => !name.includes('broken'))).toEqual(['read.db']);
});

it('damage found during a read is reported, and the next start begins with an empty store', async () => {
  await written(200);
  const bytes = readFileSync(file);
  bytes.fill(0xa5, Math.floor(statSync(file).size / 2));
  writeFileSync(file, bytes);
  const store = open();
  expect(notices).toEqual([]);
  const failure = await store.find('things', { where: {} }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ReadStoreUnavailable);
  expect(String(failure)).toContain('is damaged. Restart the process');
  await store.close();
  await expectEmptyAndUsable();
  expect(notices).toEqual([expect.stringContaining('was found damaged')]);
  expect(existsSync(`${file}.damaged`)).toBe(false);
});

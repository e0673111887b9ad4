// Second tier.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EmbeddedReadStore } from '../../../src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import { ReadStoreUnavailable, type Write } from '../../../src/ports/read-store.port.js';

const build = { projection: 'catalogue', generation: 'v1' };
const collections = { things: { indexes: [] } };
const write: Write = { kind: 'put', collection: 'things', document: { id: '1', workspaceId: 'w1' }, position: 0 };

it('a writer that does not finish makes the store unavailable, but not wrong, and only until it finishes', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'read-store-'));
  const store = new EmbeddedReadStore({ directory, patienceMs: 0 });
  await store.prepare(build, collections);
  await store.activate(build, collections);
  const other = new DatabaseSync(join(directory, 'read.db'));
  other.exec('BEGIN IMMEDIATE');
  await expect(store.commit(build, -1, 0, [write])).rejects.toThrow(ReadStoreUnavailable);
  expect(await store.count('things', {})).toBe(0);
  other.exec('ROLLBACK');
  await store.commit(build, -1, 0, [write]);
  expect(await store.count('things', {})).toBe(1);
  other.close();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

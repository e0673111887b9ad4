// Second tier.
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { cli, Folders } from '../../support/stores/log-transfer.js';

const folders = new Folders();
afterAll(() => folders.remove());

it('restore compares a database of more than 2 GiB with its digest', async () => {
  const backup = folders.make();
  const database = join(backup, 'events.db');
  writeFileSync(database, '');
  // A sparse file, which takes no room on the disk.
  truncateSync(database, 2 ** 31 + 1);
  const files = { 'events.db': 'the digest of another file' };
  const manifest = { format: 'countersign-backup-1', createdAt: '2030-01-01T00:00:00.000Z', files };
  writeFileSync(join(backup, 'backup.json'), JSON.stringify(manifest));
  const { code, error } = await cli({ DATA_DIR: join(folders.make(), 'data') }, 'restore', backup);
  expect([code, error]).toEqual([1, expect.stringContaining('events.db differs from what was backed up')]);
});

import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedBlobs } from '../../../src/adapters/blobs/embedded/embedded-blobs.adapter.js';
import { BlobSealBroken, BlobsUnavailable } from '../../../src/ports/blobs.port.js';
import { EmbeddedDirectory } from '../embedded-directory.js';
import { blobsContract } from './blobs.contract.js';
import { HandMovedTime } from './hand-moved-time.js';

blobsContract('embedded', async () => {
  const directory = new EmbeddedDirectory();
  const clock = new HandMovedTime();
  const options = { directory: directory.path, masterKey: randomBytes(32), clock };
  let blobs = new EmbeddedBlobs(options);
  return {
    blobs,
    clock,
    reopen: async () => {
      await blobs.close();
      blobs = new EmbeddedBlobs(options);
      return blobs;
    },
    close: async () => {
      await blobs.close();
      directory.remove();
    },
  };
});

describe('blobs: embedded, beyond the contract', () => {
  let directory: EmbeddedDirectory;
  let blobs: EmbeddedBlobs;
  const clock = new HandMovedTime();
  const path = (...more: string[]) => join(directory.path, 'blobs', ...more);
  beforeEach(() => {
    directory = new EmbeddedDirectory();
    blobs = new EmbeddedBlobs({ directory: directory.path, masterKey: randomBytes(32), clock });
  });
  afterEach(async () => {
    await blobs.close();
    directory.remove();
  });

  it('creates no files before the first put', () => {
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it('never has the plain value on disk, and no files that others can read', async () => {
    const value = randomBytes(64);
    await blobs.put('mail/a', value);
    expect(readFileSync(path('mail', 'a')).includes(value)).toBe(false);
    expect(statSync(path('mail', 'a')).mode & 0o777).toBe(0o600);
    expect(statSync(path('mail')).mode & 0o777).toBe(0o700);
    expect(readdirSync(path('.unfinished'))).toEqual([]);
  });

  it.each([0, 1, 5, 100])('detects a change of byte %i', async (at) => {
    await blobs.put('mail/a', randomBytes(64));
    const bytes = readFileSync(path('mail', 'a'));
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(path('mail', 'a'), bytes);
    await expect(blobs.open('mail/a')).rejects.toThrow(BlobSealBroken);
  });

  it('detects a truncated blob, and one moved to another name', async () => {
    await blobs.put('mail/a', randomBytes(64));
    await blobs.put('mail/b', randomBytes(64));
    renameSync(path('mail', 'a'), path('mail', 'b'));
    await expect(blobs.open('mail/b')).rejects.toThrow(BlobSealBroken);
    writeFileSync(path('mail', 'b'), '');
    await expect(blobs.open('mail/b')).rejects.toThrow(BlobSealBroken);
  });

  it('deletes what a killed process left unfinished, but nothing that is being written', async () => {
    await blobs.put('mail/a', randomBytes(4));
    for (const name of ['left', 'fresh']) writeFileSync(path('.unfinished', name), 'part');
    const at = clock.now() / 1_000;
    utimesSync(path('.unfinished', 'left'), at - 7_200, at - 7_200);
    utimesSync(path('.unfinished', 'fresh'), at, at);
    await blobs.destroyAll('mail', { before: 0 });
    expect(readdirSync(path('.unfinished'))).toEqual(['fresh']);
  });

  it('explains what to do when the folder cannot be written', async () => {
    writeFileSync(path().replace(/\/$/, ''), 'in the way');
    await expect(blobs.put('mail/a', Buffer.of(1))).rejects.toThrow(BlobsUnavailable);
  });
});

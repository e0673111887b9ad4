// Second tier.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../../src/cli/commands.js';
import { startApp } from '../../support/app.js';
import { startServiceProcess } from '../../support/service-process.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const folder = () => {
  const made = mkdtempSync(join(tmpdir(), 'countersign-files-'));
  folders.push(made);
  return made;
};

/** Files in the directory, including itself, that group or others may access. */
function openToOthers(directory: string): readonly string[] {
  const names = ['.', ...(readdirSync(directory, { recursive: true }) as string[])];
  return names.filter((name) => (statSync(join(directory, name)).mode & 0o077) !== 0);
}

/** Runs the work with umask 022, the default of most shells. */
async function withUsualUmask<T>(work: () => Promise<T>): Promise<T> {
  const before = process.umask(0o022);
  try {
    return await work();
  } finally {
    process.umask(before);
  }
}

describe('the data directory', () => {
  it('and all its files are closed to other users, even if it existed before and was open', async () => {
    await withUsualUmask(async () => {
      const dataDir = join(folder(), 'data');
      mkdirSync(dataDir, { mode: 0o755 });
      const app = await startApp({ dataDir });
      try {
        await app.call('automations/createFunction', { name: 'f', code: '' });
        expect(readdirSync(dataDir)).toEqual(
          expect.arrayContaining([
            'events.db',
            'read.db',
            'read.db-wal',
            'read.db-shm',
            'service.lock',
            'texts.db',
            'vault.db',
          ]),
        );
        expect(openToOthers(dataDir)).toEqual([]);
      } finally {
        await app.close();
      }
    });
  });

  it('is closed if an earlier version has left its files open', async () => {
    await withUsualUmask(async () => {
      const first = await startApp();
      const dataDir = first.dataDir;
      for (const name of ['read.db', 'read.db-wal', 'read.db-shm', 'service.lock', 'events.db']) {
        chmodSync(join(dataDir, name), 0o644);
      }
      chmodSync(dataDir, 0o755);
      const app = await first.restart();
      try {
        expect(openToOthers(dataDir)).toEqual([]);
      } finally {
        await app.close();
      }
    });
  });
});

describe('a backup', () => {
  it('and all its files are closed to other users', async () => {
    await withUsualUmask(async () => {
      const app = await startApp();
      try {
        const directory = folder();
        const silent = { out: () => undefined, error: () => undefined };
        expect(await runCommand(['backup', directory], { DATA_DIR: app.dataDir }, silent)).toBe(0);
        expect(readdirSync(directory)).toEqual(
          expect.arrayContaining(['events.db', 'texts.db', 'vault.db', 'master.key', 'backup.json']),
        );
        expect(openToOthers(directory)).toEqual([]);
      } finally {
        await app.close();
      }
    });
  });
});

describe('the service as it is started', () => {
  // Only on Linux, where the umask of another process can be read from /proc.
  (process.platform === 'linux' ? it : it.skip)('closes everything it creates to other users', async () => {
    const dataDir = join(folder(), 'data');
    const service = await withUsualUmask(() => startServiceProcess({ dataDir }));
    try {
      const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
      expect(/Umask:\s+(\d+)/.exec(status)?.[1]).toBe('0077');
      expect(openToOthers(dataDir)).toEqual([]);
    } finally {
      await service.end('SIGTERM');
    }
  });
});

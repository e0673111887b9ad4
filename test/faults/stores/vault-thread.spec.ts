// Second tier.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { EmbeddedVaultOptions } from '../../../src/adapters/vault/embedded/embedded-vault.adapter.js';
import { type SealedEntry, VaultUnavailable } from '../../../src/ports/vault.port.js';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { allOf } from '../../support/all-of.js';
import { type ThreadedVault, threadedVault } from '../../support/stores/threaded-vault.js';

const clock = {
  now: () => Date.now(),
  after: () => {
    throw new Error('The vault waits for nothing.');
  },
};

describe('vault: embedded, written by a thread', () => {
  const masterKey = randomBytes(32);
  let directory: EmbeddedDirectory;
  let opened: ThreadedVault;

  const open = (more: Partial<EmbeddedVaultOptions> = {}) =>
    threadedVault({ directory: directory.path, masterKey, clock, ...more });
  const reopen = async (more?: Partial<EmbeddedVaultOptions>) => {
    await opened.vault.close();
    opened = await open(more);
  };
  const sealAll = (names: readonly string[], size = 20) =>
    Promise.allSettled(names.map((name) => opened.vault.seal(name, randomBytes(size))));
  const reasons = (results: readonly PromiseSettledResult<unknown>[]): readonly unknown[] =>
    results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  const names = async () => (await allOf(opened.vault.sealedEntries())).map(({ name }) => name);
  const isInAFile = (bytes: Uint8Array): boolean =>
    readdirSync(directory.path).some((name) => readFileSync(directory.file(name)).includes(Buffer.from(bytes)));
  const entryOf = async (name: string): Promise<SealedEntry> => {
    const found = (await allOf(opened.vault.sealedEntries())).find((entry) => entry.name === name);
    if (found === undefined) throw new Error(`There is no entry ${name}.`);
    return found;
  };

  beforeEach(async () => {
    directory = new EmbeddedDirectory();
    opened = await open();
  });
  afterEach(async () => {
    await opened.vault.close();
    directory.remove();
  });

  it('that dies: unanswered calls are refused and may be repeated, and another thread replaces it', async () => {
    // The lock makes the thread wait, so that it dies before it answers.
    const other = new DatabaseSync(directory.file('vault.db'));
    other.exec('BEGIN IMMEDIATE');
    const pending = sealAll(['a', 'b', 'c', 'd']);
    await new Promise(setImmediate);
    const ending = opened.threads[0]?.terminate();
    other.close();
    await ending;
    const refused = reasons(await pending);
    expect(refused).toHaveLength(4);
    for (const error of refused) {
      expect(error).toBeInstanceOf(VaultUnavailable);
      expect(String(error)).toContain('the thread that writes it has ended; try again.');
    }
    while (opened.threads.length === 1) expect(reasons(await sealAll(['a', 'b', 'c', 'd']))).toEqual([]);
    expect(await names()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('leaves nothing of a destroyed entry in the files, in particular not its data key', async () => {
    await sealAll(['a', 'b']);
    const { sealedKey, sealedValue } = await entryOf('a');
    expect([sealedKey, sealedValue].map(isInAFile)).toEqual([true, true]);
    await opened.vault.destroy('a');
    expect([sealedKey, sealedValue].map(isInAFile)).toEqual([false, false]);
    expect(await names()).toEqual(['b']);
  });

  it.each([
    ['the thread', ['a', 'b'], ['c']],
    ['the main thread', ['a'], ['b', 'c']],
  ])('wipes with the next group what another process was reading when %s destroyed it', async (_, first, second) => {
    await reopen({ threadFrom: 2 });
    await sealAll(['a', 'b', 'c']);
    const { sealedKey } = await entryOf('a');
    const reader = new DatabaseSync(directory.file('vault.db'));
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM entries').get();
    await Promise.all(first.map((name) => opened.vault.destroy(name)));
    expect(isInAFile(sealedKey)).toBe(true);
    reader.close();
    await Promise.all(second.map((name) => opened.vault.makePermanent(name)));
    expect(isInAFile(sealedKey)).toBe(false);
  });

  it('executes writes in the order of the calls, small groups after large ones', async () => {
    await reopen({ threadFrom: 4 });
    const large = sealAll(['a', 'b', 'c', 'd']);
    await new Promise(setImmediate);
    await opened.vault.destroy('a');
    expect(reasons(await large)).toEqual([]);
    expect(await names()).toEqual(['b', 'c', 'd']);
  });

  it('full: the whole group is refused, reads work, and writes do again when there is room', async () => {
    await opened.vault.seal('a', randomBytes(20));
    await reopen({ maxPages: 20 });
    const refused = reasons(await sealAll(['b', 'c', 'd', 'e'], 50_000));
    expect(refused.map(String)).toEqual(
      Array(4).fill('Error: The vault is not available: the disk is full; free some space, and try again.'),
    );
    for (const error of refused) expect(error).toBeInstanceOf(VaultUnavailable);
    expect(await names()).toEqual(['a']);
    expect(await opened.vault.open('a')).toHaveLength(20);

    await reopen();
    expect(reasons(await sealAll(['b', 'c', 'd', 'e'], 50_000))).toEqual([]);
    expect(await names()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('locked out by another process: reads are answered, and writes work when the lock is gone', async () => {
    await opened.vault.seal('a', randomBytes(20));
    const other = new DatabaseSync(directory.file('vault.db'));
    other.exec('BEGIN IMMEDIATE');
    let isOver = false;
    const sealing = sealAll(['b', 'c']).finally(() => {
      isOver = true;
    });
    expect(await opened.vault.open('a')).toHaveLength(20);
    expect(isOver).toBe(false);
    for (const error of reasons(await sealing)) expect(String(error)).toContain('another process holds its write lock');
    other.close();
    expect(await opened.vault.seal('b', randomBytes(20))).toBe(true);
  });

  it('seals what was requested before it was closed', async () => {
    const wanted = Array.from({ length: 20 }, (_, n) => String.fromCharCode(97 + n));
    const pending = sealAll(wanted);
    await opened.vault.close();
    expect(reasons(await pending)).toEqual([]);
    opened = await open();
    expect(await names()).toEqual(wanted);
  });
});

import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import {
  EmbeddedVault,
  type EmbeddedVaultOptions,
} from '../../../src/adapters/vault/embedded/embedded-vault.adapter.js';
import type { Clock } from '../../../src/ports/clock.port.js';
import { VaultSealBroken, VaultUnavailable } from '../../../src/ports/vault.port.js';
import { allOf } from '../../support/all-of.js';
import { threadedVault } from '../../support/stores/threaded-vault.js';
import { EmbeddedDirectory } from '../embedded-directory.js';
import { vaultContract } from './vault.contract.js';

/** A clock that the test moves. */
class TestTime implements Clock {
  time = Date.UTC(2026, 0, 2);
  now(): number {
    return this.time;
  }
  after(): () => void {
    throw new Error('The vault waits for nothing.');
  }
}

const waysToWrite = {
  'embedded, written by the main thread': async (options: EmbeddedVaultOptions) =>
    new EmbeddedVault({ ...options, threadFrom: Number.POSITIVE_INFINITY }),
  'embedded, written by the thread': async (options: EmbeddedVaultOptions) => (await threadedVault(options)).vault,
};

for (const [name, open] of Object.entries(waysToWrite)) {
  vaultContract(name, async () => {
    const directory = new EmbeddedDirectory();
    const options = { directory: directory.path, masterKey: randomBytes(32), clock: new TestTime() };
    let vault = await open(options);
    return {
      vault,
      clock: options.clock,
      reopen: async () => {
        await vault.close();
        vault = await open(options);
        return vault;
      },
      close: async () => {
        await vault.close();
        directory.remove();
      },
    };
  });
}

describe('vault: embedded, beyond the contract', () => {
  const masterKey = randomBytes(32);
  const clock = new TestTime();
  let directory: EmbeddedDirectory;
  let vault: EmbeddedVault;
  let connection: DatabaseSync | undefined;

  beforeEach(() => {
    directory = new EmbeddedDirectory();
    const onOpen = (database: DatabaseSync): void => {
      connection = database;
    };
    vault = new EmbeddedVault({ directory: directory.path, masterKey, clock, onOpen });
  });
  afterEach(async () => {
    await vault.close();
    directory.remove();
  });

  const sealedBytes = (name: string): Uint8Array[] => {
    const sql = 'SELECT sealed_key, sealed_value FROM entries WHERE name = ?';
    return Object.values(connection?.prepare(sql).get(name) ?? {}).filter((value) => value instanceof Uint8Array);
  };
  const standsInAFile = (bytes: Uint8Array): boolean =>
    readdirSync(directory.path).some((name) => readFileSync(directory.file(name)).includes(Buffer.from(bytes)));
  const change = (sql: string): void => {
    const file = new DatabaseSync(directory.file('vault.db'));
    file.exec(sql);
    file.close();
  };

  it('never has the plain value in a file', async () => {
    const value = randomBytes(64);
    await vault.seal('a', value);
    expect(standsInAFile(value)).toBe(false);
    expect(sealedBytes('a').map(standsInAFile)).toEqual([true, true]);
  });

  it.each([
    ['destroyed', () => vault.destroy('a')],
    ['destroyed in company', () => Promise.all(['a', 'c'].map((name) => vault.destroy(name, { patient: true })))],
    ['replaced', () => vault.seal('a', randomBytes(9_000))],
    [
      'swept',
      () => {
        clock.time += 20_000;
        return vault.sweep();
      },
    ],
  ])('leaves nothing of an entry that was %s, in particular not its data key', async (_, remove) => {
    await vault.seal('b', randomBytes(20));
    await vault.seal('a', randomBytes(9_000), { expiresAt: clock.time + 10_000 });
    const [key = new Uint8Array(), value = new Uint8Array()] = sealedBytes('a');
    const pieces = [key, value.subarray(0, 64), value.subarray(5_000, 5_064), value.subarray(-64)];
    expect(pieces.map(standsInAFile)).toEqual([true, true, true, true]);
    await remove();
    expect(pieces.map(standsInAFile)).toEqual([false, false, false, false]);
    expect(await vault.open('b')).toHaveLength(20);
  });

  it('wipes later what another process was just reading', async () => {
    await vault.seal('a', randomBytes(20));
    await vault.seal('b', randomBytes(20));
    const [key = new Uint8Array()] = sealedBytes('a');
    const reader = new DatabaseSync(directory.file('vault.db'));
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM entries').get();
    connection?.exec('PRAGMA busy_timeout = 10');
    await vault.destroy('a');
    expect(await vault.open('a')).toBeUndefined();
    expect(standsInAFile(key)).toBe(true);
    reader.close();
    await vault.seal('c', randomBytes(20));
    expect(standsInAFile(key)).toBe(false);
  });

  it.each(['sealed_key', 'sealed_value'])('detects a change of %s', async (column) => {
    await vault.seal('a', randomBytes(20));
    change(`UPDATE entries SET ${column} = CAST(${column} AS BLOB) || x'00'`);
    await expect(vault.open('a')).rejects.toThrow(VaultSealBroken);
    change(`UPDATE entries SET ${column} = x'00'`);
    await expect(vault.open('a')).rejects.toThrow(VaultSealBroken);
  });

  it('detects an entry that was moved to another name', async () => {
    await vault.seal('a', randomBytes(20));
    await vault.seal('b', randomBytes(20));
    change("DELETE FROM entries WHERE name = 'b'; UPDATE entries SET name = 'b'");
    await expect(vault.open('b')).rejects.toThrow(VaultSealBroken);
  });

  it('uses a new data key for every sealing', async () => {
    await vault.seal('a', randomBytes(20));
    const [earlier = new Uint8Array()] = sealedBytes('a');
    await vault.seal('a', randomBytes(20));
    change(`UPDATE entries SET sealed_key = x'${Buffer.from(earlier).toString('hex')}'`);
    await expect(vault.open('a')).rejects.toThrow(VaultSealBroken);
  });

  it('seals the same value differently every time', async () => {
    const value = randomBytes(20);
    await vault.seal('a', value);
    await vault.seal('b', value);
    const [a, b] = [sealedBytes('a'), sealedBytes('b')];
    expect(a).not.toEqual(b);
    expect(new Set([...a, ...b].map((sealed) => Buffer.from(sealed.subarray(0, 12)).toString('hex'))).size).toBe(4);
  });

  it('cannot be opened with another master key', async () => {
    await vault.seal('a', randomBytes(20));
    await vault.close();
    const open = (key: Uint8Array) => new EmbeddedVault({ directory: directory.path, masterKey: key, clock });
    expect(() => open(randomBytes(32))).toThrow(VaultSealBroken);
    expect(() => open(randomBytes(32))).toThrow('The vault was sealed with another master key: start with that key.');
    expect(() => open(randomBytes(16))).toThrow('The master key must have 32 bytes.');
    vault = open(masterKey);
    expect(await vault.open('a')).toHaveLength(20);
  });

  it('derives other tokens with another master key', async () => {
    const elsewhere = new EmbeddedDirectory();
    const other = new EmbeddedVault({ directory: elsewhere.path, masterKey: randomBytes(32), clock });
    expect(other.derive('x')).not.toBe(vault.derive('x'));
    await other.close();
    elsewhere.remove();
  });

  it('refuses if the disk is full, and works again when there is room', async () => {
    await vault.seal('a', randomBytes(20));
    connection?.exec('PRAGMA max_page_count = 1');
    const refused = vault.seal('a', randomBytes(50_000));
    await expect(refused).rejects.toThrow(VaultUnavailable);
    await expect(refused).rejects.toThrow(
      'The vault is not available: the disk is full; free some space, and try again.',
    );
    expect(await vault.open('a')).toHaveLength(20);
    connection?.exec('PRAGMA max_page_count = 1000000');
    expect(await vault.seal('a', randomBytes(50_000))).toBe(true);
  });

  it('seals what was requested before the close, and nothing after', async () => {
    const pending = vault.seal('a', randomBytes(20));
    const patient = vault.destroy('b', { patient: true });
    await vault.close();
    await expect(pending).resolves.toBe(true);
    await expect(patient).resolves.toBeUndefined();
    for (const late of [
      () => vault.seal('b', randomBytes(1)),
      () => vault.open('a'),
      () => vault.destroy('a'),
      () => vault.sweep(),
      () => allOf(vault.sealedEntries()),
      () => vault.check(),
    ]) {
      await expect(late()).rejects.toThrow(VaultUnavailable);
    }
  });
});

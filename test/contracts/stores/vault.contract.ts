import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { type SealedEntry, type Vault, VaultSealBroken } from '../../../src/ports/vault.port.js';
import { allOf } from '../../support/all-of.js';

export interface OpenedVault {
  readonly vault: Vault;
  /** The vault's clock, which the test moves. */
  readonly clock: { time: number };
  /** Closes the vault and opens a new one with the same master key, as after a restart. */
  reopen(): Promise<Vault>;
  /** Closes the open vault and removes what was created for the test. */
  close(): Promise<void>;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * The promises of the port that every vault keeps. Tests use new names, because the vault may contain entries of
 * others.
 */
export function vaultContract(name: string, open: () => Promise<OpenedVault>): void {
  describe(`vault: ${name}`, () => {
    let opened: OpenedVault;
    let vault: Vault;
    let entry: string;
    const read = async (of = entry): Promise<string | undefined> => {
      const value = await vault.open(of);
      return value && new TextDecoder().decode(value);
    };
    beforeEach(async () => {
      opened = await open();
      vault = opened.vault;
      entry = `secret/${randomUUID()}`;
    });
    afterEach(() => opened.close());

    it('returns what was sealed', async () => {
      expect(await vault.seal(entry, bytes('hush'))).toBe(true);
      expect(await read()).toBe('hush');
    });

    it('returns any bytes under any name', async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 5_000 }), async (end, value) => {
          const any = `${entry}/${end}`;
          await vault.seal(any, value);
          expect([...((await vault.open(any)) ?? [])]).toEqual([...value]);
        }),
        { numRuns: 30 },
      );
    });

    it('holds a large value', async () => {
      const value = randomBytes(3_000_000);
      await vault.seal(entry, value);
      expect(value.equals((await vault.open(entry)) ?? bytes(''))).toBe(true);
    });

    it('has nothing under an unused name', async () => {
      expect(await vault.open(entry)).toBeUndefined();
    });

    it('seals the given bytes, not later changes of them by the caller', async () => {
      const value = bytes('before');
      const sealing = vault.seal(entry, value);
      value.fill(0);
      await sealing;
      expect(await read()).toBe('before');
    });

    it('replaces an entry, including its expiry', async () => {
      await vault.seal(entry, bytes('first'), { expiresAt: opened.clock.time + 1_000 });
      expect(await vault.seal(entry, bytes('second'))).toBe(true);
      opened.clock.time += 2_000;
      expect(await read()).toBe('second');
    });

    it('with ifAbsent changes nothing if there is an entry', async () => {
      expect(await vault.seal(entry, bytes('first'), { ifAbsent: true })).toBe(true);
      expect(await vault.seal(entry, bytes('second'), { ifAbsent: true, expiresAt: 1 })).toBe(false);
      expect(await read()).toBe('first');
    });

    it('with ifAbsent lets one of many win', async () => {
      const texts = ['a', 'b', 'c', 'd'];
      const won = await Promise.all(texts.map((text) => vault.seal(entry, bytes(text), { ifAbsent: true })));
      expect(won.filter((one) => one)).toHaveLength(1);
      expect(await read()).toBe(texts[won.indexOf(true)]);
    });

    it('has an entry until its expiry, and afterwards it is as if it never existed', async () => {
      await vault.seal(entry, bytes('first'), { expiresAt: opened.clock.time + 1_000 });
      opened.clock.time += 999;
      expect(await read()).toBe('first');
      opened.clock.time += 2;
      expect(await read()).toBeUndefined();
      expect(await vault.seal(entry, bytes('second'), { ifAbsent: true })).toBe(true);
      expect(await read()).toBe('second');
    });

    it('removes an expiry, also twice, so the entry remains until it is destroyed', async () => {
      await vault.seal(entry, bytes('kept'), { expiresAt: opened.clock.time + 1_000 });
      expect([await vault.keep(entry), await vault.keep(entry)]).toEqual([true, true]);
      opened.clock.time += 2_000;
      await vault.sweep();
      expect(await read()).toBe('kept');
      await vault.destroy(entry);
      expect([await vault.keep(entry), await read()]).toEqual([false, undefined]);
    });

    it('does not store an entry that has expired already', async () => {
      await vault.seal(entry, bytes('over'), { expiresAt: opened.clock.time + 1_000 });
      opened.clock.time += 1_000;
      expect([await vault.keep(entry), await read()]).toEqual([false, undefined]);
    });

    it('destroys an entry, also twice, and lets the name be used again', async () => {
      await vault.seal(entry, bytes('first'));
      await vault.destroy(entry);
      await vault.destroy(entry);
      expect(await vault.open(entry)).toBeUndefined();
      expect(await vault.seal(entry, bytes('second'), { ifAbsent: true })).toBe(true);
      expect(await read()).toBe('second');
    });

    it('has destroyed patiently once it resolves, and leaves other entries alone', async () => {
      const names = [1, 2, 3].map((n) => `${entry}/${n}`);
      for (const name of [...names, entry]) await vault.seal(name, bytes('x'));
      await Promise.all(names.map((name) => vault.destroy(name, { patient: true })));
      expect(await Promise.all([...names, entry].map((name) => read(name)))).toEqual([
        undefined,
        undefined,
        undefined,
        'x',
      ]);
    });

    it('sweeps expired entries and counts them', async () => {
      await vault.sweep();
      for (const n of [1, 2, 3]) {
        await vault.seal(`${entry}/${n}`, bytes('x'), { expiresAt: opened.clock.time + n * 1_000 });
      }
      await vault.seal(entry, bytes('kept'));
      opened.clock.time += 2_500;
      expect(await vault.sweep()).toBe(2);
      expect(await vault.sweep()).toBe(0);
      expect([await read(`${entry}/3`), await read()]).toEqual(['x', 'kept']);
    });

    it('retains everything acknowledged over a restart', async () => {
      await vault.seal(entry, bytes('kept'));
      await vault.seal(`${entry}/gone`, bytes('gone'));
      await vault.destroy(`${entry}/gone`);
      vault = await opened.reopen();
      expect([await read(), await read(`${entry}/gone`)]).toEqual(['kept', undefined]);
    });

    /** The entries that this test has sealed. */
    const sealedEntries = async (): Promise<readonly SealedEntry[]> =>
      (await allOf(vault.sealedEntries())).filter(({ name: of }) => of.startsWith(entry));

    it('exports entries in sealed form, sorted by name, without expired ones', async () => {
      const expiresAt = opened.clock.time + 1_000;
      for (const end of ['ü', 'Z', 'a', '🖋', 'gone']) {
        await vault.seal(`${entry}/${end}`, bytes('hush'), end === 'gone' || end === 'a' ? { expiresAt } : {});
      }
      expect((await sealedEntries()).map(({ name: of, expiresAt: end }) => [of, end])).toEqual([
        [`${entry}/Z`, undefined],
        [`${entry}/a`, expiresAt],
        [`${entry}/gone`, expiresAt],
        [`${entry}/ü`, undefined],
        [`${entry}/🖋`, undefined],
      ]);
      await vault.destroy(`${entry}/gone`);
      opened.clock.time += 1_000;
      expect((await sealedEntries()).map(({ name: of }) => of)).toEqual([`${entry}/Z`, `${entry}/ü`, `${entry}/🖋`]);
      for (const { sealedKey, sealedValue } of await sealedEntries()) {
        for (const sealed of [sealedKey, sealedValue]) expect(Buffer.from(sealed).includes('hush')).toBe(false);
      }
    });

    it('exports each of many entries once', async () => {
      const names = Array.from({ length: 150 }, (_, n) => `${entry}/${String(n).padStart(3, '0')}`);
      await Promise.all(names.map((of) => vault.seal(of, bytes(of))));
      expect((await sealedEntries()).map(({ name: of }) => of)).toEqual(names);
    });

    it('exports named entries in sealed form, without missing or expired ones', async () => {
      const expiresAt = opened.clock.time + 1_000;
      const names = ['plain', 'ü 🖋', "it's", 'gone'].map((end) => `${entry}/${end}`);
      for (const of of names) await vault.seal(of, bytes(of), of.endsWith('gone') ? { expiresAt } : {});
      const asked = [...names, ...names, `${entry}/never`];
      const byName = (entries: readonly SealedEntry[]) =>
        entries.toSorted((one, other) => one.name.localeCompare(other.name));
      expect(byName(await vault.readSealed([]))).toEqual([]);
      const found = new Map((await vault.readSealed(asked)).map((one) => [one.name, one]));
      expect(byName([...found.values()])).toEqual(byName(await sealedEntries()));
      opened.clock.time += 1_000;
      const left = new Set((await vault.readSealed(asked)).map(({ name: of }) => of));
      expect(left).toEqual(new Set(names.slice(0, 3)));
    });

    it('opens an imported entry until its expiry, also if it is imported twice', async () => {
      await vault.seal(entry, bytes('first'), { expiresAt: opened.clock.time + 1_000 });
      const [sealed] = await sealedEntries();
      if (sealed === undefined) throw new Error('There is no entry.');
      await vault.destroy(entry);
      await vault.putSealed(sealed);
      await vault.putSealed(sealed);
      expect(await read()).toBe('first');
      expect(await sealedEntries()).toEqual([sealed]);
      opened.clock.time += 1_000;
      expect(await read()).toBeUndefined();
      const { expiresAt: _, ...permanent } = sealed;
      await vault.putSealed(permanent);
      expect(await read()).toBe('first');
    });

    it('does not import an entry that it could not open: a changed one, or one under another name', async () => {
      await vault.seal(entry, bytes('first'));
      const [sealed] = await sealedEntries();
      if (sealed === undefined) throw new Error('There is no entry.');
      const changed = { ...sealed, sealedValue: sealed.sealedValue.map((byte, at) => (at === 30 ? byte ^ 1 : byte)) };
      await expect(vault.putSealed(changed)).rejects.toThrow(VaultSealBroken);
      await expect(vault.putSealed({ ...sealed, name: `${entry}/moved` })).rejects.toThrow(VaultSealBroken);
      expect([await read(), (await sealedEntries()).length]).toEqual(['first', 1]);
    });

    it('derives the same token for the same text, also after a restart', async () => {
      const token = vault.derive('webhook/1');
      expect(token).toMatch(/^[\w-]{32}$/);
      expect(vault.derive('webhook/1')).toBe(token);
      expect(vault.derive('webhook/2')).not.toBe(token);
      vault = await opened.reopen();
      expect(vault.derive('webhook/1')).toBe(token);
    });

    it('checks that it can be read and written', async () => {
      await expect(vault.check()).resolves.toBeUndefined();
    });
  });
}

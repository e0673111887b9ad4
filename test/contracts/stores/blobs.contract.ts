import { randomBytes, randomUUID } from 'node:crypto';
import { BlobSealBroken, type Blobs, BlobsUnavailable } from '../../../src/ports/blobs.port.js';
import { allOf } from '../../support/all-of.js';

export interface OpenedBlobs {
  readonly blobs: Blobs;
  /** The store's clock, which the test moves. */
  readonly clock: { time: number };
  /** Closes the store and opens a new one with the same master key, as after a restart. */
  reopen(): Promise<Blobs>;
  close(): Promise<void>;
}

/** The promises of the port that every blob store keeps. */
export function blobsContract(name: string, open: () => Promise<OpenedBlobs>): void {
  describe(`blobs: ${name}`, () => {
    let opened: OpenedBlobs;
    let blobs: Blobs;
    let folder: string;
    const read = async (of: string) => {
      const value = await blobs.open(of);
      return value && Buffer.from(value).toString();
    };
    beforeEach(async () => {
      opened = await open();
      blobs = opened.blobs;
      folder = `mail/ws_${randomUUID()}`;
    });
    afterEach(() => opened.close());

    it('returns what was put, also after a restart', async () => {
      await blobs.put(`${folder}/a`, Buffer.from('hello'));
      expect(await read(`${folder}/a`)).toBe('hello');
      blobs = await opened.reopen();
      expect(await read(`${folder}/a`)).toBe('hello');
    });

    it.each([0, 1, 255 * 1024, 3_000_000])('returns %i bytes', async (length) => {
      const value = randomBytes(length);
      await blobs.put(`${folder}/a`, value);
      expect(Buffer.from((await blobs.open(`${folder}/a`)) ?? [1]).equals(value)).toBe(true);
    });

    it('has nothing under an unused name', async () => {
      expect(await blobs.open(`${folder}/a`)).toBeUndefined();
    });

    it('replaces a blob with the last one put', async () => {
      await blobs.put(`${folder}/a`, Buffer.from('one'));
      await blobs.put(`${folder}/a`, Buffer.from('two'));
      expect(await read(`${folder}/a`)).toBe('two');
      await blobs.destroy(`${folder}/a`);
      expect(await blobs.open(`${folder}/a`)).toBeUndefined();
    });

    it('accepts many at once', async () => {
      const names = Array.from({ length: 40 }, (_, at) => `${folder}/hook_${at % 3}/${at}`);
      await Promise.all(names.map((one) => blobs.put(one, Buffer.from(one))));
      expect(await Promise.all(names.map(read))).toEqual(names);
    });

    it('destroys a blob, also twice', async () => {
      await blobs.put(`${folder}/a`, Buffer.from('a'));
      await blobs.put(`${folder}/b`, Buffer.from('b'));
      await blobs.destroy(`${folder}/a`);
      await blobs.destroy(`${folder}/a`);
      expect([await read(`${folder}/a`), await read(`${folder}/b`)]).toEqual([undefined, 'b']);
    });

    it('destroys all of a folder and nothing beside it, also twice', async () => {
      await blobs.put(`${folder}/one/a`, Buffer.from('a'));
      await blobs.put(`${folder}/one/deep/b`, Buffer.from('b'));
      await blobs.put(`${folder}/one1/c`, Buffer.from('c'));
      await blobs.destroyAll(`${folder}/one`);
      await blobs.destroyAll(`${folder}/one`);
      expect(await read(`${folder}/one/a`)).toBeUndefined();
      expect(await read(`${folder}/one/deep/b`)).toBeUndefined();
      expect(await read(`${folder}/one1/c`)).toBe('c');
      await blobs.put(`${folder}/one/a`, Buffer.from('again'));
      expect(await read(`${folder}/one/a`)).toBe('again');
    });

    it('puts some blobs while others of the same folder are destroyed', async () => {
      const kept = Array.from({ length: 60 }, (_, at) => `${folder}/runs/r${at % 5}/kept${at}`);
      let isOver = false;
      const destroying = (async () => {
        for (let at = 0; !isOver; at += 1) {
          await blobs.put(`${folder}/runs/gone/a`, Buffer.from('a'));
          await blobs.destroyAll(`${folder}/runs/${at % 2 === 0 ? 'gone' : 'none'}`);
        }
      })();
      try {
        for (const one of kept) await blobs.put(one, Buffer.from(one));
      } finally {
        isOver = true;
        await destroying;
      }
      expect(await Promise.all(kept.map(read))).toEqual(kept);
    });

    it('destroys those put before a time', async () => {
      await blobs.put(`${folder}/one/old`, Buffer.from('old'));
      opened.clock.time += 10_000;
      await blobs.put(`${folder}/two/new`, Buffer.from('new'));
      await blobs.destroyAll(folder, { before: opened.clock.time - 5_000 });
      expect([await read(`${folder}/one/old`), await read(`${folder}/two/new`)]).toEqual([undefined, 'new']);
    });

    it('destroys a blob only if it was put before a time', async () => {
      await blobs.put(`${folder}/a`, Buffer.from('old'));
      opened.clock.time += 10_000;
      await blobs.destroy(`${folder}/a`, { before: opened.clock.time - 10_000 });
      expect(await read(`${folder}/a`)).toBe('old');
      await blobs.put(`${folder}/a`, Buffer.from('new'));
      await blobs.destroy(`${folder}/a`, { before: opened.clock.time - 5_000 });
      expect(await read(`${folder}/a`)).toBe('new');
      await blobs.destroy(`${folder}/a`, { before: opened.clock.time + 1 });
      await blobs.destroy(`${folder}/a`, { before: opened.clock.time + 1 });
      expect(await blobs.open(`${folder}/a`)).toBeUndefined();
    });

    it('retains a blob that is put again while the old one is destroyed', async () => {
      for (let round = 0; round < 50; round += 1) {
        await blobs.put(`${folder}/a`, Buffer.from('old'));
        opened.clock.time += 10_000;
        const again = `again ${round}`;
        const before = opened.clock.time - 5_000;
        await Promise.all([blobs.destroy(`${folder}/a`, { before }), blobs.put(`${folder}/a`, Buffer.from(again))]);
        expect(await read(`${folder}/a`)).toBe(again);
      }
    });

    it('names the blobs of a folder, and those put before a time', async () => {
      await blobs.put(`${folder}/one/old`, Buffer.from('old'));
      await blobs.put(`${folder}-beside/old`, Buffer.from('old'));
      opened.clock.time += 10_000;
      await blobs.put(`${folder}/two/new`, Buffer.from('new'));
      expect([...(await blobs.names(folder))].sort()).toEqual([`${folder}/one/old`, `${folder}/two/new`]);
      expect(await blobs.names(folder, { before: opened.clock.time - 5_000 })).toEqual([`${folder}/one/old`]);
      expect(await blobs.names(`${folder}/none`)).toEqual([]);
    });

    it('exports every blob by its name, sealed and with its time, and imports it again', async () => {
      // Names whose order would differ if they were listed folder by folder.
      const names = ['b', 'a-b/c', 'a/b', 'a.b', 'a/a/z'].map((one) => `${folder}/${one}`);
      for (const one of names) {
        opened.clock.time += 1_000;
        await blobs.put(one, Buffer.from(`value of ${one}`));
      }
      await blobs.put(names[0] ?? '', Buffer.from('another'));
      const all = await allOf(blobs.sealedBlobs());
      const ours = all.filter(({ name: one }) => one.startsWith(folder));
      expect(ours.map(({ name: one }) => one)).toEqual(names.toSorted());
      const last = ours.find(({ name: one }) => one === names[4]);
      expect(last?.putAt).toBe(opened.clock.time);
      expect(ours.filter(({ sealed }) => Buffer.from(sealed).includes('value of'))).toEqual([]);
      await blobs.destroyAll(folder);
      for (const blob of [...ours, ...ours]) await blobs.putSealed(blob);
      expect(await read(names[0] ?? '')).toBe('another');
      expect((await allOf(blobs.sealedBlobs())).filter(({ name: one }) => one.startsWith(folder))).toEqual(ours);
      opened.clock.time += 10_000;
      await blobs.destroyAll(folder, { before: opened.clock.time - 5_000 });
      expect((await allOf(blobs.sealedBlobs())).filter(({ name: one }) => one.startsWith(folder))).toEqual([]);
    });

    it('imports no sealed blob that it could not open: a changed one, or one under another name', async () => {
      await blobs.put(`${folder}/a`, Buffer.from('a'));
      const [blob] = (await allOf(blobs.sealedBlobs())).filter(({ name: one }) => one.startsWith(folder));
      if (blob === undefined) throw new Error('It is not given out.');
      const changed = Buffer.from(blob.sealed);
      changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
      await expect(blobs.putSealed({ ...blob, sealed: changed })).rejects.toThrow(BlobSealBroken);
      await expect(blobs.putSealed({ ...blob, name: `${folder}/b` })).rejects.toThrow(BlobSealBroken);
      await expect(blobs.putSealed({ ...blob, name: '../b' })).rejects.toThrow('is not the name of a blob');
      expect(await read(`${folder}/a`)).toBe('a');
    });

    it.each(['', '/a', 'a/', 'a//b', '../a', 'a/../b', 'a/.', '.hidden/a', 'a\0b', 'ä'])(
      'does not accept the name %j',
      async (wrong) => {
        await expect(blobs.put(wrong, Buffer.of(1))).rejects.toThrow('is not the name of a blob');
        await expect(blobs.open(wrong)).rejects.toThrow('is not the name of a blob');
        await expect(blobs.destroyAll(wrong)).rejects.toThrow('is not the name of a blob');
        await expect(blobs.names(wrong)).rejects.toThrow('is not the name of a blob');
      },
    );

    it('can be read and written', async () => {
      await blobs.check();
    });

    it('is unavailable once it is closed, and may be closed twice', async () => {
      await blobs.close();
      await blobs.close();
      for (const late of [
        () => blobs.put('a/b', Buffer.of(1)),
        () => blobs.open('a/b'),
        () => blobs.destroy('a/b'),
        () => blobs.destroyAll('a'),
        () => blobs.names('a'),
        () => allOf(blobs.sealedBlobs()),
        () => blobs.check(),
      ]) {
        await expect(late()).rejects.toThrow(BlobsUnavailable);
      }
    });
  });
}

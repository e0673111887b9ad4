import { randomBytes, randomUUID } from 'node:crypto';
import { type Blobs, BlobsUnavailable } from '../../src/ports/blobs.port.js';

export interface OpenedBlobs {
  readonly blobs: Blobs;
  /** What it takes for now; the test moves it. */
  readonly clock: { time: number };
  /** Closes it and opens it anew under the same master key, as after a restart of the process. */
  reopen(): Promise<Blobs>;
  close(): Promise<void>;
}

/** What every store of blobs keeps of the port's promises. */
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

    it('gives back what was put, also after a restart', async () => {
      await blobs.put(`${folder}/a`, Buffer.from('hello'));
      expect(await read(`${folder}/a`)).toBe('hello');
      blobs = await opened.reopen();
      expect(await read(`${folder}/a`)).toBe('hello');
    });

    it.each([0, 1, 255 * 1024, 3_000_000])('gives back %i bytes', async (length) => {
      const value = randomBytes(length);
      await blobs.put(`${folder}/a`, value);
      expect(Buffer.from((await blobs.open(`${folder}/a`)) ?? [1]).equals(value)).toBe(true);
    });

    it('has nothing under a name that was never put', async () => {
      expect(await blobs.open(`${folder}/a`)).toBeUndefined();
    });

    it('puts the last one in the place of what was there', async () => {
      await blobs.put(`${folder}/a`, Buffer.from('one'));
      await blobs.put(`${folder}/a`, Buffer.from('two'));
      expect(await read(`${folder}/a`)).toBe('two');
      await blobs.destroy(`${folder}/a`);
      expect(await blobs.open(`${folder}/a`)).toBeUndefined();
    });

    it('takes many at once', async () => {
      const names = Array.from({ length: 40 }, (_, at) => `${folder}/hook_${at % 3}/${at}`);
      await Promise.all(names.map((one) => blobs.put(one, Buffer.from(one))));
      expect(await Promise.all(names.map(read))).toEqual(names);
    });

    it('destroys one, and again', async () => {
      await blobs.put(`${folder}/a`, Buffer.from('a'));
      await blobs.put(`${folder}/b`, Buffer.from('b'));
      await blobs.destroy(`${folder}/a`);
      await blobs.destroy(`${folder}/a`);
      expect([await read(`${folder}/a`), await read(`${folder}/b`)]).toEqual([undefined, 'b']);
    });

    it('destroys all of a folder and nothing beside it, and again', async () => {
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

    it('destroys those put before a moment', async () => {
      await blobs.put(`${folder}/one/old`, Buffer.from('old'));
      opened.clock.time += 10_000;
      await blobs.put(`${folder}/two/new`, Buffer.from('new'));
      await blobs.destroyAll(folder, { before: opened.clock.time - 5_000 });
      expect([await read(`${folder}/one/old`), await read(`${folder}/two/new`)]).toEqual([undefined, 'new']);
    });

    it.each(['', '/a', 'a/', 'a//b', '../a', 'a/../b', 'a/.', '.hidden/a', 'a\0b', 'ä'])(
      'takes %j for no name',
      async (wrong) => {
        await expect(blobs.put(wrong, Buffer.of(1))).rejects.toThrow('is not the name of a blob');
        await expect(blobs.open(wrong)).rejects.toThrow('is not the name of a blob');
        await expect(blobs.destroyAll(wrong)).rejects.toThrow('is not the name of a blob');
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
        () => blobs.check(),
      ]) {
        await expect(late()).rejects.toThrow(BlobsUnavailable);
      }
    });
  });
}

import { gzipSync } from 'node:zlib';

export interface TarEntry {
  readonly path: string;
  readonly content?: string | Uint8Array;
  /** Type of the entry in tar's notation: 0 file, 1 hard link, 2 symbolic link, 3 device. Default: file. */
  readonly type?: string;
  readonly linkTo?: string;
}

/** Returns a gzipped tar archive with exactly these entries, even ones that no packer would write. */
export function packed(entries: readonly TarEntry[]): Buffer {
  return gzipSync(Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(1024)]));
}

function blocksOf({ path, content = '', type = '0', linkTo = '' }: TarEntry): readonly Uint8Array[] {
  const bytes = Buffer.from(content);
  const head = Buffer.alloc(512);
  head.write(path, 0);
  head.write('0000644\0', 100);
  head.write('0000000\0', 108);
  head.write('0000000\0', 116);
  head.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
  head.write('00000000000\0', 136);
  head.write('        ', 148);
  head.write(type, 156);
  head.write(linkTo, 157);
  head.write('ustar\0', 257);
  head.write('00', 263);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [head, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
}

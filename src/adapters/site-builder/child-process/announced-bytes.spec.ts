import { hash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, it } from '@jest/globals';
import { announcedBytes } from './announced-bytes.js';

const plain = Buffer.from('export default 1;'.repeat(100));
const other = Buffer.from('export default 2;'.repeat(100));

const received = (gzip: Buffer, brotli: Buffer, content = plain) =>
  announcedBytes(
    {
      name: 'page-1.js',
      type: 'text/javascript',
      digest: hash('sha256', plain, 'hex'),
      size: content.length,
      ...(gzip.length === 0 ? {} : { gzip: gzip.length }),
      ...(brotli.length === 0 ? {} : { brotli: brotli.length }),
    },
    Buffer.concat([content, gzip, brotli]),
  );

it('divides the forms that contain the announced content', async () => {
  const [gzip, brotli, none] = [gzipSync(plain), brotliCompressSync(plain), Buffer.alloc(0)];
  expect(await received(gzip, brotli)).toEqual({ plain, gzip, brotli });
  expect(await received(none, brotli)).toEqual({ plain, brotli });
  expect(await received(none, none)).toEqual({ plain });
});

it.each([
  ['plain', gzipSync(plain), brotliCompressSync(plain), other],
  ['gzip', gzipSync(other), brotliCompressSync(plain), plain],
  ['brotli', gzipSync(plain), brotliCompressSync(other), plain],
  ['gzip, which is broken', Buffer.from('no gzip'), brotliCompressSync(plain), plain],
  ['brotli, which is much larger', gzipSync(plain), brotliCompressSync(Buffer.alloc(10_000_000)), plain],
])('refuses other content in the form %s', async (_, gzip, brotli, content) => {
  await expect(received(gzip, brotli, content)).rejects.toThrow('other bytes than it announced');
});

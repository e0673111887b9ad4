import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../../test/support/any-json.js';
import { runs } from '../../../test/support/depth.js';
import { isOneLine } from '../text/one-line.js';
import { canonicalAddress, readMailAddress } from './mail-address.js';

describe('a mail address', () => {
  it.each([
    ['ada@example.com', 'ada@example.com'],
    ['Ada.L+x@EXAMPLE.com', 'Ada.L+x@example.com'],
    ['ada@localhost', 'ada@localhost'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ])('finds in %s the address %s', (text, address) => {
    expect(canonicalAddress(text)).toBe(address);
  });

  it.each([
    '',
    'ada',
    '@example.com',
    'ada@',
    'ada@@example.com',
    'ada@example.com, bob@example.com',
    'ada@example.com;bob@example.com',
    '<ada@example.com>',
    '"ada"@example.com',
    'a b@example.com',
    'ada@exam ple.com',
    'ada@example.com ',
    'ada@127.0.0.1',
    'ada@[127.0.0.1]',
    'ada@1',
    'ada@exa%6dple.com',
    'ada@example..com',
    'ada@-example.com',
    'ada@example.com:25',
    'ädä@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a'.repeat(64)}.com`,
    `a@${'abcdefgh.'.repeat(28)}com`,
  ])('is no address: %j', (text) => {
    expect(canonicalAddress(text)).toBeUndefined();
  });

  it('may have a name before it', () => {
    expect(readMailAddress('Ada Lovelace <ada@example.com>')).toEqual({
      name: 'Ada Lovelace',
      address: 'ada@example.com',
    });
    expect(readMailAddress('<ada@example.com>')).toEqual({ address: 'ada@example.com' });
    expect(readMailAddress('ada@example.com')).toEqual({ address: 'ada@example.com' });
  });

  it.each([
    'Ada <ada@example.com> x',
    'Ada <ada@example.com',
    'A <a@b.c>, B <b@b.c>',
    '"Ada" <ada@example.com>',
    'A\n<a@b.c>',
  ])('is in no other form: %j', (text) => {
    expect(readMailAddress(text)).toBeUndefined();
  });
});

describe('for any text', () => {
  const breaking = fc.constantFrom('\r', '\n', '\r\n', '\0', '\u2028', '\u0085', '\u007f', '\u202e');
  const parts = fc.array(
    fc.oneof(fc.string({ unit: codePoint }), fc.constantFrom('ada', '@', 'example.com', '<', '>')),
    {
      maxLength: 6,
    },
  );

  it('no accepted address can end its line or be more than one', () => {
    fc.assert(
      fc.property(parts, (pieces) => {
        const read = readMailAddress(pieces.join(''));
        if (read === undefined) return;
        expect(read.address).toMatch(/^[\x21-\x7e]+$/);
        expect(read.address).not.toMatch(/[<>",;:\\\s]/);
        expect(read.address.split('@')).toHaveLength(2);
        expect(isOneLine(read.name ?? '')).toBe(true);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('one with a line end anywhere is never accepted', () => {
    fc.assert(
      fc.property(fc.nat(26), breaking, (at, end) => {
        const text = 'Ada <ada@mail.example.com>';
        const broken = text.slice(0, at) + end + text.slice(at);
        expect(readMailAddress(broken)).toBeUndefined();
        expect(isOneLine(broken)).toBe(false);
      }),
    );
  });
});

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { codePoint } from '../../../test/support/any-json.js';
import { isTextRef, lineCountOf, mapTexts, referTo, sameText, textsAt } from './text.js';
import { fromWtf8, wtf8 } from './wtf8.js';

const anyText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));
const mixed = fc.oneof(
  anyText,
  fc.string({ unit: codePoint }),
  fc
    .array(fc.constantFrom('\ud800', '\udc00', '\ud83d\ude00', '\r\n', '\ufeff', '\ud7ff', '\ue000', 'í'))
    .map((parts) => parts.join('')),
);

describe('large texts', () => {
  it('are restored from their bytes code unit by code unit', () => {
    fc.assert(fc.property(mixed, (text) => fromWtf8(wtf8(text)) === text));
  });

  it('have different bytes if they differ', () => {
    fc.assert(fc.property(mixed, mixed, (one, other) => wtf8(one).equals(wtf8(other)) === (one === other)));
    expect(wtf8('\ud800').equals(wtf8('\ufffd'))).toBe(false);
  });

  it('have the digest of their UTF-8, so that any tool can check it', () => {
    const text = '\ufeffline one\r\nzwei ä 😀\n';
    expect(referTo(text)).toEqual({
      digest: createHash('sha256').update(text).digest('hex'),
      length: text.length,
      bytes: Buffer.byteLength(text),
      lines: 3,
    });
  });

  it('equal their references, and nothing else', () => {
    fc.assert(
      fc.property(mixed, mixed, (one, other) => {
        const same = one === other;
        expect(sameText(referTo(one), other)).toBe(same);
        expect(sameText(one, referTo(other))).toBe(same);
        expect(sameText(one, other)).toBe(same);
        expect(lineCountOf(referTo(one))).toBe(lineCountOf(one));
      }),
    );
  });

  it('are found and replaced at the named places only', () => {
    const value = {
      code: 'a',
      draft: { code: 'b', other: 'c' },
      items: [{ text: 'd' }, { text: null }, 'e'],
      name: 'f',
    };
    const places = ['code', 'draft.code', 'items.*.text', 'gone.code'];
    expect(textsAt(places, value)).toEqual(['a', 'b', 'd']);
    expect(mapTexts(places, value, (text) => `${text}!`)).toEqual({
      code: 'a!',
      draft: { code: 'b!', other: 'c' },
      items: [{ text: 'd!' }, { text: null }, 'e'],
      name: 'f',
    });
    expect(mapTexts(places, value, (text) => text)).toBe(value);
  });

  it.each([null, 'a', 1, {}, { digest: 'a' }, { digest: 5 }, []])('does not treat %j as a reference', (value) => {
    expect(isTextRef(value)).toBe(false);
  });
});

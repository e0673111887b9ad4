import { folded } from './folded.js';

describe('the folded form of a text', () => {
  it.each([
    ['ASCII', 'HeLLo 1!', 'hEllO 1!'],
    ['letters with marks', 'ÉÑ', 'éñ'],
    ['the three forms of sigma', 'ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['the long s', 'ſ', 'S'],
    ['the Kelvin sign', '\u212a', 'k'],
    ['sharp s, small and large', 'ß', 'ẞ'],
    ['letters beyond the first plane', '𐐀', '𐐨'],
    ['Cherokee, whose small letters came later', 'Ꭰ', 'ꭰ'],
  ])('is equal for %s', (_, one, other) => {
    expect(folded(one)).toBe(folded(other));
  });

  it.each([
    ['ss and sharp s', 'ss', 'ß'],
    ['i and the i without a dot', 'i', 'ı'],
    ['i and the large i with a dot', 'i', 'İ'],
    ['a letter with a mark, and the letter and the mark', 'é', 'e\u0301'],
  ])('differs for %s', (_, one, other) => {
    expect(folded(one)).not.toBe(folded(other));
  });

  it('is equal for all letters that JavaScript treats as equal with the flags i and u, and does not change when folded again', () => {
    const wrong: string[] = [];
    for (let code = 0; code <= 0x1ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const letter = String.fromCodePoint(code);
      const form = folded(letter);
      if (folded(form) !== form) wrong.push(`${code.toString(16)} is not stable`);
      for (const other of [letter.toLowerCase(), letter.toUpperCase(), letter.toUpperCase().toLowerCase()]) {
        if ([...other].length !== 1 || other === letter) continue;
        const isSame = new RegExp(`^\\u{${code.toString(16)}}$`, 'iu').test(other);
        if (isSame !== (folded(other) === form)) wrong.push(`${code.toString(16)} and ${other}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { currencyOf, decimalsOf, inPrint, mostMinorUnits } from './currency.js';

describe('a currency', () => {
  it.each([
    ['usd', 'usd'],
    ['USD', 'usd'],
    ['Jpy', 'jpy'],
    ['kwd', 'kwd'],
  ])('%s is a known currency: %s', (code, known) => {
    expect(currencyOf(code)).toBe(known);
  });

  it.each([
    '',
    'us',
    'usdd',
    'xyz',
    'xxx',
    'xau',
    'xts',
    'dem',
    '$',
    '€',
    ' usd',
    'u\u0000d',
    '\u212Arw',
    'uſd',
    '840',
  ])('%j is not a currency', (code) => {
    expect(currencyOf(code)).toBeUndefined();
  });

  it('is known to Intl as well', () => {
    const known = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()));
    // Currencies that are newer than some versions of Intl.
    for (const recent of ['xcg', 'zwg', 'sle', 'ves']) known.add(recent);
    const all = Array.from({ length: 26 ** 3 }, (_, n) =>
      [n / 676, (n / 26) % 26, n % 26].map((letter) => String.fromCharCode(97 + Math.floor(letter))).join(''),
    ).filter((code) => currencyOf(code) !== undefined);
    expect(all.length).toBeGreaterThan(150);
    expect(all.filter((code) => !known.has(code))).toEqual([]);
  });

  it('has its minor units', () => {
    expect(['usd', 'eur', 'jpy', 'krw', 'vnd', 'kwd', 'iqd', 'huf'].map((code) => decimalsOf(code))).toEqual([
      2, 2, 0, 0, 0, 3, 3, 2,
    ]);
  });

  it('is printed exactly', () => {
    expect(inPrint(1990, 'usd')).toBe('19.90 USD');
    expect(inPrint(5, 'usd')).toBe('0.05 USD');
    expect(inPrint(0, 'kwd')).toBe('0.000 KWD');
    expect(inPrint(500, 'jpy')).toBe('500 JPY');
    expect(inPrint(mostMinorUnits, 'usd')).toBe('90071992547409.91 USD');
  });
});

import { describe, expect, it } from '@jest/globals';
import { Redactor } from './redactor.js';

const hide = (text: string, ...values: readonly string[]) => new Redactor(values).text(text).value;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const base64url = (text: string) => Buffer.from(text).toString('base64url');

const value = 'p?>~ä/" %+w😀\\';

describe('Redactor', () => {
  it('replaces a value by three stars, wherever it is', () => {
    expect(hide('Bearer hunter2!', 'hunter2')).toBe('Bearer ***!');
    expect(hide('hunter2hunter2 xhunter2x', 'hunter2')).toBe('*** x***x');
  });

  it.each<[string, (value: string) => string]>([
    ['as it stands', (value) => value],
    ['in base64', (value) => base64(value)],
    ['in base64 without padding', (value) => base64(value).replaceAll('=', '')],
    ['in base64 for addresses', (value) => base64url(value)],
    ['in base64 with its letters percent-encoded', (value) => encodeURIComponent(base64(value))],
    ['in base64 with its slashes escaped', (value) => base64(value).replaceAll('/', '\\/')],
    ['in base64 on lines of eight', (value) => base64(value).replace(/.{8}(?=.)/g, '$&\r\n')],
    ['URL-encoded', (value) => encodeURIComponent(value)],
    [
      'URL-encoded in lower case',
      (value) => encodeURIComponent(value).replace(/%../g, (escaped) => escaped.toLowerCase()),
    ],
    ['URL-encoded in every letter', (value) => Buffer.from(value).toString('hex').replace(/../g, '%$&')],
    ['URL-encoded in some letters', (value) => encodeURI(value).replace('w', '%77')],
    ['in a form', (value) => new URLSearchParams({ a: value }).toString().slice(2)],
    ['in a JSON string', (value) => JSON.stringify(value).slice(1, -1)],
    ['in a JSON string in a JSON string', (value) => JSON.stringify(JSON.stringify(value)).slice(3, -3)],
    [
      'in a JSON string, in ASCII',
      (value) => value.replace(/["\\]|[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ],
    [
      'in a JSON string with each character escaped',
      (value) =>
        [...value]
          .flatMap((one) => one.split(''))
          .map((one) => `\\u${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`)
          .join(''),
    ],
    ['in a JSON string with its slashes escaped', (value) => JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/')],
    ['URL-encoded twice', (value) => encodeURIComponent(encodeURIComponent(value))],
    ['in hexadecimal digits', (value) => Buffer.from(value).toString('hex')],
    ['in hexadecimal digits, in capitals', (value) => Buffer.from(value).toString('hex').toUpperCase()],
    ['with HTML’s entities', (value) => value.replace(/[^\w]/gu, (one) => `&#${one.codePointAt(0)};`)],
    [
      'with HTML’s entities in hexadecimal',
      (value) => value.replace(/[^\w]/gu, (one) => `&#x${one.codePointAt(0)?.toString(16)};`),
    ],
    [
      'with HTML’s entities by name',
      (value) =>
        value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('>', '&gt;').replaceAll('/', '&sol;'),
    ],
    [
      'in a form, in a JSON string',
      (value) => new URLSearchParams({ a: value }).toString().slice(2).replaceAll('+', '\\u002B'),
    ],
  ])('hides a value %s, and a long one', (_, write) => {
    for (const hidden of [value, value.repeat(100)])
      expect(new Redactor([hidden]).text(`<${write(hidden)}>`)).toEqual({ value: '<***>', hid: true });
  });

  it.each([0, 1, 2, 3, 4, 5])('hides a value in the base64 of a longer text, %d bytes in', (before) => {
    const start = 'é!x.yz'.slice(0, before);
    const [from, to] = [Buffer.byteLength(start), Buffer.byteLength(start + value)];
    for (const encode of [base64, base64url]) {
      const whole = encode(`${start}${value} and after`);
      const expected = `${whole.slice(0, Math.floor((from * 8) / 6))}***${whole.slice(Math.ceil((to * 8) / 6))}`;
      expect(hide(`<${whole}>`, value)).toBe(`<${expected}>`);
    }
  });

  it.each([0, 1, 2, 3, 4, 5])('hides a value in the base64 of the base64 of a longer text, %d bytes in', (before) => {
    const inner = base64(`${'é!x.yz'.slice(0, before)}${value}!`);
    for (const outer of [base64(`a${inner}`), base64url(inner)])
      expect(hide(outer, value)).toMatch(/^[\w+/-]{0,12}\*{3}[\w+/=-]{0,8}$/);
  });

  it('hides a value in UTF-16, in text and in bytes', () => {
    for (const between of ['', '\0']) {
      const wide = `${between}<\0h\0u\0n\0t\0e\0r\x002\0>`;
      expect(hide(wide, 'hunter2')).not.toContain('h\0u');
    }
    for (const around of [Buffer.alloc(0), Buffer.from([0xff])]) {
      const wide = Buffer.from(`<${value}>`, 'utf16le');
      for (const written of [wide, Buffer.from(wide).swap16(), Buffer.from(`<${value}>`)]) {
        const { value: shown, hid } = new Redactor([value]).bytes(Buffer.concat([around, written, around]));
        expect([hid, Buffer.from(shown).includes('***'), shown.length < 12]).toEqual([true, true, true]);
      }
    }
  });

  it('returns the same bytes if nothing was hidden', () => {
    const bytes = Buffer.from([0, 255, 128]);
    expect(new Redactor([value]).bytes(bytes).value).toBe(bytes);
  });

  it('does not treat a list of letters as UTF-16', () => {
    expect(new Redactor(['hunter2']).json([...'hunter2']).hid).toBe(false);
  });

  it('hides the result of btoa for a value in Latin-1', () => {
    expect(hide(`<${btoa('ada:pässwörd')}>`, 'pässwörd')).toMatch(/^<YWRh\w?\*\*\*>$/);
  });

  it('hides a value in base64 that continues from a word before it', () => {
    for (const word of ['a', 'ab', 'abc', 'abcd']) expect(hide(word + base64('hunter2'), 'hunter2')).toBe(`${word}***`);
  });

  it.each(['aHVu!dGVyMg==', 'a!HVudGVyMg==', 'aHVud!GVyMg=='])('does not change interrupted base64: %s', (text) => {
    expect(hide(text, 'hunter2')).toBe(text);
    expect(hide(text.replace('!', '\n'), 'hunter2')).toBe('***');
  });

  it('hides the padding with the value, and no other equals sign', () => {
    expect(hide(`${base64('hunter2')} = 1`, 'hunter2')).toBe('*** = 1');
    expect(hide(`${base64('hunter22')}==`, 'hunter22')).toBe('***=');
  });

  it('hides a value that is sent without the white space around it, or on one line', () => {
    const key = ' -----BEGIN KEY-----\nAAAA\n-----END KEY-----\n';
    expect(hide('-----BEGIN KEY-----\nAAAA\n-----END KEY-----', key)).toBe('***');
    expect(hide('failed: -----BEGIN KEY----- AAAA -----END KEY-----', key)).toBe('failed: ***');
  });

  it('hides an escaped value behind the beginning of an escape that would take its first letter', () => {
    expect(hide('%4a%2Fb%3Dc', 'a/b=c')).toBe('%4***');
    expect(hide('%4a%2fb+c', 'a/b c')).toBe('%4***');
    expect(hide('\\n\\"ow!', 'n"ow!')).toBe('\\***');
    expect(hide('\\\\n\\\\\\"ow!', 'n"ow!')).toBe('\\\\***');
  });

  it('hides a value of characters of every length', () => {
    const characters = 'a\u007f\u0080\u07ff\u0800\ud7ff\ue000\uffff\u{10000}\u{10ffff}z';
    expect(hide(`ß${characters}→`, characters)).toBe('ß***→');
    expect(hide(`😀${characters.replaceAll('z', '\ud83dz')}\ude00`, characters.replaceAll('z', '\ud83dz'))).toBe(
      '😀***\ude00',
    );
  });

  it('hides values that overlap, contain one another and are adjacent', () => {
    expect(hide('xabcdefx', 'abcd', 'cdef')).toBe('x***x');
    expect(hide('xabcdefghx abcdx', 'cdef', 'abcdefgh', 'abcd')).toBe('x***x ***x');
    expect(hide('xabcdefghx', 'abcd', 'efgh')).toBe('x***x');
    expect(hide('abcdef', 'abcdefgh', 'bcde')).toBe('a***f');
    expect(hide('aaaaaaaaaa', 'aaaa')).toBe('***');
  });

  it('hides a value that results from hiding', () => {
    expect(hide('1abcd2', 'abcd', '1***2')).toBe('***');
    expect(hide('****', '****')).toBe('***');
    expect(hide(`${'1'.repeat(50)}abcd${'2'.repeat(50)}`, 'abcd', '1***2')).not.toContain('1***2');
  });

  it('does not hide values of fewer than four characters', () => {
    expect(hide('abc abcd', 'abc')).toBe('abc abcd');
    expect(hide('abc abcd', 'abcd')).toBe('abc ***');
    expect(hide('a b', '')).toBe('a b');
    expect(hide('ab x', 'ab\n\n')).toBe('ab x');
  });

  it('reports if it hid nothing, and returns its input', () => {
    const given = { a: ['text', 12345, null, true] };
    const { value: same, hid } = new Redactor(['hunter2']).json(given);
    expect([same === given, hid]).toEqual([true, false]);
    expect(new Redactor([]).text('hunter2')).toEqual({ value: 'hunter2', hid: false });
  });

  it('processes strings, numbers and names of a JSON value, and keeps it valid', () => {
    const given = {
      a: ['hunter2', { 'x-hunter2': 1, b: 'see hunter2' }],
      pin: 81934,
      n: 1,
      no: null,
      yes: true,
      'no"': 'e',
    };
    expect(new Redactor(['hunter2', '8193', '":"e']).json(given)).toEqual({
      value: { a: ['***', { 'x-***': 1, b: 'see ***' }], pin: '***4', n: 1, no: null, yes: true, 'no"': 'e' },
      hid: true,
    });
  });

  it('keeps a member called __proto__ as a member, and an omitted one omitted', () => {
    const given = { ...JSON.parse('{"__proto__": "hunter2"}'), b: undefined };
    Object.defineProperty(given, '__proto__', { value: 'hunter2', enumerable: true });
    expect(JSON.stringify(new Redactor(['hunter2']).json(given).value)).toBe('{"__proto__":"***"}');
  });

  it('finds no value across two texts of a JSON value', () => {
    expect(new Redactor(['hunter2']).json(['hun', 'ter2']).hid).toBe(false);
    expect(new Redactor(['ab\u0001cd']).json(['xab', 'cdx', 'y']).value).toEqual(['x***', '***x', 'y']);
  });

  it('takes time proportional to the text only, with any values', () => {
    const megabyte = 2 ** 20;
    const keys = Array.from({ length: 50 }, (_, at) => `key_${at}_${'0123456789'.repeat(3)}`);
    const alike = Array.from({ length: 50 }, (_, at) => `${'a'.repeat(9_900)}${at}`);
    const lines = '{"url":"https://x.test/?a=%20b+c","text":"a \\"quoted\\" line\\n"}'.repeat(megabyte / 64);
    for (const [values, text] of [
      [keys, lines],
      [alike, 'a'.repeat(megabyte)],
      [['1***2', 'abcd'], `${'1'.repeat(megabyte / 2)}abcd${'2'.repeat(megabyte / 2)}`],
    ] as const) {
      const started = performance.now();
      new Redactor(values).text(text);
      // Each case takes about 100 ms on an idle machine. Quadratic time would take minutes.
      expect(performance.now() - started).toBeLessThan(10_000);
    }
  });
});

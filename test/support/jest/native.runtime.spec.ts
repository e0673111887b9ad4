import { describe, expect, it } from '@jest/globals';

const specOf = (url: string) => new URL(url).search;

describe('a spec that Node loads', () => {
  it('shares the built-in classes with the assertions', () => {
    expect({ name: 'x', size: 1, of: {} }).toEqual({
      name: expect.any(String),
      size: expect.any(Number),
      of: expect.any(Object),
    });
    expect(() => JSON.parse('{')).toThrow(SyntaxError);
    expect(new Map([['a', new Set([1])]])).toStrictEqual(new Map([['a', new Set([1])]]));
    expect(structuredClone({ list: [1] })).toStrictEqual({ list: [1] });
    expect(new Error('one')).not.toEqual(new Error('other'));
  });

  it('has source positions in the stack traces of errors', () => {
    const line = 20;
    expect(new Error('here').stack).toMatch(new RegExp(`native\\.runtime\\.spec\\.ts(\\?spec=\\d+)?:${line}:`));
  });

  it('loads its imports from test/ itself, and the product only once for all specs', () => {
    expect(specOf(import.meta.url)).toMatch(/^\?spec=\d+$/);
    expect(specOf(import.meta.resolve('../eventually.js'))).toBe(specOf(import.meta.url));
    expect(specOf(import.meta.resolve('../../../src/kernel/event/event.js'))).toBe('');
  });

  it('has the test functions even without importing them', () => {
    const names = ['expect', 'it', 'describe'];
    expect(names.map((name) => Reflect.get(globalThis, name))).toEqual([expect, it, describe]);
  });
});

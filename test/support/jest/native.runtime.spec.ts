import { describe, expect, it } from '@jest/globals';

const specOf = (url: string) => new URL(url).search;

describe('a spec that Node loads', () => {
  it('shares the built-in classes with the expectations', () => {
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

  it('tells where in the source an error was made', () => {
    const line = 20;
    expect(new Error('here').stack).toMatch(new RegExp(`native\\.runtime\\.spec\\.ts(\\?spec=\\d+)?:${line}:`));
  });

  it('loads what it takes from the tests for itself, and the product once for all', () => {
    expect(specOf(import.meta.url)).toMatch(/^\?spec=\d+$/);
    expect(specOf(import.meta.resolve('../eventually.js'))).toBe(specOf(import.meta.url));
    expect(specOf(import.meta.resolve('../../../src/kernel/event/event.js'))).toBe('');
  });

  it('has the test functions also where it does not import them', () => {
    const names = ['expect', 'it', 'describe'];
    expect(names.map((name) => Reflect.get(globalThis, name))).toEqual([expect, it, describe]);
  });
});

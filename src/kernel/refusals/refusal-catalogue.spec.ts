import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { refusalOf } from './refusal.js';
import { type RefusalCode, refusals } from './refusal-catalogue.js';

const folder = import.meta.dirname;
/** What holds no list. */
const others = /^refusal(-|\.)/;

it('holds every code of every list, and none twice: of two, one would be told in the words of the other', async () => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && !others.test(file));
  const codes: string[] = [];
  for (const file of files) {
    const lists: Readonly<Record<string, object>> = await import(`./${file.replace(/\.ts$/, '.js')}`);
    codes.push(...Object.values(lists).flatMap(Object.keys));
  }
  expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
  expect(codes.toSorted()).toEqual(Object.keys(refusals).toSorted());
});

describe('a refusal of invalid input', () => {
  const about = { keys: [], roleIds: [], changes: [], chain: [] };
  const fixed = Object.entries(refusals).flatMap(([code, entry]) =>
    'at' in entry && entry.at !== null ? [[code as RefusalCode, entry.at] as const] : [],
  );

  it.each(fixed)('%s names the path %p that the catalogue gives it', (code, path) => {
    const told = refusalOf as (code: RefusalCode, about: object) => ReturnType<typeof refusalOf>;
    const { facts, message } = told(code, about);
    expect(facts).toEqual({ errors: [{ path, message }] });
  });

  it('names each path that it is given, and does not compile without one', () => {
    const { facts, message } = refusalOf('unknown-field', { names: 'a' }, { at: ['values.a', 'values.b'] });
    expect(facts).toEqual({
      errors: [
        { path: 'values.a', message },
        { path: 'values.b', message },
      ],
    });
    // @ts-expect-error: the catalogue knows no path that fits every call.
    expect(refusalOf('unknown-field', { names: 'a' }).code).toBe('unknown-field');
    // @ts-expect-error: other facts are no path.
    expect(refusalOf('unknown-field', { names: 'a' }, { fields: [] }).code).toBe('unknown-field');
  });
});

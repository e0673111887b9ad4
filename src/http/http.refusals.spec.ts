import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { notOfRights } from '../engine/explain/rights-decisions.js';
import type { RefusalEntry } from '../kernel/refusals/refusal.js';
import { type RefusalCode, refusalOf, refusals } from './http.refusals.js';

const src = join(import.meta.dirname, '..');

it("contains every code of every list once, because a repeated one would have the other's message", async () => {
  const all: Readonly<Record<string, object>> = refusals;
  const found = new Set<string>();
  for (const file of globSync('**/*.refusals.ts', { cwd: src })) {
    const { refusals: _, ...exported } = await import(`../${file.replace(/\.ts$/, '.js')}`);
    const lists = Object.entries<object>(exported).filter(([name]) => name.endsWith('Refusals'));
    expect([file, lists.length]).toEqual([file, 1]);
    for (const [code, entry] of lists.flatMap(([, list]) => Object.entries(list))) {
      found.add(code);
      if (all[code] !== entry)
        throw new Error(`${file} has ${code}, which another list has too or the catalogue lacks`);
    }
  }
  expect([...found].sort()).toEqual(Object.keys(all).sort());
});

it('contains the codes that any caller can get', () => {
  expect(notOfRights.filter((code) => !(code in refusals))).toEqual([]);
});

describe('a refusal of invalid input', () => {
  const about = { keys: [], roleIds: [], changes: [], chain: [] };
  const fixed = Object.entries<RefusalEntry<never>>(refusals).flatMap(([code, { at }]) =>
    typeof at === 'string' ? [[code as RefusalCode, at] as const] : [],
  );

  it.each(fixed)('%s names the path %p of the catalogue', (code, path) => {
    const told = refusalOf as (code: RefusalCode, about: object) => ReturnType<typeof refusalOf>;
    const { facts, message } = told(code, about);
    expect(facts).toEqual({ errors: [{ path, message }] });
  });

  it('names each given path, and does not compile without one', () => {
    const { facts, message } = refusalOf('unknown-field', { names: 'a' }, { at: ['values.a', 'values.b'] });
    expect(facts).toEqual({
      errors: [
        { path: 'values.a', message },
        { path: 'values.b', message },
      ],
    });
    // @ts-expect-error: the facts must include the path, because the catalogue does not contain it.
    expect(refusalOf('unknown-field', { names: 'a' }).code).toBe('unknown-field');
    // @ts-expect-error: there is no such code.
    expect(() => refusalOf('no-such-code')).toThrow(TypeError);
    // @ts-expect-error: the facts do not include the path.
    expect(refusalOf('unknown-field', { names: 'a' }, { fields: [] }).code).toBe('unknown-field');
  });
});

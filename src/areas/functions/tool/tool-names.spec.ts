import { describe, expect, it } from '@jest/globals';
import { longestSlug } from './tool-name.record.js';
import { slugsIn, toolNames } from './tool-names.js';

const name = (id: string, slug: string, position: number) => ({ id, workspaceId: 'ws', slug, position });
const named = (...known: Parameters<typeof toolNames>[0]) => Object.fromEntries(toolNames(known));

describe('names of tools', () => {
  it('are the slug of the name, which the first created of equal ones gets', () => {
    const known = [
      name('fn_00000000b', 'total', 7),
      name('fn_00000000a', 'total', 3),
      name('fn_00000000c', 'other', 9),
    ];
    expect(named(...known)).toEqual({
      fn_00000000a: 'function_total',
      fn_00000000b: 'function_total_0000000b',
      fn_00000000c: 'function_other',
    });
  });

  it('have a part of the id if the name has no ASCII letter', () => {
    expect(named(name('fn_00000000a', '', 3))).toEqual({ fn_00000000a: 'function__0000000a' });
  });

  it('are acceptable to clients, even the longest', () => {
    const all = named(
      name('fn_00000000a', 'x'.repeat(longestSlug), 1),
      name('fn_00000000b', 'x'.repeat(longestSlug), 2),
    );
    for (const one of Object.values(all)) expect(one).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  it('can be parsed again, and others cannot', () => {
    expect(slugsIn('function_total_0000000b')).toEqual([
      { slug: 'total_0000000b' },
      { slug: 'total', piece: '0000000b' },
    ]);
    expect(slugsIn('site_listPages')).toBeUndefined();
  });
});

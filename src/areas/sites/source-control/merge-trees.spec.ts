import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { GitTree } from '../../../ports/offloaded/git-repositories.port.js';
import { changedPaths, mergeTrees } from './merge-trees.js';

const tree = (files: Readonly<Record<string, string>>): GitTree =>
  new Map(Object.entries(files).map(([path, oid]) => [path, { oid, isExecutable: false }]));
const oids = (files: GitTree) => Object.fromEntries([...files].map(([path, { oid }]) => [path, oid]));

describe('three trees', () => {
  it('are merged by path', () => {
    const base = tree({ same: '1', ours: '1', theirs: '1', gone: '1', both: '1' });
    const merged = mergeTrees(
      base,
      tree({ same: '1', ours: '2', theirs: '1', gone: '1', both: '3', added: '1' }),
      tree({ same: '1', ours: '1', theirs: '2', both: '3', new: '1' }),
    );
    expect(merged.conflicts).toEqual([]);
    expect(oids(merged.tree)).toEqual({ same: '1', ours: '2', theirs: '2', both: '3', added: '1', new: '1' });
  });

  it.each([
    ['changed apart', { a: '2' }, { a: '3' }],
    ['changed and deleted', { a: '2' }, {}],
    ['deleted and changed', {}, { a: '3' }],
    ['added apart', { a: '1', b: '1' }, { a: '1', b: '2' }],
  ])('conflict where a file was %s', (_, ours, theirs) => {
    expect(mergeTrees(tree({ a: '1' }), tree(ours), tree(theirs)).conflicts).toHaveLength(1);
  });

  it("get one side's change if the other changed nothing, and the same whichever side is ours", () => {
    const any = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2', '3')).map(tree);
    fc.assert(
      fc.property(any, any, any, (base, ours, theirs) => {
        expect(oids(mergeTrees(base, ours, base).tree)).toEqual(oids(ours));
        expect(oids(mergeTrees(base, base, theirs).tree)).toEqual(oids(theirs));
        const [one, other] = [mergeTrees(base, ours, theirs), mergeTrees(base, theirs, ours)];
        expect(one.conflicts).toEqual(other.conflicts);
        if (one.conflicts.length === 0) expect(changedPaths(one.tree, other.tree)).toEqual([]);
      }),
    );
  });
});

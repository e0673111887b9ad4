import { describe, expect, it } from '@jest/globals';
import { refuse } from '../refusals/kernel.refusals.js';
import { checkOwners, type OwnedKind, ownersOf } from './owners.js';
import { plainRecord } from './plain-record.js';

const checking =
  (...kinds: readonly OwnedKind[]) =>
  () =>
    checkOwners(kinds, (category) => category !== 'unentered');
const indexed = { indexes: [{ fields: ['workspaceId', 'projectId'] }] };

describe('a record that names a project', () => {
  it.each([
    { category: 'leaf', collection: indexed },
    { category: 'leaf', collection: indexed, of: { appUser: 'userId' } },
  ] as const)('without a declaration of its deletion stops the start', (kind) => {
    expect(checking(kind)).toThrow(
      "The record leaf has a project, but does not declare whether it is deleted with it: add of: { project: 'projectId' } to its declaration, or of: { project: null } if it stays.",
    );
  });

  it.each([
    { category: 'leaf', collection: indexed, of: { project: 'projectId' } },
    { category: 'leaf', collection: indexed, of: { project: null } },
  ] as const)('with one is accepted', (kind) => {
    expect(checking(kind)).not.toThrow();
  });

  it('does not compile without one', () => {
    interface Leaf {
      readonly id: string;
      readonly workspaceId: string;
      readonly projectId: string;
      readonly createdAt: string;
    }
    const declare = () =>
      // @ts-expect-error: `of` is missing
      plainRecord<Leaf, { type: 'LeafGrown'; data: { projectId: string } }>()({
        category: 'ownerlessLeaf',
        auditedFor: 'site.read',
        shownBy: null,
        undoing: 'It stays.',
        missing: () => refuse('listed-secret-moved'),
        collection: { name: 'leaves', version: 1, indexes: [] },
        begins: { LeafGrown: {} },
        ends: [],
        also: {},
      });
    expect(declare).toBeInstanceOf(Function);
  });
});

describe('a record with an owner', () => {
  const unentered = { category: 'unentered', of: { appUser: 'userId', project: null } };

  it('without a declaration of its deletion stops the start', () => {
    expect(checking(unentered)).toThrow(
      'The record unentered is deleted with its appUser, but does not declare how: add endsWithOwners(…) to its slice.',
    );
  });

  it('is named with each other faulty one', () => {
    expect(checking(unentered, { category: 'leaf', collection: indexed })).toThrow(/unentered.*\n.*leaf/);
  });

  it('is deleted with the record whose id it has in a field', () => {
    expect(ownersOf(unentered)).toEqual([['appUser', 'userId']]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { plainRecord } from '../../kernel/record/plain-record.js';
import type { Document } from '../../kernel/record/projection.js';
import { record } from '../../kernel/record/record.js';
import { projectionsOf, providersOf, slice } from './slice.js';

interface Leaf extends Document {
  readonly createdAt: string;
}
const missing = (): never => {
  throw new Error('There is no such leaf.');
};
const leaves = plainRecord<Leaf, { type: 'LeafGrown'; data: object }>()({
  category: 'specLeaf',
  auditedFor: 'workspace.read',
  shownBy: null,
  undoing: 'Nothing of it can be undone.',
  missing,
  collection: { name: 'specLeaves', version: 2, indexes: [{ fields: ['workspaceId'] }] },
  begins: { LeafGrown: {} },
  ends: [],
  also: {},
});

class GrowLeaf {}
class Wind {}

describe('the table of contents of an area', () => {
  const contents = [slice(leaves, [GrowLeaf]), Wind, { provide: 'water', useValue: 1 }];

  it('contains what answers the operations of its nouns, and other providers', () => {
    expect(providersOf(contents)).toEqual([GrowLeaf, Wind, { provide: 'water', useValue: 1 }]);
  });

  it('gives the read model of every record, as the record declares it', () => {
    const [only, ...others] = projectionsOf('garden', contents);
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      name: 'specLeaves',
      area: 'garden',
      version: 2,
      collections: { specLeaves: { indexes: [{ fields: ['workspaceId'] }] } },
      reads: { types: ['LeafGrown'] },
      recordsOf: 'specLeaf',
    });
  });

  it('refuses a record without the collection of its documents', () => {
    const kept = record<Leaf, { type: 'LeafGrown'; data: object }>()({
      category: 'specKeptElsewhere',
      auditedFor: 'workspace.read',
      shownBy: null,
      undoing: 'Nothing of it can be undone.',
      missing,
      begins: { LeafGrown: (_, ids) => ({ ...ids, createdAt: '' }) },
      continues: {},
    });
    expect(() => slice(kept)).toThrow('The record specKeptElsewhere declares no collection.');
  });
});

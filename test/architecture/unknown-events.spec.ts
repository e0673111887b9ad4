import { describe, expect, it } from '@jest/globals';
import '../../src/app.module.js';
import type { RecordedEvent } from '../../src/kernel/event/event.js';
import type { Document } from '../../src/kernel/record/projection.js';
import { recordCategories, recordKind, recordsProjection } from '../../src/kernel/record/record.js';
import { beginsBeyondThisVersion, isBeyondThisVersion } from '../../src/kernel/record/understanding.js';
import { specMetadata } from '../support/given/given.js';

/** Every kind of record can meet events of a newer version, during a rolling upgrade and after a rollback. */
const kinds = [...recordCategories()].sort();

const unknownOf = (category: string, mustUnderstand?: true): RecordedEvent => ({
  id: '00000000-0000-4000-8000-000000000000',
  stream: `${category}-ws_1.id_1`,
  type: 'SomethingOfANewerVersion',
  revision: 1,
  position: 7,
  data: { name: 'another' },
  metadata: specMetadata({ ...(mustUnderstand && { mustUnderstand }) }),
});

const state: Document = { workspaceId: 'ws_1', id: 'id_1' };

it('cover all kinds of records', () => {
  expect(kinds.length).toBeGreaterThan(30);
});

describe.each(kinds)('a record of the kind %s', (category) => {
  const kind = recordKind(category);

  it('ignores an unknown event', () => {
    expect(kind?.evolve(state, unknownOf(category))).toBe(state);
    expect(kind?.evolve(undefined, unknownOf(category))).toBe(undefined);
    expect(isBeyondThisVersion(unknownOf(category))).toBe(false);
  });

  it('is set aside if the unknown event must be understood', () => {
    expect(isBeyondThisVersion(unknownOf(category, true))).toBe(true);
  });

  it('is not mistaken for deleted if it begins with an unknown event', () => {
    expect(beginsBeyondThisVersion({ ...unknownOf(category), revision: 0 })).toBe(true);
    expect(beginsBeyondThisVersion(unknownOf(category))).toBe(false);
    const first = kind?.firstTypes.filter((type) =>
      beginsBeyondThisVersion({ ...unknownOf(category), revision: 0, type }),
    );
    expect(first).toEqual([]);
  });

  it('knows all the events that it declares', () => {
    const beyond = kind?.types.filter((type) => isBeyondThisVersion({ ...unknownOf(category, true), type }));
    expect(beyond).toEqual([]);
  });

  it('leaves its document unchanged on an unknown event', () => {
    if (kind?.collection === undefined) return;
    const changes = recordsProjection(kind, kind.collection).changes(unknownOf(category));
    const [change] = changes;
    expect(changes.length).toBeLessThanOrEqual(1);
    if (change?.kind === 'step') expect(change.step(state)).toBe(state);
  });
});

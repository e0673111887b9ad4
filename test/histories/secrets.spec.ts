import { describe, expect, it } from '@jest/globals';
import '../../src/areas/areas.module.js';
import type { Document } from '../../src/kernel/record/projection.js';
import { recordCategories, recordKind } from '../../src/kernel/record/record.js';
import { historiesOf } from './histories.js';

/** Members that contain the id of a vault entry. */
const named = ['passwordId', 'valueId', 'secretId'];

function secretsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    named.includes(name) && typeof member === 'string' ? [member] : secretsIn(member),
  );
}

const kinds = recordCategories().flatMap((category) => recordKind(category) ?? []);
const withSecrets = kinds.filter(({ inner }) => inner?.some((name) => named.includes(name)));

describe('secrets that recorded events name', () => {
  it('are declared by every record that has such members', () => {
    expect(withSecrets.filter(({ secrets }) => secrets === undefined).map(({ category }) => category)).toEqual([]);
    expect(withSecrets).toHaveLength(7);
  });

  it.each(withSecrets.map((kind) => [kind.category, kind] as const))(
    'are retained after each event of a %s as long as it refers to them, and no longer',
    (category, kind) => {
      let seen = 0;
      for (const { recorded } of historiesOf(category)) {
        const held = new Map<string, Set<string>>();
        const states = new Map<string, Document | undefined>();
        for (const { event } of recorded) {
          if (!event.stream.startsWith(`${category}-`)) continue;
          const { stream } = event;
          const ofRecord = held.get(stream) ?? new Set();
          held.set(stream, ofRecord);
          const { keeps = [], ends, destroys = [] } = kind.secrets?.fateIn(event) ?? {};
          for (const id of [...keeps, ...(ends === undefined ? [] : [ends.secretId])]) ofRecord.add(id);
          for (const id of destroys) ofRecord.delete(id);
          const state = kind.evolve(states.get(stream), event);
          states.set(stream, state);
          // A restored record refers to secrets that were destroyed when it was deleted.
          if ('restores' in event.data) break;
          expect([...ofRecord].sort()).toEqual([...new Set(secretsIn(state))].sort());
          seen += keeps.length;
        }
      }
      expect(seen).toBeGreaterThan(0);
    },
  );
});

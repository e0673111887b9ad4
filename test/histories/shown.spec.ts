import { describe, expect, it } from '@jest/globals';
import '../../src/areas/areas.module.js';
import { recordShown } from '../../src/engine/records/record-views.js';
import type { RecordedEvent } from '../../src/kernel/event/event.js';
import { differences } from '../../src/kernel/record/difference.js';
import { eventWords } from '../../src/kernel/record/event-words.js';
import type { Document } from '../../src/kernel/record/projection.js';
import { recordCategories, recordKind } from '../../src/kernel/record/record.js';
import { historiesOf } from './histories.js';

/** Internal members for look-ups and the vault. They are in no answer and in no past state that the audit shows. */
const inner = /^(workspaceId|tokenHash|keyHash|addressHash|secretId|secretIds|passwordId|valueId|bytesId)$/;
const text = (value: unknown) => (typeof value === 'string' ? value : 'a large text');

function membersOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(membersOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...membersOf(member)]);
}

describe('recorded histories, as the audit shows them', () => {
  it.each(recordCategories())('%s: what it was has no inner members, and every event has words', (category) => {
    const kind = recordKind(category);
    if (kind === undefined) throw new Error(`${category} is no kind of record.`);
    const seen: string[] = [];
    for (const { recorded } of historiesOf(category)) {
      let state: Document | undefined;
      for (const { event } of recorded) {
        if (!event.stream.startsWith(`${category}-`)) continue;
        const before = state;
        state = kind.evolve(state, event as RecordedEvent);
        if (state !== undefined) {
          const shown = recordShown(kind, state, text);
          expect(membersOf(shown).filter((name) => inner.test(name))).toEqual([]);
        }
        const step = state === undefined ? 'ends' : before === undefined ? 'begins' : 'changes';
        const changes = differences(before ?? {}, state ?? {});
        const said = state === undefined ? undefined : kind.sentenceOf?.(event, state);
        const words = said ?? eventWords(event.type, step, changes, kind.inner);
        expect(words).toMatch(/^[A-Z][^\n]{3,600}$/);
        expect(words).not.toMatch(
          /tokenHash|keyHash|addressHash|secretId|passwordId|valueId|bytesId|undefined|object Object/,
        );
        seen.push(words);
      }
    }
    expect(seen.length).toBeGreaterThan(0);
    expect(seen).toMatchSnapshot();
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { commandRunner } from '../../../test/support/given/command-runner.js';
import { EmbeddedEventStore } from '../../adapters/event-store/embedded/embedded-event-store.adapter.js';
import { SystemIds } from '../../adapters/system/system-ids.adapter.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { Document } from '../../kernel/record/projection.js';
import { record } from '../../kernel/record/record.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import type { Appended, EventStore } from '../../ports/event-store.port.js';
import type { Vault } from '../../ports/vault.port.js';
import { Calls } from '../operation/calls.js';
import type { ExpectedState, OperationContext } from '../operation/operation-context.js';
import { CommandRunner } from './command-runner.js';

interface Note extends Document {
  readonly at: string;
  readonly edits: number;
}
type NoteEvent = DomainEvent<'NoteMade', object> | DomainEvent<'NoteEdited', object>;

const notes = record<Note, NoteEvent>()({
  category: 'specNote',
  auditedFor: 'workspace.read',
  shownBy: null,
  undoing: 'Nothing of it can be undone.',
  missing: () => {
    throw new Error('There is no such note.');
  },
  begins: { NoteMade: ({ metadata }, ids) => ({ ...ids, at: metadata.at, edits: 0 }) },
  continues: { NoteEdited: (note, { metadata }) => ({ ...note, at: metadata.at, edits: note.edits + 1 }) },
});

let directory: string;
let store: EmbeddedEventStore;
let clock: MadeUpClock;
let calls: Calls;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'command-runner-'));
  store = new EmbeddedEventStore({ directory });
  clock = new MadeUpClock();
  calls = new Calls(clock, new SystemIds(clock), { derive: (text: string) => text } as Vault);
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const runnerOn = (events: EventStore) => commandRunner({ events, calls, clock, ids: new SystemIds(clock) });
const actor = { kind: 'system', id: 'system', name: 'spec' } as const;
const sameCall = () =>
  calls.derived({
    workspaceId: 'ws',
    actor,
    operation: 'spec',
    from: 'one',
    correlationId: 'c',
    causationId: null,
    notBefore: -1,
  });
const make = (runner: CommandRunner, id = 'n') =>
  runner.change(calls.once('ws', actor, 'spec'), {
    aggregate: notes,
    id,
    begins: true,
    decide: () => [{ type: 'NoteMade' as const, data: {} }],
  });
const edit = (runner: CommandRunner) =>
  runner.change(sameCall(), { aggregate: notes, id: 'n', decide: () => [{ type: 'NoteEdited' as const, data: {} }] });

describe('a command executed by two processes at once', () => {
  test.each([
    ['finds that it is', 1],
    ['does not find that it is', 2],
  ])('is recorded once, and the one that %s answers and remembers the recorded result', async (_, staleReads) => {
    const first = runnerOn(store);
    await make(first);
    // The second command reads the stream before the first one records its event, and appends afterwards.
    let reads = 0;
    let before: Awaited<ReturnType<EventStore['readStream']>> = [];
    const late = Object.create(store, {
      readStream: {
        value: async (...asked: Parameters<EventStore['readStream']>) => {
          reads += 1;
          if (reads === 1) {
            before = await store.readStream(...asked);
            clock.advance(5_000);
            await edit(first);
          }
          return reads <= staleReads ? before : store.readStream(...asked);
        },
      },
    }) as EventStore;
    const second = runnerOn(late);
    const answered = await edit(second);
    const [, edited, ...more] = await store.readStream('specNote-ws.n');
    expect(more).toEqual([]);
    expect(answered).toMatchObject({ at: edited?.metadata.at, edits: 1 });
    expect(await second.find(notes, 'ws', 'n')).toEqual(await first.find(notes, 'ws', 'n'));
  });
});

describe('a change based on the state that its process knows', () => {
  const counting = () => {
    let reads = 0;
    const events = Object.create(store, {
      readStream: {
        value: (...asked: Parameters<EventStore['readStream']>) => {
          reads += 1;
          return store.readStream(...asked);
        },
      },
    }) as EventStore;
    return { runner: runnerOn(events), reads: () => reads };
  };
  const editUpTo = (runner: CommandRunner, most: number) =>
    runner.change(calls.once('ws', actor, 'spec'), {
      aggregate: notes,
      id: 'n',
      trustsKnown: true,
      decide: (note) => ((note?.edits ?? 0) < most ? [{ type: 'NoteEdited' as const, data: {} }] : []),
    });

  test('reads nothing if it is the only writer', async () => {
    const { runner, reads } = counting();
    await make(runner);
    const before = reads();
    expect((await editUpTo(runner, 9))?.edits).toBe(1);
    expect((await editUpTo(runner, 9))?.edits).toBe(2);
    expect(reads()).toBe(before);
  });

  test('is decided again if another wrote, and before it concludes that there is nothing to record', async () => {
    const [one, other] = [runnerOn(store), runnerOn(store)];
    await make(one);
    await editUpTo(other, 9);
    expect((await editUpTo(one, 9))?.edits).toBe(2);
    await editUpTo(other, 9);
    await editUpTo(other, 9);
    expect((await editUpTo(one, 2))?.edits).toBe(4);
  });
});

describe('several changes in a store that appends one request after another', () => {
  const ids = ['a', 'b', 'c'];
  const noteStream = (id: string) => `specNote-ws.${id}`;
  /** Returns a runner. Before the second request of its first append, another writer changes the second note. */
  const interrupted = async () => {
    const other = runnerOn(store);
    for (const id of ids) await make(other, id);
    let requested = 0;
    const events = Object.create(store, {
      append: {
        value: async (requests: Parameters<EventStore['append']>[0]) => {
          const appended: Appended[] = [];
          for (const request of requests) {
            requested += 1;
            if (requested === 2) await editAll(other, calls.once('ws', actor, 'spec'), ['b'], 1);
            appended.push(...(await store.append([request])));
          }
          return appended;
        },
      },
    }) as EventStore;
    return runnerOn(events);
  };
  const editAll = (runner: CommandRunner, call: OperationContext, edited: readonly string[], mostOfB: number) =>
    runner.changeAll<Note | undefined, NoteEvent>(
      call,
      edited.map((id) => ({
        aggregate: notes,
        id,
        decide: (note) => {
          if ((note?.edits ?? 0) >= (id === 'b' ? mostOfB : 1)) throw new Refusal('full', 'conflict', `${id} is full.`);
          return [{ type: 'NoteEdited', data: {} }];
        },
      })),
    );
  const recordedBy = async ({ commandId }: OperationContext) => {
    const streams = await Promise.all(ids.map((id) => store.readStream(noteStream(id))));
    return streams.map((stream) => stream.filter(({ metadata }) => metadata.commandId === commandId).length);
  };

  describe.each([
    ['a call that is not repeatable', () => calls.once('ws', actor, 'spec')],
    ['the first attempt of a repeatable call', () => ({ ...sameCall(), firstTime: true })],
  ])('by %s', (_, begin) => {
    test('are each recorded once if another writer changes one of the records meanwhile', async () => {
      const runner = await interrupted();
      const call = begin();
      expect(await editAll(runner, call, ids, 2)).toMatchObject([{ edits: 1 }, { edits: 2 }, { edits: 1 }]);
      expect(await recordedBy(call)).toEqual([1, 1, 1]);
    });

    test('meet the expected revision of a record that the interrupted append changed', async () => {
      const runner = await interrupted();
      const expected: ExpectedState = { stream: noteStream('a'), revision: 0, moved: () => undefined as never };
      await editAll(runner, { ...begin(), expects: [expected] }, ids, 2);
      expect(expected.met).toBe(true);
    });

    test('are refused as after an effect if that change forbids one of them', async () => {
      const runner = await interrupted();
      const call = begin();
      await expect(editAll(runner, call, ids, 1)).rejects.toMatchObject({ message: 'b is full.', after: 'part' });
      expect(await recordedBy(call)).toEqual([1, 0, 0]);
    });
  });
});

describe('many simultaneous commands on one record', () => {
  test('are each recorded after at most one conflict', async () => {
    let appends = 0;
    const events = Object.create(store, {
      append: {
        value: (...asked: Parameters<EventStore['append']>) => {
          appends += 1;
          return store.append(...asked);
        },
      },
    }) as EventStore;
    const runner = runnerOn(events);
    await make(runner);
    appends = 0;
    await Promise.all(
      Array.from({ length: 50 }, () =>
        runner.change(calls.once('ws', actor, 'spec'), {
          aggregate: notes,
          id: 'n',
          decide: () => [{ type: 'NoteEdited' as const, data: {} }],
        }),
      ),
    );
    expect((await runner.find(notes, 'ws', 'n'))?.edits).toBe(50);
    expect(appends).toBeLessThanOrEqual(100);
  });
});

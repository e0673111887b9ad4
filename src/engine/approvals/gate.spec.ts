import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { commandRunner } from '../../../test/support/given/command-runner.js';
import { TextsInMemory } from '../../../test/support/given/texts-in-memory.js';
import { EmbeddedEventStore } from '../../adapters/event-store/embedded/embedded-event-store.adapter.js';
import { SystemIds } from '../../adapters/system/system-ids.adapter.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import { record } from '../../kernel/record/record.js';
import { type Undo, undoOf } from '../../kernel/record/undo.js';
import type { ReadStore } from '../../ports/read-store.port.js';
import type { Vault } from '../../ports/vault.port.js';
import { AggregateLoader } from '../commands/aggregate-loader.js';
import { CommandRunner } from '../commands/command-runner.js';
import { RecordTexts } from '../commands/record-texts.js';
import { Calls } from '../operation/calls.js';
import { PendingApproval } from '../operation/pending-approval.js';
import { ReadModels } from '../read-models/read-models.js';
import type { ReadYourWrites } from '../read-models/read-your-writes.js';
import { refuse } from '../refusals/engine.refusals.js';
import type { Reads } from '../scopes/reads.js';
import { ChangeTargets } from './change-targets.js';
import { Gate } from './gate.js';
import type { GatedDocument, GatedKind, Outcome } from './gated-kind.js';
import { PendingChanges, type Proposal } from './pending-changes.js';

interface Door extends GatedDocument {
  readonly name: string;
  readonly undo: Undo | null;
  readonly keys: readonly string[];
  readonly before: readonly string[];
}
type DoorEvent =
  | DomainEvent<'DoorMade', object>
  | DomainEvent<'DoorKeysGiven', { readonly keys: readonly string[] }>
  | DomainEvent<'DoorKeysTaken', { readonly keys: readonly string[]; readonly undo: Undo }>
  | DomainEvent<'DoorUndone', { readonly undo: string }>;

const doors = record<Door, DoorEvent>()({
  category: 'specDoor',
  auditedFor: 'workspace.read',
  shownBy: null,
  undoing: 'Nothing of it can be undone.',
  missing: () => refuse('resource-not-found'),
  begins: { DoorMade: (_, ids) => ({ ...ids, name: 'Gate', keys: ['a', 'b'], before: [], undo: null }) },
  continues: {
    DoorKeysGiven: (door, { data }) => ({ ...door, keys: data.keys, undo: null }),
    DoorKeysTaken: (door, { data }) => ({ ...door, keys: data.keys, before: door.keys, undo: data.undo }),
    DoorUndone: (door) => ({ ...door, keys: door.before, undo: null }),
  },
});

const base = (keys: readonly string[]) => keys.join('+');

const gatedDoors: GatedKind<Door, DoorEvent> = {
  aggregate: doors,
  collection: 'specDoors',
  noun: 'door',
  shown: ({ id, keys }) => ({ id, keys }),
  baseOf: ({ keys }) => base(keys),
  formerBaseOf: ({ name, keys }) => `${name}: ${base(keys)}`,
  askingOf: ({ id }, { input }) => ({ operation: 'spec/setKeys', input: { id, ...input } }),
  async application(_, { input }) {
    return { decide: () => [{ type: 'DoorKeysGiven', data: { keys: input['keys'] as readonly string[] } }] };
  },
  undone: (undo) => ({ type: 'DoorUndone', data: { undo } }),
};

class HeldCards extends PendingChanges {
  readonly proposals: Proposal[] = [];
  override async propose(_: unknown, proposal: Proposal) {
    this.proposals.push(proposal);
    return { pendingChange: {} as never, approveLink: '/card' };
  }
  override async waiting() {
    return undefined;
  }
}

let directory: string;
let store: EmbeddedEventStore;
let clock: MadeUpClock;
let calls: Calls;
let runner: CommandRunner;
let gate: Gate;
let cards: HeldCards;
let targets: ChangeTargets;
const actor = { kind: 'system', id: 'system', name: 'spec' } as const;
const call = () => calls.once('ws', actor, 'spec');
const door = { kind: 'specDoor', id: 'd', name: 'Gate' };

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gate-'));
  store = new EmbeddedEventStore({ directory });
  clock = new MadeUpClock();
  const ids = new SystemIds(clock);
  calls = new Calls(clock, ids, { derive: (text: string) => text } as Vault);
  runner = commandRunner({ events: store, calls, clock, ids });
  const reads = { get: (_: string, __: string, id: string) => runner.find(doors, 'ws', id) } as unknown as Reads;
  cards = new HeldCards();
  const texts = new RecordTexts(new TextsInMemory());
  gate = new Gate(runner, reads, cards, texts);
  const loader = new AggregateLoader(store, {} as ReadStore, new ReadModels([]), {} as ReadYourWrites);
  targets = new ChangeTargets(runner, reads, clock, texts, loader);
  targets.register(gatedDoors);
  await runner.change(call(), {
    aggregate: doors,
    id: 'd',
    begins: true,
    decide: () => [{ type: 'DoorMade' as const, data: {} }],
  });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

function setKeys({ name, keys }: Door, wanted: readonly string[]): Outcome<DoorEvent> {
  const left = keys.filter((key) => wanted.includes(key));
  const undo = undoOf({ name }, 'The door lost keys.', { undoId: 'undo_1', now: clock.now() });
  return {
    events: left.length === keys.length ? [] : [{ type: 'DoorKeysTaken', data: { keys: left, undo } }],
    ...(wanted.every((key) => left.includes(key))
      ? {}
      : {
          proposal: {
            kind: 'door-keys',
            summary: 'Give the door keys.',
            changes: [{ path: 'keys', from: left, to: wanted }],
            approver: 'editor',
            input: { keys: wanted },
          },
        }),
  };
}

const ask = (wanted: readonly string[]) =>
  gate.change(call(), gatedDoors, { id: 'd', decide: (now) => setKeys(now, wanted), extra: { ignored: ['z'] } });
const keysNow = async () => (await runner.find(doors, 'ws', 'd'))?.keys;
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    ({ code }: { readonly code: string }) => code,
  );
const card = (keys: readonly string[], standsOn: readonly string[]) => ({
  kind: 'door-keys',
  base: base(standsOn),
  input: { keys },
});

describe('a change that may need a card', () => {
  test('applies removals at once, and answers how to undo them', async () => {
    const expiresAt = new Date(clock.now() + 24 * 3_600_000).toISOString();
    expect(await ask(['a'])).toEqual({ id: 'd', keys: ['a'], undo: { id: 'undo_1', expiresAt }, ignored: ['z'] });
    expect(cards.proposals).toEqual([]);
    expect(await keysNow()).toEqual(['a']);
  });

  test('puts the rest on a card, based on what remains', async () => {
    const answer = await ask(['a', 'c']);
    expect(answer).toBeInstanceOf(PendingApproval);
    expect((answer as PendingApproval).body).toMatchObject({ keys: ['a'], ignored: ['z'], approveLink: '/card' });
    expect(cards.proposals).toMatchObject([
      { kind: 'door-keys', target: { kind: 'specDoor', id: 'd', name: 'Gate' }, base: 'a' },
    ]);
    expect(await keysNow()).toEqual(['a']);
  });
});

describe('an approved change', () => {
  test('is applied to its base', async () => {
    await targets.apply(call(), door, card(['a', 'b', 'c'], ['a', 'b']));
    expect(await keysNow()).toEqual(['a', 'b', 'c']);
    expect(await targets.currentValues('ws', door, {}, ['keys', 'other'])).toEqual({
      keys: ['a', 'b', 'c'],
      other: null,
    });
  });

  test('is applied to no other state', async () => {
    expect(await refusal(targets.apply(call(), door, card(['c'], ['a'])))).toBe('pending-change-moved');
    expect(await keysNow()).toEqual(['a', 'b']);
  });

  test('is applied to the base of a card in an older log', async () => {
    await targets.apply(call(), door, { ...card(['c'], []), base: 'Gate: a+b' });
    expect(await keysNow()).toEqual(['c']);
  });

  test('shows what has changed, by whom and when: the last change outside its base', async () => {
    const asked = card(['a', 'b', 'c'], ['a', 'b']);
    expect(await targets.moved('ws', door, asked)).toBeUndefined();
    await ask(['a']);
    await targets.undo(call(), door, 'undo_1');
    expect(await targets.moved('ws', door, asked)).toBeUndefined();
    await targets.apply(call(), door, card(['c'], ['a', 'b']));
    await targets.apply(call(), door, card(['d'], ['c']));
    const minute = new Date(clock.now()).toISOString().slice(0, 16).replace('T', ' at ');
    expect(await targets.moved('ws', door, asked)).toBe(
      `'Gate' changed after this card was made (door keys given: keys[0] from "a" to "c" and keys[1] from "b" to nothing, by spec on ${minute} UTC), so the card is void.`,
    );
  });

  test('can be requested again with an operation of its kind', async () => {
    const again = targets.asking('ws', door, { kind: 'door-keys', input: { keys: ['c'] }, changes: [] });
    expect(await again).toEqual({ operation: 'spec/setKeys', input: { id: 'd', keys: ['c'] } });
  });

  test('finds nothing if its target is deleted', async () => {
    const gone = { ...door, id: 'gone' };
    expect(await targets.moved('ws', gone, card([], []))).toMatch(/^The record has changed since this card was made/);
    expect(await targets.currentValues('ws', gone, {}, ['keys'])).toBeUndefined();
  });
});

describe('undo', () => {
  test('restores what was removed, once', async () => {
    await ask(['a']);
    expect(await targets.isAvailable('ws', door, 'undo_1')).toBe(true);
    await targets.undo(call(), door, 'undo_1');
    expect(await keysNow()).toEqual(['a', 'b']);
    expect(await targets.isAvailable('ws', door, 'undo_1')).toBe(false);
    expect(await refusal(targets.undo(call(), door, 'undo_1'))).toBe('undo-unavailable');
  });

  test('ends with the next change', async () => {
    await ask(['a']);
    await targets.apply(call(), door, card(['c'], ['a']));
    expect(await refusal(targets.undo(call(), door, 'undo_1'))).toBe('undo-unavailable');
  });

  test('ends at its time', async () => {
    await ask(['a']);
    clock.advance(24 * 3_600_000 - 1);
    expect(await targets.isAvailable('ws', door, 'undo_1')).toBe(true);
    clock.advance(1);
    expect(await targets.isAvailable('ws', door, 'undo_1')).toBe(false);
    expect(await refusal(targets.undo(call(), door, 'undo_1'))).toBe('undo-unavailable');
    expect(await keysNow()).toEqual(['a']);
  });
});

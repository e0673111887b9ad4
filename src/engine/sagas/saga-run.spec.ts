import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { specAt } from '../../../test/support/given/given.js';
import { nameOf, SagaScene } from '../../../test/support/given/saga-scene.js';
import { auditSealed } from '../../kernel/audit-chain/signed-head.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import { VaultUnavailable } from '../../ports/vault.port.js';
import { sagaBuild } from './parked-events.js';
import type { Saga } from './saga.js';

let scene: SagaScene;
let done: string[];
let tried: string[];
let bad: Set<string>;
beforeEach(() => {
  scene = new SagaScene();
  done = [];
  tried = [];
  bad = new Set();
});
afterEach(() => scene.close());

const name = 'things-are-followed';

function meet(event: RecordedEvent): void {
  tried.push(nameOf(event));
  if (bad.has(nameOf(event))) throw new Error(`The thing cannot be followed.`);
  if (scene.vaultTrouble !== undefined) throw scene.vaultTrouble;
  done.push(nameOf(event));
}

const inTurns: Saga = { name, reads: ['ThingDone'], react: async (event) => meet(event) };
const atOnce: Saga = { ...inTurns, atOnce: 10 };
const together: Saga = {
  ...inTurns,
  reactToAll: async (events) => {
    const before = done.length;
    try {
      for (const event of events) meet(event);
    } catch (error) {
      done.splice(before);
      throw error;
    }
  },
};

describe.each([
  ['one after the other', inTurns],
  ['several at once', atOnce],
  ['many together', together],
] as const)('a saga that reacts to events %s', (_, saga) => {
  it('parks one that fails, makes later ones of its subject wait, and continues with all others', async () => {
    bad.add('a1');
    for (const [thing, event] of ['a0', 'b0', 'a1', 'b1', 'a2', 'c0', 'a3', 'b2'].map((one) => [one[0] ?? '', one])) {
      await scene.record(thing ?? '', event ?? '');
    }
    const run = await scene.start(saga);
    await scene.until(() => done.includes('b2') && run.parkedEvents.length === 3);
    expect(done.toSorted()).toEqual(['a0', 'b0', 'b1', 'b2', 'c0']);
    expect(tried.filter((one) => one === 'a1').length).toBeGreaterThanOrEqual(3);
    expect(tried).not.toContain('a2');
    await scene.until(async () => (await scene.parked(name)).length === 3);
    expect(await scene.parked(name)).toEqual([
      ['thing-ws.a', 2, expect.stringContaining('The thing cannot be followed.')],
      ['thing-ws.a', 4, null],
      ['thing-ws.a', 6, null],
    ]);
    expect(run.trouble).toBeUndefined();
  });

  it('processes parked events, in order, when an operator asks for it', async () => {
    bad.add('a0');
    const at = await scene.record('a', 'a0');
    const run = await scene.start(saga);
    await scene.record('a', 'a1');
    await scene.record('b', 'b0');
    await scene.until(() => done.includes('b0') && run.parkedEvents.length === 2);
    await scene.retry(name, [at]);
    await scene.until(() => (run.parkedEvents[0]?.tries ?? 0) > 3, 0);
    expect(done).toEqual(['b0']);
    bad.clear();
    await scene.retry('another-saga');
    await scene.retry(name);
    await scene.until(() => run.parkedEvents.length === 0, 0);
    await scene.record('a', 'a2');
    await scene.until(() => done.includes('a2'));
    expect(done).toEqual(['b0', 'a0', 'a1', 'a2']);
    expect(await scene.parked(name)).toEqual([]);
  });

  it('keeps parked events over a restart, and tries them when it starts', async () => {
    bad.add('a0');
    await scene.record('a', 'a0');
    const first = await scene.start(saga);
    await scene.record('a', 'a1');
    await scene.until(() => first.parkedEvents.length === 2);
    await scene.until(async () => (await scene.parked(name)).length === 2);
    await first.stop();
    const second = await scene.start(saga);
    await scene.record('a', 'a2');
    await scene.until(() => second.parkedEvents.length === 3);
    expect(done).toEqual([]);
    await second.stop();
    bad.clear();
    await scene.start(saga);
    await scene.until(() => done.length === 3);
    expect(done).toEqual(['a0', 'a1', 'a2']);
    await scene.until(async () => (await scene.parked(name)).length === 0);
  });

  it('retries them by itself after some time', async () => {
    bad.add('a0');
    await scene.record('a', 'a0');
    const run = await scene.start(saga);
    await scene.until(() => run.parkedEvents.length === 1);
    bad.clear();
    await scene.until(() => done.includes('a0'), 10_000);
  });

  it('parks nothing while a store is away, however long, and continues when it is back', async () => {
    scene.vaultTrouble = new VaultUnavailable('The vault is away.');
    await scene.record('a', 'a0');
    await scene.record('b', 'b0');
    const run = await scene.start(saga);
    await scene.until(() => tried.length > 0);
    for (let minute = 0; minute < 60; minute += 1) {
      scene.clock.advance(60_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([done, run.parkedEvents, await scene.parked(name)]).toEqual([[], [], []]);
    scene.vaultTrouble = undefined;
    await scene.until(() => done.length === 2);
    expect(done).toEqual(['a0', 'b0']);
  });
});

describe('a saga', () => {
  it('stores its position when it stops, and does not react to the same events again', async () => {
    const first = await scene.start(inTurns);
    let last = -1;
    for (const one of ['a0', 'b0', 'a1']) last = await scene.record(one[0] ?? '', one);
    await scene.until(() => done.length === 3);
    await first.stop();
    expect(await scene.store.checkpoint(sagaBuild(name))).toBe(last);
    await scene.start(inTurns);
    await scene.record('b', 'b1');
    await scene.until(() => done.includes('b1'));
    expect(done).toEqual(['a0', 'b0', 'a1', 'b1']);
  });

  it('never moves back when a parked event is done', async () => {
    bad.add('a0');
    const run = await scene.start(inTurns);
    await scene.record('a', 'a0');
    await scene.until(() => run.parkedEvents.length === 1);
    bad.clear();
    const asked = scene.retry(name);
    const last = await scene.record('b', 'b0');
    await asked;
    await scene.until(() => done.includes('a0') && done.includes('b0') && run.parkedEvents.length === 0, 0);
    await run.stop();
    expect(await scene.store.checkpoint(sagaBuild(name))).toBeGreaterThanOrEqual(last);
    expect(await scene.parked(name)).toEqual([]);
  });

  it('stops at once while it waits for a store', async () => {
    scene.vaultTrouble = new VaultUnavailable('The vault is away.');
    await scene.record('a', 'a0');
    const run = await scene.start(inTurns);
    await scene.until(() => tried.length > 0);
    await run.stop();
    expect(done).toEqual([]);
  });

  it('makes events wait behind others with the same subject', async () => {
    bad.add('a0');
    const saga: Saga = { ...inTurns, subjectOf: (event) => nameOf(event).slice(1) };
    const run = await scene.start(saga);
    for (const one of ['a0', 'b0', 'a1', 'c0']) await scene.record(one[0] ?? '', one);
    await scene.until(() => done.includes('a1') && run.parkedEvents.length === 3);
    expect(done).toEqual(['a1']);
  });

  it('spends no more pauses on new subjects if many are parked already', async () => {
    for (let number = 0; number < 12; number += 1) {
      bad.add(`x${number}`);
      await scene.record(`s${number}`, `x${number}`);
    }
    const run = await scene.start(inTurns);
    await scene.until(() => run.parkedEvents.length === 12);
    expect(tried.filter((one) => one === 'x0')).toHaveLength(3);
    expect(tried.filter((one) => one === 'x11')).toHaveLength(1);
  });

  it('drops a parked event that retention has removed from the log', async () => {
    bad.add('a0');
    await scene.record('a', 'a0');
    await scene.record('a', 'a1');
    const run = await scene.start(inTurns);
    await scene.until(() => run.parkedEvents.length === 2);
    await scene.events.truncate('thing-ws.a', 1);
    await scene.retry(name);
    await scene.until(() => run.parkedEvents.length === 0);
    expect(done).toEqual(['a1']);
  });

  it('loses nothing if the commit of a parked event is interrupted', async () => {
    bad.add('a0');
    await scene.record('a', 'a0');
    await scene.record('b', 'b0');
    const commit = scene.store.commit.bind(scene.store);
    let cuts = 0;
    scene.store.commit = async (...args) => {
      if (args[3].length > 0 && cuts++ < 1) throw new Error('This process is dead.');
      return commit(...args);
    };
    const run = await scene.start(inTurns);
    await scene.until(async () => (await scene.parked(name)).length === 1);
    expect([cuts > 1, new Set(done)]).toEqual([true, new Set(['b0'])]);
    await scene.until(() => run.trouble === undefined);
  });
});

describe('a saga that skips history', () => {
  const saga: Saga = { ...inTurns, skipsHistory: true };
  const ago = (hours: number) => new Date(Date.parse(specAt) - hours * 3_600_000).toISOString();

  it('begins with the last hour of the log if the read store has no checkpoint, and then skips nothing', async () => {
    await scene.record('a', 'a0', 'ThingDone', ago(31 * 24));
    await scene.record('audit', 'seal', auditSealed, ago(31 * 24));
    await scene.record('b', 'b0', 'ThingDone', ago(1.1));
    await scene.record('a', 'a1', 'ThingDone', ago(0.9));
    await scene.record('b', 'b1', 'ThingDone', ago(0.5));
    await scene.record('b', 'newest', 'OtherThingDone');
    const first = await scene.start(saga);
    await scene.until(() => done.includes('b1'));
    await first.stop();
    expect(done).toEqual(['a1', 'b1']);
    await scene.record('a', 'a2', 'ThingDone', ago(31 * 24));
    await scene.record('b', 'newer', 'OtherThingDone');
    await scene.start(saga);
    await scene.until(() => done.includes('a2'));
    expect(done).toEqual(['a1', 'b1', 'a2']);
  });

  it('stores where it began, so that it skips nothing that is recorded after that', async () => {
    await scene.record('a', 'a0', 'ThingDone', ago(31 * 24));
    await scene.record('audit', 'seal', auditSealed, ago(31 * 24));
    const newest = await scene.record('b', 'newest', 'OtherThingDone');
    const first = await scene.start(saga);
    await first.stop();
    expect([done, await scene.store.checkpoint(sagaBuild(name))]).toEqual([[], newest - 1]);
    await scene.record('a', 'a1');
    await scene.record('b', 'newer', 'OtherThingDone', ago(-24));
    await scene.start(saga);
    await scene.until(() => done.includes('a1'));
    expect(done).toEqual(['a1']);
  });

  it('stores a position before its first event, so that it does not skip that event later', async () => {
    const other = await scene.record('b', 'b0', 'OtherThingDone');
    const first = await scene.start(saga);
    await scene.until(() => first.position >= other);
    await first.stop();
    await scene.record('a', 'a0', 'ThingDone', ago(2));
    await scene.record('b', 'newest', 'OtherThingDone');
    await scene.start(saga);
    await scene.until(() => done.includes('a0'));
  });

  it('skips nothing if sagas run for the first time, hours after the first events', async () => {
    await scene.record('a', 'a0', 'ThingDone', ago(5));
    await scene.record('b', 'b0', 'ThingDone', ago(0.5));
    await scene.record('b', 'newest', 'OtherThingDone');
    await scene.record('audit', 'seal', auditSealed);
    await scene.start(saga);
    await scene.until(() => done.includes('b0'));
    expect(done).toEqual(['a0', 'b0']);
  });

  it('begins with the first event of an empty log', async () => {
    await scene.start(saga);
    await scene.record('a', 'a0', 'ThingDone', ago(31 * 24));
    await scene.until(() => done.includes('a0'));
  });
});

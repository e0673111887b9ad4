import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import type { Batch } from 'kafkajs';
import { MadeUpClock } from '../../../../../test/support/clocks/made-up-clock.js';
import { runs } from '../../../../../test/support/depth.js';
import type { Message } from '../../../../ports/messages.port.js';
import { envelopeOf, kafkaRecordOf } from '../cloud-event.js';
import { GroupShare } from './group-share.js';

Logger.overrideLogger(false);

const partitions = [0, 1];
const keys = ['a', 'b', 'c', 'd'];
const partitionOf = (key: string) => keys.indexOf(key) % partitions.length;
const mostOfKey = 3;
/** More than all messages of a partition, so fetching never pauses. */
const mostQueued = mostOfKey * keys.length + 1;

interface Work {
  readonly key: string;
  readonly n: number;
  state: 'queued' | 'running' | 'done';
  by: Member | undefined;
}

class World {
  readonly clock = new MadeUpClock();
  readonly work: Work[] = [];
  readonly records: Message[][] = partitions.map(() => []);
  readonly committed = partitions.map(() => 0);
  readonly members: Member[] = [];
  readonly begun: Work[] = [];
  paused = false;
  private answered = Promise.withResolvers<void>();

  accept(key: string, isPublished: boolean): void {
    this.work.push({ key, n: this.work.length, state: 'queued', by: undefined });
    if (isPublished) this.publish({ id: `m${this.work.length - 1}`, key, value: {} });
  }

  get isOver(): boolean {
    const isCommitted = this.records.every(({ length }, partition) => this.committed[partition] === length);
    return isCommitted && this.work.every(({ state }) => state === 'done');
  }

  publish(message: Message): void {
    this.records[partitionOf(message.key)]?.push(message);
  }

  /**
   * Publishes the oldest unfinished work of each key again. Work that a removed member had begun is treated as queued.
   */
  settle(): void {
    for (const { by, ...one } of this.work) {
      const work = this.work[one.n];
      if (work?.state === 'running' && by !== undefined && !this.members.includes(by)) work.state = 'queued';
    }
    for (const key of keys) {
      const first = this.work.find((one) => one.key === key && one.state !== 'done');
      if (first !== undefined) this.publish({ id: `m${first.n}`, key, value: {}, again: true });
    }
  }

  queued = async (key: string, _known: readonly Message[], limit: number): Promise<readonly Message[]> => {
    const found = this.work.filter((one) => one.key === key && one.state !== 'done').slice(0, limit);
    await this.answered.promise;
    return found.map(({ n }) => ({ id: `m${n}`, key, value: {} }));
  };

  answer(): void {
    this.answered.resolve();
    this.answered = Promise.withResolvers<void>();
  }

  rebalance(first: number): void {
    for (const member of this.members) member.share.joining();
    for (const [at, member] of this.members.entries()) {
      member.join(partitions.filter((partition) => (partition + first) % this.members.length === at));
    }
  }
}

class Member {
  readonly share: GroupShare;
  readonly inHand: { readonly work: Work; readonly end: (error?: Error) => void }[] = [];
  private readonly at = new Map<number, number>();
  private dead = false;

  constructor(
    private readonly world: World,
    private readonly name: string,
  ) {
    const consumer = {
      topic: 'work',
      concurrency: 2,
      handle: (message: Message) => this.handle(message),
      queued: world.queued,
    };
    this.share = new GroupShare({ consumer, clock: world.clock, mostQueued, mostOfKey });
  }

  join(mine: readonly number[]): void {
    const before = new Set(this.at.keys());
    for (const partition of before) if (!mine.includes(partition)) this.at.delete(partition);
    const kept = new Set(this.share.assignedPartitions());
    this.share.joined(this.name, mine, {
      pause: () => {
        this.world.paused = true;
      },
      resume: () => undefined,
      seek: (partition, offset) => void this.at.set(partition, offset),
      commit: async (offsets) => {
        if (this.dead) return;
        for (const { partition, offset } of offsets) {
          if (this.at.has(partition)) this.world.committed[partition] = offset;
        }
      },
    });
    for (const partition of mine) {
      if (!kept.has(partition)) this.at.set(partition, this.world.committed[partition] ?? 0);
    }
  }

  fetch(most: number): void {
    for (const [partition, from] of this.at) {
      const records = this.world.records[partition] ?? [];
      const some = records.slice(from, from + most);
      if (some.length === 0) continue;
      const messages = some.map((message, n) => ({
        ...kafkaRecordOf(message.key, envelopeOf('t', message, 0)),
        key: Buffer.from(message.key),
        value: Buffer.from(JSON.stringify(envelopeOf('t', message, 0))),
        offset: String(from + n),
      }));
      this.at.set(partition, from + some.length);
      this.share.enqueue({
        partition,
        messages,
        lastOffset: () => String(from + some.length - 1),
        firstOffset: () => String(from),
        highWatermark: String(records.length),
      } as unknown as Batch);
    }
  }

  kill(): void {
    this.dead = true;
    this.at.clear();
  }

  private handle({ id }: Message): Promise<void> {
    if (this.dead) return new Promise(() => undefined);
    const work = this.world.work[Number(id.slice(1))];
    if (work === undefined || work.state === 'done') return Promise.resolve();
    if (work.state === 'running') return Promise.reject(new Error('It is in other hands.'));
    work.state = 'running';
    work.by = this;
    if (!this.world.begun.includes(work)) this.world.begun.push(work);
    return new Promise((resolve, reject) => {
      this.inHand.push({
        work,
        end: (error) => {
          work.state = error === undefined ? 'done' : 'queued';
          if (error === undefined) resolve();
          else reject(error);
        },
      });
    });
  }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

type Step =
  | { readonly do: 'accept'; readonly key: string; readonly count: number; readonly lost: boolean }
  | { readonly do: 'fetch'; readonly most: number }
  | { readonly do: 'end'; readonly who: number; readonly fails: boolean }
  | { readonly do: 'join' | 'kill' | 'settle' | 'rebalance'; readonly who: number }
  | { readonly do: 'time' | 'answer' };

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('accept' as const),
    key: fc.constantFrom(...keys),
    count: fc.integer({ min: 1, max: 12 }),
    lost: fc.boolean(),
  }),
  fc.record({ do: fc.constant('fetch' as const), most: fc.integer({ min: 1, max: 8 }) }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), who: fc.nat(2), fails: fc.boolean() }) },
  fc.record({
    do: fc.constantFrom('join' as const, 'kill' as const, 'settle' as const, 'rebalance' as const),
    who: fc.nat(2),
  }),
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('time' as const, 'answer' as const) }) },
);

const moves = fc.array(steps, { minLength: 10, maxLength: 80, size: 'max' });

async function take(world: World, step: Step): Promise<void> {
  const { members } = world;
  switch (step.do) {
    case 'accept':
      for (let n = 0; n < step.count; n++) world.accept(step.key, !step.lost);
      break;
    case 'fetch':
      for (const member of members) member.fetch(step.most);
      break;
    case 'end':
      members[step.who % members.length]?.inHand.shift()?.end(step.fails ? new Error('not now') : undefined);
      break;
    case 'join':
      if (members.length < 3) members.push(new Member(world, `member-${Math.random()}`));
      world.rebalance(step.who);
      break;
    case 'kill':
      if (members.length > 1) members.splice(step.who % members.length, 1)[0]?.kill();
      world.rebalance(step.who);
      break;
    case 'rebalance':
      world.rebalance(step.who);
      break;
    case 'settle':
      world.settle();
      break;
    case 'answer':
      world.answer();
      break;
    case 'time':
      world.clock.advance(1_000);
  }
  for (let turn = 0; turn < 3; turn++) await settled();
}

async function played(made: readonly Step[]): Promise<World> {
  const world = new World();
  world.members.push(new Member(world, 'member-0'));
  world.rebalance(0);
  for (const move of made) await take(world, move);
  // One call is enough: it publishes the oldest unfinished message of each key again, and look-ups then find the key's
  // other messages.
  world.settle();
  for (let round = 0; round < 400 && !world.isOver; round++) {
    await take(world, { do: 'fetch', most: 50 });
    await take(world, { do: 'answer' });
    for (const member of world.members) for (const { end } of member.inHand.splice(0)) end();
    world.clock.advance(60_000);
    await settled();
  }
  return world;
}

describe('queues of keys', () => {
  it('do all work in order of its key, and never stop fetching for good: over losses, kills and rebalances', () =>
    fc.assert(
      fc.asyncProperty(moves, async (made) => {
        const world = await played(made);
        expect(world.work.filter(({ state }) => state !== 'done')).toEqual([]);
        expect(world.paused).toBe(false);
        expect(world.isOver).toBe(true);
      }),
      { numRuns: runs(300) },
    ));

  it('keep the order of a key if nothing is lost on the brokers', () =>
    fc.assert(
      fc.asyncProperty(moves, async (made) => {
        const world = await played(made.map((move) => (move.do === 'accept' ? { ...move, lost: false } : move)));
        for (const key of keys) {
          const order = world.begun.filter((one) => one.key === key).map(({ n }) => n);
          expect(order).toEqual([...order].sort((one, other) => one - other));
        }
      }),
      { numRuns: runs(300) },
    ));
});

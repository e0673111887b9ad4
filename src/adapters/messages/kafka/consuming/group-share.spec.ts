import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Batch, Kafka } from 'kafkajs';
import { MadeUpClock } from '../../../../../test/support/clocks/made-up-clock.js';
import type { Message } from '../../../../ports/messages.port.js';
import { envelopeOf, envelopeSource, kafkaRecordOf } from '../cloud-event.js';
import { type Fetching, GroupShare } from './group-share.js';
import { fetchingOf } from './topic-consumer.js';

const mostQueued = 4;

/**
 * In kafkajs, a partition remains paused until it is resumed, even if another member had the partition in the meantime.
 */
class Connection implements Fetching {
  readonly paused = new Set<number>();
  pause = (partition: number) => void this.paused.add(partition);
  resume = (partition: number) => void this.paused.delete(partition);
  readonly sought: (readonly [number, number])[] = [];
  seek = (partition: number, offset: number) => void this.sought.push([partition, offset]);
  commit = async () => undefined;
}

let share: GroupShare;
let connection: Connection;
let finish: (() => void)[];
beforeEach(() => {
  finish = [];
  connection = new Connection();
  const handle = () => new Promise<void>((resolve) => finish.push(resolve));
  const consumer = { topic: 'work', concurrency: 1, handle };
  share = new GroupShare({ consumer, clock: new MadeUpClock(), mostQueued });
});

function join(partitions: readonly number[], joins = 1): void {
  for (let n = 0; n < joins; n++) share.joining();
  share.joined('member-1', partitions, connection);
}

function fetch(partition: number, from: number, count: number): void {
  const records = Array.from({ length: count }, (_, n) =>
    kafkaRecordOf(`ws/f${partition}`, envelopeOf('t', { id: `m${from + n}`, key: 'k', value: {} }, 0)),
  );
  take(records, partition, from);
}

function take(records: readonly object[], partition = 0, from = 0): void {
  const end = from + records.length;
  share.enqueue({
    partition,
    messages: records.map((record, n) => ({ ...record, offset: String(from + n) })),
    lastOffset: () => String(end - 1),
    firstOffset: () => String(from),
    highWatermark: String(end),
  } as unknown as Batch);
}

describe('a share of a topic', () => {
  it('fetches a partition again that returns after it was paused and given away', () => {
    join([0, 1]);
    fetch(0, 0, mostQueued);
    expect([...connection.paused]).toEqual([0]);
    join([1]);
    join([0, 1]);
    expect([...connection.paused]).toEqual([]);
  });

  it('fetches its partitions again after it joined twice in one rebalance and dropped waiting messages', () => {
    join([0]);
    fetch(0, 0, mostQueued);
    join([0], 2);
    expect([...connection.paused]).toEqual([]);
  });

  it('stays paused over a rebalance without a change, until half of its work is done', async () => {
    join([0]);
    fetch(0, 0, mostQueued);
    join([0]);
    expect([...connection.paused]).toEqual([0]);
    for (let n = 0; n < mostQueued / 2; n++) {
      finish.shift()?.();
      await new Promise(setImmediate);
    }
    expect([...connection.paused]).toEqual([]);
  });

  it('continues with its messages after kafkajs has stopped the consumer, and fetches again once it joins', async () => {
    join([0]);
    fetch(0, 0, mostQueued);
    const stopped = fetchingOf(new Kafka({ brokers: ['localhost:9092'] }).consumer({ groupId: 'work' }), 'work');
    Object.assign(connection, { pause: stopped.pause, resume: stopped.resume });
    for (let n = 0; n < mostQueued; n++) {
      expect(finish).toHaveLength(1);
      finish.shift()?.();
      await new Promise(setImmediate);
    }
    expect(share.waiting).toBe(0);
    connection = new Connection();
    connection.pause(0);
    join([0]);
    expect([...connection.paused]).toEqual([]);
  });

  describe('that dropped waiting messages, when a fetch from before arrives', () => {
    it('seeks back to what it dropped', () => {
      join([0]);
      fetch(0, 0, 2);
      join([0], 2);
      fetch(0, 2, 2);
      expect(connection.sought).toEqual([[0, 0]]);
    });

    it('seeks back even if the fetch returned messages that it had seen before', () => {
      join([0]);
      fetch(0, 0, 3);
      // The new connection begins at the committed offset, so it receives the unfinished messages again.
      join([0]);
      fetch(0, 0, 1);
      join([0], 2);
      fetch(0, 1, 1);
      expect(connection.sought).toEqual([[0, 0]]);
    });

    it('seeks back even if it joined once more before the fetch arrived', () => {
      join([0]);
      fetch(0, 0, 2);
      join([0], 2);
      join([0], 2);
      fetch(0, 2, 2);
      expect(connection.sought).toEqual([[0, 0]]);
    });

    it('continues where others have left off, beyond everything that it had', () => {
      join([0]);
      fetch(0, 0, 2);
      join([]);
      join([0]);
      fetch(0, 7, 2);
      expect(connection.sought).toEqual([]);
    });
  });
});

describe('messages of another log', () => {
  const begun: string[] = [];
  const from = (source: string | undefined, id: string) =>
    kafkaRecordOf('ws/f', envelopeOf('t', { id, key: 'k', value: {} }, 0, source));

  it('are skipped, but not those of an earlier version without a log', async () => {
    const handle = async ({ id }: Message) => void begun.push(id);
    const consumer = { topic: 'work', concurrency: 1, handle };
    const clock = new MadeUpClock();
    share = new GroupShare({ consumer, clock, mostQueued: 9, source: () => envelopeSource('log_ours') });
    join([0]);
    const sources = [
      envelopeSource('log_ours'),
      envelopeSource('log_other'),
      envelopeSource(),
      envelopeSource('log_other'),
    ];
    take(sources.map((source, n) => from(source, `m${n}`)));
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    expect(begun).toEqual(['m0', 'm2']);
    expect(share.waiting).toBe(0);
  });
});

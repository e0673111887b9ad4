import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import type { ICustomPartitioner } from 'kafkajs';
import { takes } from '../../../../../test/support/clocks/delays.js';
import { eventually } from '../../../../../test/support/eventually.js';
import { AcknowledgedPartitions } from './acknowledged-partitions.js';
import { type Produce, refusingLast, waitForWholeBatches } from './batch-acknowledgement.js';

const load = createRequire(import.meta.url);
const createRetry = load('kafkajs/src/retry') as (options: object) => object;
const sendMessages = load('kafkajs/src/producer/sendMessages') as (parts: object) => (batch: object) => Promise<Answer>;
type Answer = Parameters<AcknowledgedPartitions['areAllIn']>[0];

interface TopicData {
  readonly partitions: readonly {
    readonly partition: number;
    readonly messages: readonly { readonly value: string }[];
  }[];
}

class TwoBrokers {
  readonly recorded: string[] = [];
  private killed = false;
  private readonly first = {
    nodeId: '1',
    produce: ({ topicData }: { topicData: readonly TopicData[] }) => this.record(topicData),
  };
  private readonly second = { nodeId: '2', produce: () => this.kill() };

  readonly cluster = {
    addMultipleTargetTopics: async () => undefined,
    refreshMetadataIfNecessary: async () => undefined,
    refreshMetadata: async () => undefined,
    isConnected: () => true,
    findTopicPartitionMetadata: () => [{ partitionId: 0 }, { partitionId: 1 }],
    findLeaderForPartitions: () => (this.killed ? { 1: [0, 1] } : { 1: [0], 2: [1] }),
    findBroker: async ({ nodeId }: { readonly nodeId: string }) => (nodeId === '1' ? this.first : this.second),
  };

  private async record(topicData: readonly TopicData[]) {
    const partitions = topicData.flatMap((one) => one.partitions);
    this.recorded.push(...partitions.flatMap(({ messages }) => messages.map(({ value }) => value)));
    return {
      topics: [{ topicName: 'work', partitions: partitions.map(({ partition }) => ({ partition, errorCode: 0 })) }],
    };
  }

  private async kill() {
    await new Promise(setImmediate);
    this.killed = true;
    throw Object.assign(new Error('The broker is not the leader.'), { name: 'KafkaJSProtocolError', retriable: true });
  }
}

function send(brokers: Pick<TwoBrokers | NotLeadingYet, 'cluster'>, createPartitioner: ICustomPartitioner) {
  const logger = { debug: () => undefined, error: () => undefined };
  const eosManager = {
    acquireBrokerLock: async () => undefined,
    releaseBrokerLock: async () => undefined,
    isTransactional: () => false,
    getSequence: () => 0,
    updateSequence: () => undefined,
    getProducerId: () => -1,
    getProducerEpoch: () => 0,
  };
  const partitioner = createPartitioner();
  const retrier = createRetry({ retries: 3, initialRetryTime: 1 });
  const sending = sendMessages({ logger, cluster: brokers.cluster, partitioner, eosManager, retrier });
  const messages = ['0', '1'].map((value) => ({ value, partition: Number(value) }));
  return sending({ acks: -1, timeout: 1_000, topicMessages: [{ topic: 'work', messages }] });
}

/** The first broker responds slowly; the second refuses its part at first, because it is not the leader yet. */
class NotLeadingYet {
  readonly recorded: string[] = [];
  inHand = 0;
  private leads = false;

  readonly cluster;

  constructor(wrap: (produce: Produce<unknown>) => Produce<unknown>) {
    const produce = wrap(async (asked) => {
      const { topicData } = asked as { readonly topicData: readonly TopicData[] };
      const partitions = topicData.flatMap((one) => one.partitions);
      const isSecond = partitions.some(({ partition }) => partition === 1);
      if (isSecond && !this.leads) {
        this.leads = true;
        throw Object.assign(new Error('Not the leader yet.'), { name: 'KafkaJSProtocolError', retriable: true });
      }
      this.inHand += 1;
      await takes(20);
      this.inHand -= 1;
      this.recorded.push(...partitions.flatMap(({ messages }) => messages.map(({ value }) => value)));
      return {
        topics: [{ topicName: 'work', partitions: partitions.map(({ partition }) => ({ partition, errorCode: 0 })) }],
      };
    });
    const brokers = new Map(['1', '2'].map((nodeId) => [nodeId, { nodeId, produce }]));
    this.cluster = {
      addMultipleTargetTopics: async () => undefined,
      refreshMetadataIfNecessary: async () => undefined,
      refreshMetadata: async () => undefined,
      isConnected: () => true,
      findTopicPartitionMetadata: () => [{ partitionId: 0 }, { partitionId: 1 }],
      findLeaderForPartitions: () => ({ 1: [0], 2: [1] }),
      findBroker: async ({ nodeId }: { readonly nodeId: string }) => brokers.get(nodeId),
    };
  }
}

const allAnswered = (brokers: NotLeadingYet) =>
  eventually(
    async () => brokers.inHand,
    (inHand) => inHand === 0,
  );

describe('kafkajs, if one broker refuses its part of a batch before another has answered', () => {
  it('records the other part twice, unless refusals wait for all answers', async () => {
    const { partitioner } = new AcknowledgedPartitions();
    const asItIs = new NotLeadingYet((produce) => produce);
    await send(asItIs, partitioner);
    await allAnswered(asItIs);
    expect(asItIs.recorded).toEqual(['0', '0', '1']);
    const waiting = new NotLeadingYet(refusingLast);
    await send(waiting, partitioner);
    await allAnswered(waiting);
    expect(waiting.recorded).toEqual(['0', '1']);
  });

  it('refuses when all have refused', async () => {
    const produce = refusingLast(async () => {
      throw new Error('not now');
    });
    const parts = [1, 2, 3].map(() => produce.call(undefined, { producerId: 7 }));
    const refused = { status: 'rejected', reason: new Error('not now') };
    expect(await Promise.allSettled(parts)).toEqual([refused, refused, refused]);
  });

  it('is patched once, in the class of its brokers', () => {
    waitForWholeBatches();
    const { prototype } = load('kafkajs/src/broker') as { readonly prototype: { readonly produce: unknown } };
    const { produce } = prototype;
    expect(produce).toHaveProperty('isWhole', true);
    waitForWholeBatches();
    expect(prototype.produce).toBe(produce);
  });
});

describe('kafkajs, if a broker dies and one that has acknowledged its own part takes over', () => {
  it('reports success for records that it never sent, which is detected', async () => {
    const brokers = new TwoBrokers();
    const acknowledged = new AcknowledgedPartitions();
    const answer = await send(brokers, acknowledged.partitioner);
    expect(brokers.recorded).toEqual(['0']);
    expect(acknowledged.areAllIn(answer)).toBe(false);
    acknowledged.begin();
    expect(acknowledged.areAllIn(await send(brokers, acknowledged.partitioner))).toBe(true);
    expect(brokers.recorded).toEqual(['0', '0', '1']);
  });
});

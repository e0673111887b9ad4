import { type ICustomPartitioner, Partitioners, type RecordMetadata } from 'kafkajs';

/**
 * Records which partitions of a batch were acknowledged, because success that kafkajs reports is not enough. When a
 * broker is lost, its partitions get a new leader. If the new leader has already acknowledged partitions of its own,
 * kafkajs does not send it those of the lost broker, but still reports success.
 */
export class AcknowledgedPartitions {
  private readonly chosen = new Set<string>();
  private readonly counts = new Map<string, number>();
  private counted = true;

  readonly partitioner: ICustomPartitioner = () => {
    const choose = Partitioners.DefaultPartitioner();
    return (args) => {
      const partition = choose(args);
      const { length } = args.partitionMetadata;
      // If the number of partitions changes while a batch is sent, the retry can choose a partition that has been
      // acknowledged without this message. So the batch is not treated as acknowledged.
      this.counted &&= (this.counts.get(args.topic) ?? length) === length;
      this.counts.set(args.topic, length);
      this.chosen.add(`${args.topic} ${partition}`);
      return partition;
    };
  };

  /** Must be called before each batch. */
  begin(): void {
    this.chosen.clear();
    this.counts.clear();
    this.counted = true;
  }

  areAllIn(answer: readonly Pick<RecordMetadata, 'topicName' | 'partition'>[]): boolean {
    const named = new Set(answer.map(({ topicName, partition }) => `${topicName} ${partition}`));
    return this.counted && [...this.chosen].every((one) => named.has(one));
  }
}

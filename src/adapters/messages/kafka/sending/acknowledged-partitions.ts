import { type ICustomPartitioner, Partitioners, type RecordMetadata } from 'kafkajs';

/**
 * Records which partitions of a batch were acknowledged. When a broker is lost, kafkajs sends its partitions to their
 * new leader, unless that leader has already acknowledged partitions of its own. In that case, kafkajs omits them and
 * reports success.
 */
export class AcknowledgedPartitions {
  private readonly chosen = new Set<string>();
  private readonly counts = new Map<string, number>();
  private counted = true;

  /** Chooses partitions as kafkajs does by default, and records the choice. */
  readonly partitioner: ICustomPartitioner = () => {
    const choose = Partitioners.DefaultPartitioner();
    return (args) => {
      const partition = choose(args);
      const { length } = args.partitionMetadata;
      // If the number of partitions changes while a batch is sent, a retried message may go to a partition that was
      // acknowledged without the message. So the batch is not treated as acknowledged.
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

  /** Whether the answer acknowledges every partition that was sent. */
  areAllIn(answer: readonly Pick<RecordMetadata, 'topicName' | 'partition'>[]): boolean {
    const named = new Set(answer.map(({ topicName, partition }) => `${topicName} ${partition}`));
    return this.counted && [...this.chosen].every((one) => named.has(one));
  }
}

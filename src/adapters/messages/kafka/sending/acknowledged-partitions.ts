import { type ICustomPartitioner, Partitioners, type RecordMetadata } from 'kafkajs';

/**
 * What of a batch was acknowledged. When a broker is lost, kafkajs sends its partitions to their new leader, unless that one
 * has acknowledged partitions of its own before: then it leaves them out, and reports success.
 */
export class AcknowledgedPartitions {
  private readonly chosen = new Set<string>();
  private readonly counts = new Map<string, number>();
  private counted = true;

  /** Chooses as kafkajs does by default, and remembers. */
  readonly partitioner: ICustomPartitioner = () => {
    const choose = Partitioners.DefaultPartitioner();
    return (args) => {
      const partition = choose(args);
      const { length } = args.partitionMetadata;
      // With more partitions than before, a key may have come into one that was acknowledged without it.
      this.counted &&= (this.counts.get(args.topic) ?? length) === length;
      this.counts.set(args.topic, length);
      this.chosen.add(`${args.topic} ${partition}`);
      return partition;
    };
  };

  /** Before each batch. */
  begin(): void {
    this.chosen.clear();
    this.counts.clear();
    this.counted = true;
  }

  /** Whether the answer to the batch names all that was sent. */
  areAllIn(answer: readonly Pick<RecordMetadata, 'topicName' | 'partition'>[]): boolean {
    const named = new Set(answer.map(({ topicName, partition }) => `${topicName} ${partition}`));
    return this.counted && [...this.chosen].every((one) => named.has(one));
  }
}

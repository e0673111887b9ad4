import { createRequire } from 'node:module';

interface Asked {
  readonly producerId?: unknown;
}
export type Produce<Broker> = (this: Broker, asked: Asked) => Promise<unknown>;

/**
 * kafkajs 2.2.4 sends the parts of a batch to their brokers concurrently. As soon as one broker refuses its part, for
 * example because it no longer leads a partition, kafkajs starts to retry. It then sends parts that other brokers have
 * not answered yet again, under new numbers, so those brokers record them twice. This patch delays a refusal until the
 * other answers have arrived, so only the refused part is retried, under its old numbers.
 */
export function waitForWholeBatches(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/broker') as {
    readonly prototype: { produce: Produce<unknown> & { readonly isWhole?: true } };
  };
  if (prototype.produce.isWhole) return;
  prototype.produce = Object.assign(refusingLast(prototype.produce), { isWhole: true } as const);
}

/** A producer has only one batch in flight, so everything in flight under the same id belongs to one batch. */
export function refusingLast<Broker>(produce: Produce<Broker>): Produce<Broker> {
  const ofProducers = new Map<unknown, Set<Promise<unknown>>>();
  return async function (this: Broker, asked) {
    const parts = ofProducers.get(asked.producerId) ?? new Set();
    ofProducers.set(asked.producerId, parts);
    const answer = produce.call(this, asked);
    const answered = answer.catch(() => undefined);
    parts.add(answered);
    try {
      return await answer;
    } catch (error) {
      // After this turn, all parts have been sent or never will be, so all their answers can be awaited.
      await turn();
      await Promise.all(parts);
      await turn();
      throw error;
    } finally {
      parts.delete(answered);
      if (parts.size === 0) ofProducers.delete(asked.producerId);
    }
  };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

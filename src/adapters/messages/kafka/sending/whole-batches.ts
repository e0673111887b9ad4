import { createRequire } from 'node:module';

interface Asked {
  readonly producerId?: unknown;
}
export type Produce<Broker> = (this: Broker, asked: Asked) => Promise<unknown>;

/**
 * kafkajs 2.2.4 sends the parts of a batch to their brokers at the same time. As soon as one of them refuses its part, for
 * example because it leads a partition no more, kafkajs begins to repeat, and sends what other brokers have not answered yet
 * a second time, under new numbers, so that they record it twice. Here a refusal waits for the other answers: then the
 * refused part alone is repeated, under its old numbers.
 */
export function waitForWholeBatches(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/broker') as {
    readonly prototype: { produce: Produce<unknown> & { readonly isWhole?: true } };
  };
  if (prototype.produce.isWhole) return;
  prototype.produce = Object.assign(refusingLast(prototype.produce), { isWhole: true } as const);
}

/** A producer has one batch on its way at a time, so what is on its way under the same id belongs to the same batch. */
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
      // All parts have been sent, or will never be; and whoever waits for an answer has noted it.
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

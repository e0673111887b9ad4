import { createRequire } from 'node:module';

interface ProduceRequest {
  readonly producerId?: unknown;
}
export type Produce<Broker> = (this: Broker, asked: ProduceRequest) => Promise<unknown>;

/**
 * Works around a defect of kafkajs 2.2.4, which can record parts of a batch twice. As soon as one broker refuses its
 * part, kafkajs retries. It then also resends parts to which other brokers have not responded yet, under new sequence
 * numbers. This patch delays the refusal until the other responses have arrived.
 */
export function waitForWholeBatches(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/broker') as {
    readonly prototype: { produce: Produce<unknown> & { readonly isWhole?: true } };
  };
  if (prototype.produce.isWhole) return;
  prototype.produce = Object.assign(refusingLast(prototype.produce), { isWhole: true } as const);
}

/**
 * Throws only when all requests of the batch have settled. A producer has one batch in flight, so requests in flight
 * with the same producer id belong to the same batch.
 */
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
      // By the next turn of the event loop, kafkajs has sent all parts that it will send.
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

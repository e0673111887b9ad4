import type { RecordedEvent } from '../../../src/kernel/event/event.js';
import type { EventStore, Subscriber } from '../../../src/ports/event-store.port.js';

/** Distance between positions, as if most events of the log belonged to others. */
const distance = 20_000;

const apart = (position: number) => (position < 0 ? position : position * distance);
const together = (position: number) => Math.floor(position / distance);
const spread = (events: readonly RecordedEvent[]) =>
  events.map((event) => ({ ...event, position: apart(event.position) }));

/** Makes a few events look like a history of millions, for tests of code that follows the log. */
export function sparse(log: EventStore): EventStore {
  const followed: Pick<EventStore, 'head' | 'readAll' | 'subscribe'> = {
    head: async () => apart(await log.head()),
    readAll: async ({ from = -1, ...options }) => spread(await log.readAll({ ...options, from: together(from) })),
    subscribe: ({ handle, after, ...subscriber }: Subscriber) => {
      const subscription = log.subscribe({
        ...subscriber,
        after: together(after),
        handle: (events, upTo) => handle(spread(events), apart(upTo)),
      });
      return {
        get position() {
          return apart(subscription.position);
        },
        stop: () => subscription.stop(),
      };
    },
  };
  return followed as EventStore;
}

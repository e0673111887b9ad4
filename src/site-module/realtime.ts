import type { JsonObject, Realtime, RealtimeMessage } from './site.js';
import { ask, listen } from './socket.js';

export const realtime: Realtime = {
  subscribe: (channel, handler, { onBegin, onEnd } = {}) =>
    listen({
      ask: { type: 'subscribe', channel },
      heard: (said) => {
        const message = said as unknown as RealtimeMessage & { data: never };
        handler(message.data, { channel: message.channel, from: message.from, at: message.at });
      },
      begun: () => onBegin?.(),
      ended: (error) => onEnd?.(error),
    }),
  publish: async (channel, data) => {
    await ask({ type: 'publish', channel, data });
  },
  presence: async (channel) => {
    const { present, total } = await ask({ type: 'presence', channel });
    return { present, total } as Awaited<ReturnType<Realtime['presence']>>;
  },
};

export interface RowChange {
  readonly op: 'created' | 'changed' | 'gone';
  readonly rowId: string;
}

/** Listens until the returned function is called. `changed` is called without a row if all rows must be read again. */
export function listenToRows(
  table: string,
  filter: JsonObject | undefined,
  {
    changed,
    ended,
  }: { changed(change?: RowChange): void; ended(error: Parameters<Parameters<typeof listen>[0]['ended']>[0]): void },
): () => void {
  return listen({
    ask: { type: 'subscribe-rows', table, ...(filter === undefined ? {} : { filter }) },
    heard: (said) => changed(said.type === 'row' ? (said as unknown as RowChange) : undefined),
    begun: () => changed(),
    ended,
  });
}

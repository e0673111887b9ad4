import type { TestApp } from '../app.js';
import { eventually } from '../eventually.js';

export interface StreamEvent {
  readonly id: string;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every form.
  readonly data: any;
}

/** A reader of Server-Sent Events that accepts exactly what the standard allows. */
export interface StreamReader {
  readonly status: number;
  readonly headers: Headers;
  readonly events: readonly StreamEvent[];
  readonly comments: readonly string[];
  /** Returns what a browser would send as Last-Event-ID. */
  lastId(): string;
  /** Resolves when the server has ended the stream or the connection is lost. */
  readonly ended: Promise<void>;
  /** Waits for this many events. */
  read(count: number, withinMs?: number): Promise<readonly StreamEvent[]>;
  close(): Promise<void>;
}

export async function readStream(app: Pick<TestApp, 'url'>, headers: Record<string, string>): Promise<StreamReader> {
  const leaving = new AbortController();
  const response = await fetch(`${app.url}/api/v1/approvals/stream`, { headers, signal: leaving.signal });
  const events: StreamEvent[] = [];
  const comments: string[] = [];
  let lastId = '';
  const take = (block: string) => {
    let [type, data] = ['message', ''];
    for (const line of block.split('\n')) {
      const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (field === '') comments.push(value);
      if (field === 'id') lastId = value;
      if (field === 'event') type = value;
      if (field === 'data') data += value;
    }
    if (data !== '') events.push({ id: lastId, type, data: JSON.parse(data) });
  };
  const follow = async () => {
    let held = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const blocks = (held + decoder.decode(chunk, { stream: true })).split('\n\n');
      held = blocks.pop() ?? '';
      blocks.forEach(take);
    }
  };
  const ended = follow().catch(() => undefined);
  return {
    status: response.status,
    headers: response.headers,
    events,
    comments,
    lastId: () => lastId,
    ended,
    read: (count, withinMs) =>
      eventually(
        async () => events,
        ({ length }) => length >= count,
        withinMs,
      ),
    close: async () => {
      leaving.abort();
      await ended;
    },
  };
}

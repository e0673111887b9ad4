/** An event as the server stores it. Positions are byte offsets in the log, and `end` is that of the next record. */
export interface LogRecord {
  readonly position: number;
  readonly end: number;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  readonly json: boolean;
}

export type Proposed = Pick<LogRecord, 'id' | 'type' | 'data' | 'metadata' | 'json'>;
export type Expected = number | 'any' | 'none' | 'exists';

export type Written =
  | { readonly kind: 'written' | 'repeated'; readonly last: LogRecord }
  | { readonly kind: 'wrong-version'; readonly actual: number }
  /** A repeated append whose original is still being written. The server drops it without a response. */
  | { readonly kind: 'dropped' };

/**
 * EventStoreDB's log in memory, with its surprising properties: positions do not count events, the server's own events
 * are among ours, repeated appends are recognised only in certain cases, and readers see a write only a moment after
 * its version was checked.
 */
export class TransactionLog {
  readonly records: LogRecord[] = [];
  private readonly streams = new Map<string, LogRecord[]>();
  private readonly followers = new Set<(record: LogRecord) => void>();
  /** Ids by which the server recognises repeated appends with `any`. They are forgotten when it restarts. */
  private readonly remembered = new Map<string, LogRecord>();
  private indexed = 0;

  constructor() {
    this.own('$settings', '$created');
    this.index();
  }

  /** Records that readers can already see, in order. */
  get visible(): readonly LogRecord[] {
    return this.records.slice(0, this.indexed);
  }

  visibleOf(stream: string): readonly LogRecord[] {
    const from = this.truncateBefore(stream);
    const end = this.records[this.indexed - 1]?.end ?? 0;
    return (this.streams.get(stream) ?? []).filter(({ revision, end: at }) => revision >= from && at <= end);
  }

  exists(stream: string): boolean {
    return this.streams.has(stream);
  }

  follow(follower: (record: LogRecord) => void): () => void {
    this.followers.add(follower);
    return () => this.followers.delete(follower);
  }

  forget(): void {
    this.remembered.clear();
  }

  /** Checks and writes events as EventStoreDB's index writer does. Readers see them after the next `index`. */
  write(stream: string, expected: Expected, events: readonly Proposed[]): Written {
    const known = this.streams.get(stream) ?? [];
    const actual = known.length - 1;
    const repeated = this.repeated(stream, expected, events, known);
    if (repeated === 'corrupt') return { kind: 'wrong-version', actual };
    if (repeated !== undefined) {
      const end = this.records[this.indexed - 1]?.end ?? 0;
      return repeated.end <= end ? { kind: 'repeated', last: repeated } : { kind: 'dropped' };
    }
    const wanted = expected === 'any' ? actual : expected === 'none' ? -1 : expected === 'exists' ? actual : expected;
    if (wanted !== actual) return { kind: 'wrong-version', actual };
    let last: LogRecord | undefined;
    for (const event of events) last = this.push(stream, event);
    if (this.records.length % 7 === 0) this.own('$stats-127.0.0.1:2113', '$statsCollected');
    return last === undefined ? { kind: 'wrong-version', actual } : { kind: 'written', last };
  }

  /** Makes written records visible to readers and followers. */
  index(): void {
    const fresh = this.records.slice(this.indexed);
    this.indexed = this.records.length;
    for (const record of fresh) for (const follower of this.followers) follower(record);
  }

  private repeated(
    stream: string,
    expected: Expected,
    events: readonly Proposed[],
    known: readonly LogRecord[],
  ): LogRecord | 'corrupt' | undefined {
    const places = events.map((event, index) => {
      if (expected === 'any' || expected === 'exists') {
        const place = this.remembered.get(event.id);
        return place?.stream === stream ? place : undefined;
      }
      const place = known[(expected === 'none' ? 0 : expected + 1) + index];
      return place?.id === event.id ? place : undefined;
    });
    if (places[0] === undefined) return undefined;
    return places.includes(undefined) ? 'corrupt' : places.at(-1);
  }

  private push(stream: string, event: Proposed): LogRecord {
    const known = this.streams.get(stream) ?? [];
    const position = this.records.at(-1)?.end ?? 0;
    const end = position + 60 + event.type.length + stream.length + event.data.length + event.metadata.length;
    const record = { ...event, stream, revision: known.length, position, end };
    known.push(record);
    this.streams.set(stream, known);
    this.records.push(record);
    this.remembered.set(event.id, record);
    return record;
  }

  private own(stream: string, type: string): void {
    this.push(stream, {
      id: crypto.randomUUID(),
      type,
      data: Buffer.from('{}'),
      metadata: new Uint8Array(),
      json: true,
    });
  }

  private truncateBefore(stream: string): number {
    const metadata = this.streams.get(`$$${stream}`)?.at(-1);
    if (metadata === undefined) return 0;
    const values = JSON.parse(Buffer.from(metadata.data).toString('utf8')) as Readonly<Record<string, unknown>>;
    return Number(values['$tb'] ?? 0);
  }
}

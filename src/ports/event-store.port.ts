import type { NewEvent, RecordedEvent } from '../kernel/event/event.js';

/** `none`: the stream must be empty; `any`: no check; a number: the revision of its last event. */
export type ExpectedRevision = number | 'none' | 'any';

export interface AppendRequest {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** At least one. */
  readonly events: readonly NewEvent[];
}

export interface AppendOptions {
  /** The append may be delayed a few milliseconds to be batched with others. For high-volume writes. Default: false. */
  readonly mayBatch?: boolean;
}

export interface Appended {
  /** Revision of the stream's last event after the append. */
  readonly revision: number;
  /** Position of the last event appended. */
  readonly position: number;
}

export interface EventFilter {
  /** Only streams of these categories. */
  readonly categories?: readonly string[];
  /** Only these event types. */
  readonly types?: readonly string[];
  /** Besides those types, also events with `mustUnderstand` in their metadata. */
  readonly andMustUnderstand?: true;
  readonly workspaceId?: string;
}

export interface ReadStreamOptions {
  /** First revision to return, inclusive. Default: 0 forward, the last one backward. */
  readonly from?: number;
  readonly direction?: 'forward' | 'backward';
  /** Default: all. */
  readonly limit?: number;
  /** Includes events that only a newer version may act on: only for showing what was recorded. */
  readonly onlyShown?: true;
}

export interface ReadAllOptions extends EventFilter {
  /**
   * Only events after this position (forward) or before it (backward), exclusive. Default: from the log's start or end.
   */
  readonly from?: number;
  readonly direction?: 'forward' | 'backward';
  readonly limit: number;
}

export interface Subscription {
  /** The position up to which events were handled; filtered events count as handled. */
  readonly position: number;
  /** Resolves when the handler in progress has returned. The handler is not called afterwards. */
  stop(): Promise<void>;
}

export interface Subscriber extends EventFilter {
  /** Start after this position; -1: from the beginning. */
  readonly after: number;
  /** Maximum number of events per call. Default: 1,000. */
  readonly most?: number;
  /**
   * Gets events in log order, in batches, one call at a time: the next batch waits until this promise is settled.
   * `caughtUpTo` is the position that the batch covers, including filtered events; it is never beyond `head`. An empty
   * batch carries only that. If the promise rejects, the same events are delivered again after a pause, without limit.
   */
  handle(events: readonly RecordedEvent[], caughtUpTo: number): Promise<void>;
  /** Called once when delivery ends because this version does not know the next event and must not skip it. */
  stopped?(why: Error): void;
}

/**
 * The log at one moment, or one workspace's part of it. Later appends and prunings do not change it. (Reading a live
 * log page by page would miss events that are pruned between pages.)
 */
export interface LogSnapshot {
  /** Position of the last event of any workspace at that moment; -1 in an empty log. */
  readonly head: number;
  /** For every pruned stream: the first remaining revision or, if none is left, the next revision to be written. */
  readonly keptFrom: ReadonlyMap<string, number>;
  /**
   * Every event of the snapshot in log order, with at most a few pages in memory. May be called again.
   * @throws EventStoreUnavailable
   */
  events(): AsyncIterable<RecordedEvent>;
  /** Releases the snapshot's resources. Idempotent. */
  close(): Promise<void>;
}

/** The stream is not at the expected revision, because another writer was first. Nothing was recorded. */
export class WrongExpectedRevision extends Error {
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    /** Revision of the stream's last event; -1 for an empty stream. */
    readonly actual: number,
  ) {
    super(`Stream ${stream} stands at revision ${actual}, not at ${expected}.`);
  }
}

/** The store cannot be reached or written now. The outcome of an append is unknown; append again to find out. */
export class EventStoreUnavailable extends Error {}

/**
 * The log, the source of truth: append-only streams of events in one total order.
 *
 * Durability: when `append` resolves, the events are on disk (on a majority of the engine's nodes) and survive an
 * immediate crash.
 *
 * An event whose content cannot be read (changed or damaged) is returned and delivered in order like any other, as
 * `unreadableEvent`: it stops only readers that need its content.
 */
export abstract class EventStore {
  /**
   * Appends the requests in order; each is atomic. Stops at the first that fails, so that what is recorded is always a
   * prefix of the list: a name is reserved before the record that uses it. The embedded adapter records the whole list
   * or nothing.
   *
   * Repetition: if a request's events (by id) are already in the stream, consecutively, it gets the same answer as the
   * first time and records nothing, whatever `expected` is. @throws WrongExpectedRevision, EventStoreUnavailable
   */
  abstract append(requests: readonly AppendRequest[], options?: AppendOptions): Promise<readonly Appended[]>;

  /** A stream's events in order, without pruned ones. An unknown stream is empty. */
  abstract readStream(stream: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]>;

  /** A page of the whole log, filtered. Shorter than `limit` only at the end. */
  abstract readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]>;

  /**
   * A number that grows with every write: by this process before the write is acknowledged, by others at the latest in
   * the next turn of the event loop. Undefined: the store cannot tell.
   */
  version(): number | undefined {
    return undefined;
  }

  /** Position of the last event recorded; -1 in an empty log. */
  abstract head(): Promise<number>;

  /** History first, then live: every matching event after `after`, once and in order, until stopped. */
  abstract subscribe(subscriber: Subscriber): Subscription;

  /**
   * Prunes a stream: events below `beforeRevision` are no longer returned, and their space is reclaimed eventually.
   * Revisions continue to count up. Idempotent; never restores pruned events.
   */
  abstract truncate(stream: string, beforeRevision: number): Promise<void>;

  /**
   * The log as it is now, for export. Works while processes write. The caller closes it. @throws EventStoreUnavailable
   */
  abstract snapshot(workspaceId?: string): Promise<LogSnapshot>;

  /** Whether it can be read and written now; rejects with the reason. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}

/**
 * The log exactly as recorded: personal data sealed, old events in their old form. For code that attests to the log or
 * copies it elsewhere: the audit's seals, exports, outside consumers. Everything else uses `EventStore`.
 */
export abstract class RecordedLog extends EventStore {}

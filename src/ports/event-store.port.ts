import type { NewEvent, RecordedEvent } from '../kernel/event/event.js';

/** Condition on the stream. `none`: it must be empty. `any`: no check. A number: the revision of its last event. */
export type ExpectedRevision = number | 'none' | 'any';

export interface AppendRequest {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** Events to append; at least one. */
  readonly events: readonly NewEvent[];
}

export interface AppendOptions {
  /**
   * Whether the append may be delayed by a few milliseconds to be batched with others. For high-volume writes. Default:
   * false.
   */
  readonly mayBatch?: boolean;
}

export interface Appended {
  /** Revision of the stream's last event after the append. */
  readonly revision: number;
  /** Position of the last appended event. */
  readonly position: number;
}

export interface EventFilter {
  /** Only streams of these categories. */
  readonly categories?: readonly string[];
  /** Only these event types. */
  readonly types?: readonly string[];
  /** In addition to those types, also events with `mustUnderstand` in their metadata. */
  readonly andMustUnderstand?: true;
  readonly workspaceId?: string;
}

export interface ReadStreamOptions {
  /** First revision to return, inclusive. Default: 0 forward, the last revision backward. */
  readonly from?: number;
  readonly direction?: 'forward' | 'backward';
  /** Maximum number of events. Default: all. */
  readonly limit?: number;
  /** Includes events that only a newer version may act on. Allowed only for showing what was recorded. */
  readonly onlyShown?: true;
}

export interface ReadAllOptions extends EventFilter {
  /**
   * Returns only events after this position (forward) or before it (backward), exclusive. Default: the log's start or
   * end.
   */
  readonly from?: number;
  readonly direction?: 'forward' | 'backward';
  readonly limit: number;
}

export interface Subscription {
  /** Position up to which events were handled. Filtered events count as handled. */
  readonly position: number;
  /** Resolves when the handler in progress has returned. The handler is not called afterwards. */
  stop(): Promise<void>;
}

export interface Subscriber extends EventFilter {
  /** Starts after this position. -1 starts at the beginning. */
  readonly after: number;
  /** Maximum number of events per call. Default: 1,000. */
  readonly most?: number;
  /**
   * Handles events in log order, in batches, one call at a time: the next batch waits until this promise is settled.
   * `caughtUpTo` is the position that the batch covers, including filtered events. It is never beyond `head`. An empty
   * batch only reports `caughtUpTo`. If the promise rejects, the same events are delivered again after a pause, any
   * number of times.
   */
  handle(events: readonly RecordedEvent[], caughtUpTo: number): Promise<void>;
  /** Called once when delivery ends because this version does not know the next event and must not skip it. */
  stopped?(why: Error): void;
}

/**
 * The log, or one workspace's part of it, at one moment. Later appends and prunings do not change it. (Reading a live
 * log page by page would miss events that are pruned between pages.)
 */
export interface LogSnapshot {
  /** Position of the last event of any workspace at that moment, or -1 in an empty log. */
  readonly head: number;
  /** For every pruned stream, the first remaining revision or, if no event is left, the next revision to be written. */
  readonly keptFrom: ReadonlyMap<string, number>;
  /**
   * Returns every event of the snapshot in log order, with at most a few pages in memory. May be called again. @throws
   * EventStoreUnavailable
   */
  events(): AsyncIterable<RecordedEvent>;
  /** Releases the snapshot's resources. Idempotent. */
  close(): Promise<void>;
}

/** The stream does not have the expected revision, because another writer was first. Nothing was recorded. */
export class WrongExpectedRevision extends Error {
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    /** Revision of the stream's last event, or -1 for an empty stream. */
    readonly actual: number,
  ) {
    super(`Stream ${stream} stands at revision ${actual}, not at ${expected}.`);
  }
}

/** The store cannot be reached or written now. The outcome of an append is unknown; append again to find out. */
export class EventStoreUnavailable extends Error {}

/**
 * The log, the source of truth: append-only streams of events in one total order. Durability: when `append` resolves,
 * the events are on disk (on a majority of the engine's nodes) and survive an immediate crash. An event whose content
 * cannot be read (changed or damaged) is returned and delivered in order like any other, as `unreadableEvent`. It stops
 * only readers that need its content.
 */
export abstract class EventStore {
  /**
   * Appends the requests in order. Each is atomic. Stops at the first that fails, so the recorded requests are always a
   * prefix of the list; a name is therefore reserved before the record that uses it. The embedded adapter records the
   * whole list or nothing. If a request's events (by id) are already in the stream, consecutively, the request is a
   * repetition: it gets the same answer as the first time and records nothing, regardless of `expected`. @throws
   * WrongExpectedRevision, EventStoreUnavailable
   */
  abstract append(requests: readonly AppendRequest[], options?: AppendOptions): Promise<readonly Appended[]>;

  /** Returns a stream's events in order, without pruned ones. An unknown stream is empty. */
  abstract readStream(stream: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]>;

  /** Returns a page of the whole log, filtered. Shorter than `limit` only at the end. */
  abstract readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]>;

  /**
   * Returns a number that increases with every write: for writes of this process before they are acknowledged, for
   * writes of others in the next turn of the event loop at the latest. Returns undefined if the store cannot provide
   * this.
   */
  version(): number | undefined {
    return undefined;
  }

  /** Returns the position of the last recorded event, or -1 in an empty log. */
  abstract head(): Promise<number>;

  /** Delivers history first, then live events: every matching event after `after`, once and in order, until stopped. */
  abstract subscribe(subscriber: Subscriber): Subscription;

  /**
   * Prunes a stream. Events below `beforeRevision` are no longer returned, and their space is reclaimed eventually.
   * Later revisions continue the numbering. Idempotent; never restores pruned events.
   */
  abstract truncate(stream: string, beforeRevision: number): Promise<void>;

  /**
   * Returns the log as it is now, for export. Works while processes write. The caller closes the snapshot. @throws
   * EventStoreUnavailable
   */
  abstract snapshot(workspaceId?: string): Promise<LogSnapshot>;

  /** Checks that the store can be read and written now. Rejects with the reason if it cannot. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}

/**
 * The log exactly as recorded: personal data sealed, old events in their old form. For code that attests to the log or
 * copies it elsewhere: the audit's seals, exports, outside consumers. All other code uses `EventStore`.
 */
export abstract class RecordedLog extends EventStore {}

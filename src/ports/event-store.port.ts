import type { NewEvent, RecordedEvent } from '../kernel/event/event.js';

/**
 * `none` requires an empty stream, `any` disables the check, and a number is the required revision of the stream's last
 * event.
 */
export type ExpectedRevision = number | 'none' | 'any';

export interface AppendRequest {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** At least one event. */
  readonly events: readonly NewEvent[];
}

export interface AppendOptions {
  /**
   * The append may be delayed by a few milliseconds to be batched with others. Meant for high-volume writes. Default:
   * false.
   */
  readonly mayBatch?: boolean;
}

export interface Appended {
  readonly revision: number;
  readonly position: number;
}

export interface EventFilter {
  readonly categories?: readonly string[];
  readonly types?: readonly string[];
  readonly andMustUnderstand?: true;
  readonly workspaceId?: string;
}

export interface ReadStreamOptions {
  /** First revision to return, inclusive. Default: 0 forward, the last revision backward. */
  readonly from?: number;
  readonly direction?: 'forward' | 'backward';
  /** Maximum number of events. Default: all. */
  readonly limit?: number;
  /**
   * Set if the caller only displays the events and makes no decision with them. The result may then include events that
   * only newer versions of the service understand. Without this option, the service's `EventStore` rejects if there is
   * such an event.
   */
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
  /** Set if the caller uses only the positions and times of the events. For the effect, see `ReadStreamOptions`. */
  readonly onlyShown?: true;
}

export interface Subscription {
  /** Position up to which events were handled. Events that the filter excludes count as handled. */
  readonly position: number;
  /** Resolves when the handler in progress has returned. The handler is not called afterwards. */
  stop(): Promise<void>;
}

export interface Subscriber extends EventFilter {
  /** Only events after this position are delivered. -1 begins with the first event of the log. */
  readonly after: number;
  /** Maximum number of events per call. Default: 1,000. */
  readonly most?: number;
  /**
   * Handles events in log order, in batches. `caughtUpTo` is the log position up to which all matching events have been
   * delivered; it is never beyond `head`. A batch may be empty, when only `caughtUpTo` has advanced. If the promise
   * rejects, the same events are delivered again after a pause, any number of times.
   */
  handle(events: readonly RecordedEvent[], caughtUpTo: number): Promise<void>;
  /**
   * Called once when delivery ends before an event that must not be skipped (`mustUnderstand`), but whose type this
   * version of the service does not know.
   */
  stopped?(why: Error): void;
}

/**
 * A snapshot of the log, or of one workspace's part of it. Later appends and prunings do not change it. Reading the
 * live log page by page instead would miss events that are pruned between pages.
 */
export interface LogSnapshot {
  /** Position of the last event of any workspace when the snapshot was made, or -1 if the log was empty. */
  readonly head: number;
  /** For every pruned stream, the first remaining revision or, if no event is left, the next revision to be written. */
  readonly keptFrom: ReadonlyMap<string, number>;
  /**
   * Returns events in log order, with at most a few pages in memory. May be called again.
   * @throws EventStoreUnavailable
   */
  events(): AsyncIterable<RecordedEvent>;
  close(): Promise<void>;
}

/** Another writer had already appended to the stream, so the request recorded nothing. */
export class WrongExpectedRevision extends Error {
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    /** Revision of the stream's last event, or -1 for an empty stream. */
    readonly actual: number,
  ) {
    super(`Stream ${stream} is at revision ${actual}, not at ${expected}.`);
  }
}

/** The outcome of an append is unknown. Repeating the same append is safe and gives its outcome. */
export class EventStoreUnavailable extends Error {}

/**
 * The log, the source of truth: append-only streams of events in one total order. When `append` resolves, the events
 * are on disk (on a majority of the engine's nodes) and survive an immediate crash. An event whose content cannot be
 * read (changed or damaged) is returned and delivered in order as `unreadableEvent`; only readers that need its content
 * stop.
 */
export abstract class EventStore {
  /**
   * Appends the requests in order, each atomically, and stops at the first failure. A request that reserves a name can
   * therefore come before the request that records the holder of the name. The embedded adapter records the whole list
   * or nothing. If the stream already contains a request's events (by id, consecutively), the request records nothing
   * and returns the original result, regardless of `expected`.
   * @throws WrongExpectedRevision, EventStoreUnavailable
   */
  abstract append(requests: readonly AppendRequest[], options?: AppendOptions): Promise<readonly Appended[]>;

  /** Leaves out pruned events. An unknown stream is empty. */
  abstract readStream(stream: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]>;

  /** The page has fewer than `limit` events only if there are no more in this direction. */
  abstract readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]>;

  /**
   * Returns a number that increases with every write. A write of this process increases it before the write is
   * acknowledged. A write of another process increases it in the next turn of the event loop at the latest. Returns
   * undefined if the store cannot provide this.
   */
  version(): number | undefined {
    return undefined;
  }

  /** Position of the last recorded event, or -1 in an empty log. */
  abstract head(): Promise<number>;

  /**
   * Delivers every matching event after `after` in order, first those already in the log and then new ones. Each is
   * delivered once, unless `handle` rejects.
   */
  abstract subscribe(subscriber: Subscriber): Subscription;

  /**
   * Events below `beforeRevision` are no longer returned, and their space is reclaimed eventually. Later revisions
   * continue the numbering. Idempotent; never restores pruned events.
   */
  abstract truncate(stream: string, beforeRevision: number): Promise<void>;

  /**
   * Processes may continue to write to the log. The caller must close the snapshot.
   * @throws EventStoreUnavailable
   */
  abstract snapshot(workspaceId?: string): Promise<LogSnapshot>;

  /** Rejects with the reason if the store cannot be read and written now. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}

/**
 * The log exactly as recorded: personal data is sealed, and old events have their old form. Used by code that attests
 * to the log or copies it elsewhere. All other code uses `EventStore`.
 */
export abstract class RecordedLog extends EventStore {}

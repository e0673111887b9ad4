import type { NewEvent, RecordedEvent } from '../kernel/event.js';

/** `none`: the stream must be empty; `any`: whatever is there; a number: the revision of its last event. */
export type ExpectedRevision = number | 'none' | 'any';

export interface AppendRequest {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** At least one. */
  readonly events: readonly NewEvent[];
}

export interface AppendOptions {
  /** It may wait some milliseconds for others to share its write with: for what comes in great numbers. Default: no. */
  readonly patient?: boolean;
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
  readonly workspaceId?: string;
}

export interface ReadStreamOptions {
  /** First revision to give: default 0 forward, the last one backward. Inclusive. */
  readonly from?: number;
  readonly direction?: 'forward' | 'backward';
  /** Default: all. */
  readonly limit?: number;
}

export interface ReadAllOptions extends EventFilter {
  /** Only events after this position (forward) or before it (backward). Exclusive. Default: from the end met first. */
  readonly from?: number;
  readonly direction?: 'forward' | 'backward';
  readonly limit: number;
}

export interface Subscription {
  /** The position up to which the handler has returned, events passed over by the filter included. */
  readonly position: number;
  /** Resolves when the handler in progress has returned; nothing is handed over afterwards. */
  stop(): Promise<void>;
}

export interface Subscriber extends EventFilter {
  /** Hand over what comes after this position; -1: from the beginning. */
  readonly after: number;
  /**
   * Gets events in log order, in batches, one call at a time: the next batch waits until this one's promise is
   * settled. `caughtUpTo` is the position the batch covers, events passed over by the filter included; an empty
   * batch says only that. When it rejects, the same events come again after a pause, for ever.
   */
  handle(events: readonly RecordedEvent[], caughtUpTo: number): Promise<void>;
}

/**
 * The log as it stood at one moment, or one workspace's part of it. What is appended or pruned afterwards changes
 * nothing of it: in a log that lives on, pages read one after the other would miss what was pruned meanwhile.
 */
export interface LogSnapshot {
  /** Position of the last event recorded by then, in whatever workspace; -1 in an empty log. */
  readonly head: number;
  /** By stream, for those that were pruned: the first revision kept, or the next to come where none was. */
  readonly keptFrom: ReadonlyMap<string, number>;
  /**
   * Every event that is given out, in log order; some pages of them in memory at most. May be asked for again.
   * @throws EventStoreUnavailable
   */
  events(): AsyncIterable<RecordedEvent>;
  /** Lets go what was held for it. May be repeated. */
  close(): Promise<void>;
}

/** The stream is not where the writer thought it was: somebody else was first. Nothing was recorded. */
export class WrongExpectedRevision extends Error {
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    /** Revision of the last event there is; -1 for an empty stream. */
    readonly actual: number,
  ) {
    super(`Stream ${stream} stands at revision ${actual}, not at ${expected}.`);
  }
}

/** The store cannot be reached or written now. For an append: whether it was recorded is told by appending it again. */
export class EventStoreUnavailable extends Error {}

/**
 * The log: the one truth. Append-only streams of events in one total order.
 *
 * Durability: when `append` resolves, the events are on disk (the engine's majority) and survive a crash at once.
 */
export abstract class EventStore {
  /**
   * Appends one request after the other; each one wholly or not at all. Stops at the first that fails, so that what
   * is recorded is always a beginning of the list: a reservation stands before what it was made for.
   * The embedded adapter records the whole list or nothing.
   *
   * Repetition: a request whose events (by id) already stand in the stream one after the other is answered as it was
   * the first time and records nothing, whatever `expected` says.
   * @throws WrongExpectedRevision, EventStoreUnavailable
   */
  abstract append(requests: readonly AppendRequest[], options?: AppendOptions): Promise<readonly Appended[]>;

  /** A stream's events in order, those pruned left out; an unknown stream is an empty one. */
  abstract readStream(stream: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]>;

  /** A page of the whole log, filtered. Shorter than `limit` only at the end. */
  abstract readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]>;

  /** Position of the last event recorded; -1 in an empty log. */
  abstract head(): Promise<number>;

  /** From history to live: every matching event after `after`, once and in order, for as long as it is not stopped. */
  abstract subscribe(subscriber: Subscriber): Subscription;

  /**
   * Prunes a stream: events below `beforeRevision` are no longer given out, and their room is taken back in time.
   * Revisions keep counting. May be repeated; never brings back what is gone.
   */
  abstract truncate(stream: string, beforeRevision: number): Promise<void>;

  /**
   * The log as it stands now, to be carried elsewhere; beside writers, in this process or another. Its caller closes
   * it. @throws EventStoreUnavailable
   */
  abstract snapshot(workspaceId?: string): Promise<LogSnapshot>;

  /** Whether it can be read and written now; rejects with the reason. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}

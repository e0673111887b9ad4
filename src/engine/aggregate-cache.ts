import type { Aggregate } from '../kernel/aggregate.js';
import { fold } from '../kernel/aggregate.js';
import type { DomainEvent, Recorded } from '../kernel/event.js';

/** A stream's state as of a revision. */
export interface Loaded<State> {
  readonly state: State;
  /** -1: nothing recorded yet. */
  readonly revision: number;
}

/**
 * States by stream, the least used forgotten first. An entry is only ever a beginning: whoever uses it reads the rest
 * of the stream after it, and appends expecting the revision, so an old entry costs a read and never a wrong decision.
 */
export class AggregateCache {
  private readonly entries = new Map<string, Loaded<unknown>>();

  constructor(private readonly size = 10_000) {}

  get<State>(stream: string): Loaded<State> | undefined {
    const entry = this.entries.get(stream);
    if (entry === undefined) return undefined;
    this.entries.delete(stream);
    this.entries.set(stream, entry);
    return entry as Loaded<State>;
  }

  set(stream: string, loaded: Loaded<unknown>): void {
    this.entries.delete(stream);
    this.entries.set(stream, loaded);
    if (this.entries.size <= this.size) return;
    const [oldest] = this.entries.keys();
    if (oldest !== undefined) this.entries.delete(oldest);
  }

  forget(stream: string): void {
    this.entries.delete(stream);
  }
}

export function advance<State, E extends DomainEvent>(
  aggregate: Aggregate<State, E>,
  from: Loaded<State>,
  events: readonly Recorded<E>[],
): Loaded<State> {
  const last = events.at(-1);
  return last === undefined ? from : { state: fold(aggregate, from.state, events), revision: last.revision };
}

import type { DomainEvent, Recorded } from '../../kernel/event/event.js';
import { sizeOf } from '../../kernel/json/size-of.js';
import type { Aggregate } from '../../kernel/record/aggregate.js';
import { fold } from '../../kernel/record/aggregate.js';

export interface Loaded<State> {
  readonly state: State;
  /** Revision of the last event, or -1 if nothing is recorded yet. */
  readonly revision: number;
}

interface Entry {
  readonly loaded: Loaded<unknown>;
  readonly bytes: number;
}

const MB = 1024 * 1024;

/**
 * Bounded by its size in memory. An outdated entry never leads to a wrong decision, because an append requires the
 * expected revision.
 */
export class AggregateCache {
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  constructor(private readonly mostBytes = 64 * MB) {}

  get<State>(stream: string): Loaded<State> | undefined {
    const entry = this.entries.get(stream);
    if (entry === undefined) return undefined;
    this.entries.delete(stream);
    this.entries.set(stream, entry);
    return entry.loaded as Loaded<State>;
  }

  set(stream: string, loaded: Loaded<unknown>): void {
    this.forget(stream);
    const bytes = entryOverhead + 2 * (stream.length + sizeOf(loaded.state));
    this.entries.set(stream, { loaded, bytes });
    this.bytes += bytes;
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= this.mostBytes) break;
      this.forget(oldest);
    }
  }

  forget(stream: string): void {
    this.bytes -= this.entries.get(stream)?.bytes ?? 0;
    this.entries.delete(stream);
  }
}

const entryOverhead = 200;
export function advance<State, E extends DomainEvent>(
  aggregate: Aggregate<State, E>,
  from: Loaded<State>,
  events: readonly Recorded<E>[],
): Loaded<State> {
  const last = events.at(-1);
  return last === undefined ? from : { state: fold(aggregate, from.state, events), revision: last.revision };
}

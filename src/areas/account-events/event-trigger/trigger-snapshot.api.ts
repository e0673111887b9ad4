import type { Recorded, RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import { type EventTriggerEvent, eventTriggers } from './event-trigger.record.js';
import { TriggerHistory } from './trigger-history.api.js';
import { TriggerIndex } from './trigger-index.js';

/** Maximum number of workspaces whose triggers are in memory. */
const mostWorkspaces = 2_000;

interface Known {
  readonly index: TriggerIndex;
  /** Every event up to this position is applied. */
  upTo: number;
}

/** The triggers of workspaces as of one log position, which the owner of this object advances. */
export class TriggerSnapshot {
  private readonly known = new Map<string, Known>();

  constructor(private readonly history: TriggerHistory) {}

  /** Applies an event of a trigger, in log order. Idempotent. */
  apply(event: RecordedEvent): void {
    const { workspaceId, id } = parseStream(event.stream);
    const known = this.known.get(workspaceId);
    if (known === undefined || event.position <= known.upTo) return;
    try {
      const next = eventTriggers.evolve(known.index.get(id), event as unknown as Recorded<EventTriggerEvent>);
      if (next === undefined) known.index.delete(id);
      else known.index.set(next);
      known.upTo = event.position;
    } catch {
      // The read model quarantines the trigger and records that in the log. The workspace's triggers are reloaded from
      // the read model.
      this.known.delete(workspaceId);
    }
  }

  /**
   * Returns the workspace's triggers as of this position. Every trigger event up to it must have been applied. For an
   * earlier position, such as that of a parked event, they are folded from the log.
   */
  async of(workspaceId: string, position: number): Promise<TriggerIndex> {
    const upTo = this.known.get(workspaceId)?.upTo;
    if (upTo !== undefined && position < upTo) return (await this.load(workspaceId, position)).index;
    const known = this.known.get(workspaceId) ?? (await this.load(workspaceId, position));
    // Moves the workspace to the end, because the least recently used one is dropped first.
    this.known.delete(workspaceId);
    this.known.set(workspaceId, known);
    const [oldest] = this.known.keys();
    if (this.known.size > mostWorkspaces && oldest !== undefined) this.known.delete(oldest);
    return known.index;
  }

  /** Clears the cache, for when the log position is no longer known. */
  clear(): void {
    this.known.clear();
  }

  private async load(workspaceId: string, position: number): Promise<Known> {
    const index = new TriggerIndex();
    for (const trigger of await this.history.asOf(workspaceId, position)) index.set(trigger);
    return { index, upTo: position };
  }
}

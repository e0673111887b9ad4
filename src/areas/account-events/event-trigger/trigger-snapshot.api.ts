import type { Recorded, RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import { type EventTriggerEvent, eventTriggers } from './event-trigger.record.js';
import { TriggerHistory } from './trigger-history.api.js';
import { TriggerIndex } from './trigger-index.js';

/** How many workspaces' triggers are kept in memory. */
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

  /** Applies an event of a trigger. Events come in log order. An event that comes again changes nothing. */
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
      // The read model sets the trigger aside and says so in the log. The workspace's triggers are loaded from it again.
      this.known.delete(workspaceId);
    }
  }

  /**
   * The workspace's triggers as of this position. Every trigger event up to it must have been applied. Of a position that
   * has been passed, which an event that was parked may have, the log tells them.
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

  /** Forgets everything, for when the log position is no longer known. */
  clear(): void {
    this.known.clear();
  }

  private async load(workspaceId: string, position: number): Promise<Known> {
    const index = new TriggerIndex();
    for (const trigger of await this.history.asOf(workspaceId, position)) index.set(trigger);
    return { index, upTo: position };
  }
}

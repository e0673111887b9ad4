import { Injectable } from '@nestjs/common';
import { PerDryRun } from '../../../engine/dry-run/dry-run.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import { TriggerHistory } from './trigger-history.api.js';
import { TriggerIndex } from './trigger-index.js';
import { type MatchingTriggers, WorkspaceTriggers } from './workspace-triggers.js';

const mostWorkspaces = 2_000;

interface Loading {
  /** Events that arrived while the workspace was loading. They are applied afterwards. */
  readonly events: RecordedEvent[];
  readonly done: Promise<WorkspaceTriggers>;
}

interface State {
  /** Least recently used first. */
  readonly known: Map<string, WorkspaceTriggers>;
  readonly loading: Map<string, Loading>;
}

const empty = (): State => ({ known: new Map(), loading: new Map() });

/**
 * A saga and API calls share the snapshots, although they are at different positions of the log. Before a reader asks
 * for a position, it must have applied all trigger events up to that position.
 */
@Injectable()
export class TriggerSnapshots {
  /** A dry run has its own state, so that its reads do not affect others. */
  private readonly states = new PerDryRun(() => ({ current: empty() }));

  constructor(private readonly history: TriggerHistory) {}

  /** Each reader applies the events in log order. Events that another reader has applied before have no effect. */
  apply(event: RecordedEvent): void {
    const { workspaceId } = parseStream(event.stream);
    const { known, loading } = this.states.now.current;
    loading.get(workspaceId)?.events.push(event);
    const triggers = known.get(workspaceId);
    if (triggers !== undefined) applyIfPossible(triggers, event);
  }

  async asOf(workspaceId: string, position: number): Promise<MatchingTriggers> {
    const triggers = await this.reaching(workspaceId, position);
    return triggers.asOf(position) ?? this.read(workspaceId, position);
  }

  /** Can return the triggers as of a later position. */
  async latest(workspaceId: string, position: number): Promise<TriggerIndex> {
    const { current } = this.states.now;
    const triggers = current.known.get(workspaceId) ?? (await this.reaching(workspaceId, position));
    return triggers.latest;
  }

  clear(): void {
    this.states.now.current = empty();
  }

  private async reaching(workspaceId: string, position: number): Promise<WorkspaceTriggers> {
    for (;;) {
      const state = this.states.now.current;
      const known = state.known.get(workspaceId);
      if (known?.asOf(position) !== undefined) return used(state, workspaceId, known);
      const loading = state.loading.get(workspaceId);
      if (loading === undefined) return this.load(state, workspaceId, position);
      await loading.done.catch(() => undefined);
    }
  }

  private load(state: State, workspaceId: string, position: number): Promise<WorkspaceTriggers> {
    const events: RecordedEvent[] = [];
    const done = this.loaded(workspaceId, position).then((triggers) => {
      for (const event of events) applyIfPossible(triggers, event);
      return used(state, workspaceId, triggers);
    });
    const loading = done.finally(() => state.loading.delete(workspaceId));
    state.loading.set(workspaceId, { events, done: loading });
    return loading;
  }

  /** Also applies all later events, because other readers might already have passed the position. */
  private async loaded(workspaceId: string, position: number): Promise<WorkspaceTriggers> {
    const triggers = new WorkspaceTriggers(await this.history.asOf(workspaceId, position), position);
    for (const event of await this.history.after(position, workspaceId)) applyIfPossible(triggers, event);
    return triggers;
  }

  private async read(workspaceId: string, position: number): Promise<TriggerIndex> {
    const index = new TriggerIndex();
    for (const trigger of await this.history.asOf(workspaceId, position)) index.set(trigger);
    return index;
  }
}

function used({ known }: State, workspaceId: string, triggers: WorkspaceTriggers): WorkspaceTriggers {
  known.delete(workspaceId);
  known.set(workspaceId, triggers);
  const [oldest] = known.keys();
  if (known.size > mostWorkspaces && oldest !== undefined) known.delete(oldest);
  return triggers;
}

/** Skips an event that its trigger cannot apply, as the read model does. */
function applyIfPossible(triggers: WorkspaceTriggers, event: RecordedEvent): void {
  try {
    triggers.apply(event);
  } catch {
    // The read model reports the error.
  }
}

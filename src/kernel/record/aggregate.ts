import type { DomainEvent, Recorded } from '../event/event.js';
import type { TextPlaces } from '../text/text.js';
import type { Where } from './projection.js';

/**
 * A consistency boundary: the events of one stream, folded into one value. `evolve` is pure and never refuses an event,
 * because recorded events have happened.
 */
export interface Aggregate<State, Event extends DomainEvent> {
  readonly category: string;
  /** A workspace may have only a limited number of records that match this filter. */
  readonly limited?: Where | undefined;
  readonly texts?: TextPlaces | undefined;
  /** Whether the events contain personal data, which is encrypted in the log. Default: false. */
  readonly personal?: boolean;
  /** Set if each resource has a `projectId`. A resource whose `projectId` is null belongs to no project. */
  readonly within?: 'project' | undefined;
  /**
   * Set if other resources belong to resources of this kind. Access to a project or base determines access to its
   * resources.
   */
  readonly is?: 'project' | 'base' | undefined;
  readonly initial: State;
  readonly emits?: Event;
  evolve(state: State, event: Recorded<Event>): State;
  exists(state: State): boolean;
  /** Whether a change can let in people without a sign-in where the same condition did not before. Default: false. */
  opens?(before: State, after: State): boolean;
  missing(): never;
}

export function scopeOf(
  { within, is }: Pick<Aggregate<unknown, never>, 'within' | 'is'>,
  resource: unknown,
): { readonly scope: 'project'; readonly id: string } | undefined {
  const { id, projectId } = resource as { readonly id?: string; readonly projectId?: string | null };
  if (is === 'project') return { scope: is, id: String(id) };
  if (within === undefined || projectId === null) return undefined;
  return { scope: within, id: String(projectId) };
}

export function fold<State, Event extends DomainEvent>(
  aggregate: Pick<Aggregate<State, Event>, 'evolve'>,
  state: State,
  events: readonly Recorded<Event>[],
): State {
  return events.reduce((soFar, event) => aggregate.evolve(soFar, event), state);
}

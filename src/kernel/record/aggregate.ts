import type { DomainEvent, Recorded } from '../event/event.js';
import type { TextPlaces } from '../text/text.js';
import type { Where } from './projection.js';

/**
 * A consistency boundary: one stream, folded into a state. `evolve` is pure and never refuses an event, because
 * recorded events have happened.
 */
export interface Aggregate<State, Event extends DomainEvent> {
  /** Stream category in camelCase, which is also the resource kind in the audit. */
  readonly category: string;
  /** If set, a workspace may have only a limited number of records of this kind that match this filter. */
  readonly limited?: Where | undefined;
  /** Paths of texts in its events and state. Large texts are recorded by reference. Omitted if it has no such texts. */
  readonly texts?: TextPlaces | undefined;
  /** Whether its states contain personal data, which is sealed. Default: false. */
  readonly personal?: boolean;
  /**
   * Set if each resource may belong to a project, whose id is in its `projectId`. A resource whose `projectId` is null
   * belongs to the workspace alone.
   */
  readonly within?: 'project' | undefined;
  /**
   * Set if resources of this kind are projects or bases, to which other resources belong. Access to a project or base
   * determines access to its resources.
   */
  readonly is?: 'project' | 'base' | undefined;
  readonly initial: State;
  /** For the compiler only: the events of this aggregate. Never set. */
  readonly emits?: Event;
  evolve(state: State, event: Recorded<Event>): State;
  /** Whether the resource was created and has not been deleted. */
  exists(state: State): boolean;
  /** Throws the refusal for an unknown id. */
  missing(): never;
}

/** Returns the project that a resource is or belongs to, or undefined if it belongs to the workspace alone. */
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

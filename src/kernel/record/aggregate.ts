import type { DomainEvent, Recorded } from '../event/event.js';
import type { TextPlaces } from '../text/text.js';
import type { Where } from './projection.js';

/**
 * A consistency boundary: one stream, folded into a state. `evolve` is total and pure and never refuses, because
 * recorded events have happened.
 */
export interface Aggregate<State, Event extends DomainEvent> {
  /** Stream category and the resource kind of the audit, camelCase. */
  readonly category: string;
  /** A workspace may have only a limited number of them. */
  readonly limited?: Where | undefined;
  /** Paths of texts in its events and state. Large ones are recorded by reference. Left out: none. */
  readonly texts?: TextPlaces | undefined;
  /** Its states contain personal data, sealed. Left out: they do not. */
  readonly personal?: boolean;
  /** What resources belong to besides the workspace, by the field `<scope>Id`. null there: to the workspace alone. */
  readonly within?: 'project' | undefined;
  /** Such a resource is itself a scope. Left out: it is not. */
  readonly is?: 'project' | undefined;
  readonly initial: State;
  /** For the compiler only: the events of this aggregate. Never set. */
  readonly emits?: Event;
  evolve(state: State, event: Recorded<Event>): State;
  /** Whether the resource exists now: created and not deleted. */
  exists(state: State): boolean;
  /** Throws the refusal for an unknown id. */
  missing(): never;
}

/** The project that a resource is, or belongs to; undefined if it belongs to the workspace alone. */
export function scopeOf(
  { within, is }: Pick<Aggregate<unknown, never>, 'within' | 'is'>,
  resource: unknown,
): { readonly scope: 'project'; readonly id: string } | undefined {
  const { id, projectId } = resource as { readonly id?: string; readonly projectId?: string | null };
  if (is !== undefined) return { scope: is, id: String(id) };
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

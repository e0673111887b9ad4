import { expect } from '@jest/globals';
import { type RefusalCode } from '../../../src/http/http.refusals.js';
import type { Actor, DomainEvent, EventMetadata, Recorded, RecordedEvent } from '../../../src/kernel/event/event.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { type Aggregate, fold } from '../../../src/kernel/record/aggregate.js';
import { Refusal } from '../../../src/kernel/refusals/refusal.js';

/** Workspace, record id and other metadata of a spec's events, unless the spec sets its own. */
export const specWorkspace = 'ws_spec';
export const specId = 'spec_1';
export const specAt = '2030-01-01T00:00:00.000Z';
export const specActor: Actor = { kind: 'person', id: 'mem_spec', name: 'Ada' };

export const specMetadata = (given: Partial<EventMetadata> = {}): EventMetadata => ({
  workspaceId: specWorkspace,
  actor: specActor,
  correlationId: 'command',
  causationId: null,
  commandId: 'command',
  operation: 'spec/record',
  at: specAt,
  ...given,
});

/** Returns an event as read from the store. */
export function recorded<Event extends DomainEvent>(
  category: string,
  event: Event,
  revision = 0,
  metadata: Partial<EventMetadata> = {},
): Recorded<Event> {
  const made: RecordedEvent = {
    ...event,
    id: `${category}/${revision}`,
    stream: streamOf(category, specWorkspace, specId),
    revision,
    position: revision,
    metadata: specMetadata({ commandId: `command/${revision}`, ...metadata }),
  };
  return made as unknown as Recorded<Event>;
}

/** Returns the state that results from these events. */
export function stateOf<State, Event extends DomainEvent>(
  aggregate: Aggregate<State, Event>,
  events: readonly Event[],
): NonNullable<State> {
  const stream = events.map((event, revision) => recorded(aggregate.category, event, revision));
  const state = fold(aggregate, aggregate.initial, stream);
  if (state === undefined || state === null)
    throw new Error(`These events leave no ${aggregate.category} to decide on.`);
  return state;
}

interface Given<State extends readonly unknown[]> {
  /** Calls a pure decision with the given state, followed by `rest`. */
  when<Rest extends readonly unknown[]>(
    decide: (...args: [...State, ...Rest]) => readonly DomainEvent[],
    ...rest: NoInfer<Rest>
  ): Outcome;
}

interface Outcome {
  emits(...events: readonly DomainEvent[]): void;
  emitsNothing(): void;
  refuses(code: RefusalCode, facts?: object): void;
}

/**
 * Checks a decision: `given(functions, [created]).when(updateFunction, input, 'person').emits({ type, data })`. For a
 * decision that creates a record, no state is given: `given().when(createFunction, input)`.
 */
export function given(): Given<[]>;
export function given<State, Event extends DomainEvent>(
  aggregate: Aggregate<State, Event>,
  events: readonly NoInfer<Event>[],
): Given<[NonNullable<State>]>;
export function given(aggregate?: Aggregate<unknown, DomainEvent>, events: readonly DomainEvent[] = []): Given<never> {
  const before = aggregate === undefined ? [] : [stateOf(aggregate, events)];
  return {
    when: (decide, ...rest) => {
      const ask = decide as (...args: readonly unknown[]) => readonly DomainEvent[];
      return outcomeOf(() => ask(...before, ...rest));
    },
  };
}

function outcomeOf(decide: () => readonly DomainEvent[]): Outcome {
  return {
    emits: (...events) => expect(decide()).toEqual(events),
    emitsNothing: () => expect(decide()).toEqual([]),
    refuses: (code, facts) => {
      const refusal = refusalOf(decide);
      expect(refusal.code).toBe(code);
      if (facts !== undefined) expect(refusal.facts).toMatchObject(facts);
    },
  };
}

/** Returns the refusal that the decision throws. */
export function refusalOf(decide: () => unknown): Refusal {
  try {
    const events = decide();
    throw new Error(`It was not refused but answered ${JSON.stringify(events)}`);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

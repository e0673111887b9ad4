import type { DomainEvent, NewEvent, Recorded, RecordedEvent } from '../../kernel/event/event.js';
import type { Aggregate } from '../../kernel/record/aggregate.js';
import { metadataOf, type OperationContext } from '../operation/operation-context.js';
import { advance, type Loaded } from './aggregate-cache.js';

/** The events as they are recorded next in the stream. */
export function recordedNext<Event extends DomainEvent>(
  events: readonly NewEvent[],
  stream: string,
  { revision }: Pick<Loaded<unknown>, 'revision'>,
  position: number,
): readonly Recorded<Event>[] {
  return events.map((event, index) => ({
    ...event,
    stream,
    revision: revision + 1 + index,
    position,
  })) as RecordedEvent[] as unknown as Recorded<Event>[];
}

/** Whether the events, once recorded, let in people without a sign-in where the same condition did not before. */
export function wouldOpen<State, Event extends DomainEvent>(
  call: OperationContext,
  aggregate: Aggregate<State, Event>,
  { stream, ...now }: Loaded<State> & { readonly stream: string },
  decided: readonly Event[],
): boolean {
  if (aggregate.opens === undefined) return false;
  const metadata = metadataOf(call);
  const events = decided.map(({ type, data }) => ({ id: '', type, data, metadata }));
  const after = advance(aggregate, now, recordedNext<Event>(events, stream, now, -1));
  return aggregate.opens(now.state, after.state);
}

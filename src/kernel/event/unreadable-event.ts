import type { RecordedEvent } from './event.js';

/** The message does not quote the event's content. */
export class UnreadableEvent extends Error {
  readonly type: string;

  constructor({ stream, revision, position, type }: EventPlace, why: string) {
    super(`Event ${revision} (${type}) of stream ${stream}, at position ${position}, cannot be read: ${why}.`);
    this.type = type;
  }
}

type EventPlace = Omit<RecordedEvent, 'data' | 'metadata'>;

/**
 * The event's content was changed or damaged, so only its position is known. Accessing its data or metadata, or copying
 * it, throws `UnreadableEvent`, so that it is never mistaken for an empty event.
 */
export function unreadableEvent(location: EventPlace, why: string): RecordedEvent {
  const get = (): never => {
    throw new UnreadableEvent(location, why);
  };
  const content = { get, enumerable: true };
  return Object.defineProperties({ ...location }, { data: content, metadata: content }) as RecordedEvent;
}

export function isReadable(event: RecordedEvent): boolean {
  return Object.getOwnPropertyDescriptor(event, 'data')?.get === undefined;
}

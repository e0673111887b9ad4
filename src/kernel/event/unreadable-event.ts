import type { RecordedEvent } from './event.js';

/** Says which event cannot be read and why, and quotes nothing of it. */
export class UnreadableEvent extends Error {
  readonly type: string;

  constructor({ stream, revision, position, type }: EventPlace, why: string) {
    super(`Event ${revision} (${type}) of stream ${stream}, at position ${position}, cannot be read: ${why}.`);
    this.type = type;
  }
}

type EventPlace = Omit<RecordedEvent, 'data' | 'metadata'>;

/**
 * An event of which only the place is known, because its bytes were changed or damaged. It is in the log like any other,
 * so that readers that do not need its content pass it. Whoever asks for its data or metadata, or copies it, gets an
 * `UnreadableEvent`: nobody takes it for an empty event.
 */
export function unreadableEvent(place: EventPlace, why: string): RecordedEvent {
  const get = (): never => {
    throw new UnreadableEvent(place, why);
  };
  const content = { get, enumerable: true };
  return Object.defineProperties({ ...place }, { data: content, metadata: content }) as RecordedEvent;
}

export function isReadable(event: RecordedEvent): boolean {
  return Object.getOwnPropertyDescriptor(event, 'data')?.get === undefined;
}

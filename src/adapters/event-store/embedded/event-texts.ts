import type { EventMetadata, RecordedEvent } from '../../../kernel/event/event.js';
import { unreadableEvent } from '../../../kernel/event/unreadable-event.js';
import type { AppendRequest } from '../../../ports/event-store.port.js';

export interface EventTexts {
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

export interface RequestTexts extends Omit<AppendRequest, 'events'> {
  readonly events: readonly EventTexts[];
}

export interface RecordedTexts extends EventTexts {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
}

/**
 * An invalid event must be detected here, because an error during the commit would fail all requests of that commit.
 * @throws Error if one of the events cannot be recorded
 */
export function textsOf(request: AppendRequest): RequestTexts {
  const { stream, expected, events } = request;
  if (events.length === 0) throw new Error(`An append to stream ${stream} contains no events.`);
  if (events.length > 1) {
    const ids = new Set(events.map((event) => event.id));
    if (ids.size < events.length) throw new Error(`An append to stream ${stream} uses an event id twice.`);
  }
  return {
    stream,
    expected,
    events: events.map(({ id, type, data, metadata }) => ({
      id,
      type,
      data: JSON.stringify(data),
      metadata: JSON.stringify(metadata),
    })),
  };
}

export function eventOf(texts: RecordedTexts): RecordedEvent {
  const { id, stream, revision, position, type } = texts;
  const data = objectOf(texts.data);
  const metadata = objectOf(texts.metadata);
  if (data === undefined || metadata === undefined) {
    const part = data === undefined ? 'data' : 'metadata';
    return unreadableEvent({ id, stream, revision, position, type }, `its ${part} is not a JSON object`);
  }
  return { id, stream, revision, position, type, data, metadata: metadata as EventMetadata };
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

export function textsSize(events: readonly Pick<EventTexts, 'data' | 'metadata'>[]): number {
  return events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
}

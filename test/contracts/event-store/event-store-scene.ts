import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { NewEvent, RecordedEvent } from '../../../src/kernel/event/event.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import type { AppendRequest, EventStore, ExpectedRevision, Subscriber } from '../../../src/ports/event-store.port.js';
import { specMetadata } from '../../support/given/given.js';

export interface OpenedEventStore {
  readonly store: EventStore;
  /** Closes the store and opens a new one on its data, as after a restart. */
  reopen(): Promise<EventStore>;
  /** Closes the open store and removes what was created for the test. */
  close(): Promise<void>;
}

/** The log may contain events of others, so every test uses a workspace of its own. */
export type OpenEventStore = () => Promise<OpenedEventStore>;

/** A workspace of its own for a test, and helpers for appending to it. */
export class Scene {
  readonly workspaceId = `ws_${randomUUID().replaceAll('-', '')}`;

  stream(id: string, category = 'function'): string {
    return streamOf(category, this.workspaceId, id);
  }

  event(type = 'FunctionEdited', data: object = {}): NewEvent {
    return {
      id: randomUUID(),
      type,
      data,
      metadata: specMetadata({ workspaceId: this.workspaceId }),
    };
  }

  events(count: number): readonly NewEvent[] {
    return Array.from({ length: count }, (_, n) => this.event('FunctionEdited', { n }));
  }

  request(id: string, expected: ExpectedRevision, events: number | readonly NewEvent[] = 1): AppendRequest {
    return { stream: this.stream(id), expected, events: typeof events === 'number' ? this.events(events) : events };
  }
}

export const idsOf = (events: readonly { readonly id: string }[]): readonly string[] => events.map(({ id }) => id);
export const revisionsOf = (events: readonly RecordedEvent[]): readonly number[] =>
  events.map(({ revision }) => revision);

/** Collects what a subscription delivers. */
export class Recorder {
  readonly events: RecordedEvent[] = [];
  readonly batches: { readonly events: readonly RecordedEvent[]; readonly caughtUpTo: number }[] = [];

  readonly handle: Subscriber['handle'] = async (events, caughtUpTo) => {
    this.events.push(...events);
    this.batches.push({ events, caughtUpTo });
  };
}

/** Waits until the condition holds. The time limit is generous, because the port promises no delay. */
export async function eventually(isSo: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + 12_000; !isSo(); await setTimeout(2)) {
    if (Date.now() > end) throw new Error(`Waited in vain: ${what}`);
  }
}

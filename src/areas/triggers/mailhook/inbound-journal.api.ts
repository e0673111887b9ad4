import { Injectable } from '@nestjs/common';
import { derivedUuid } from '../../../engine/derived-id.js';
import { Watermark } from '../../../engine/watermark.js';
import type { Actor, NewEvent } from '../../../kernel/event.js';
import { refuse } from '../../../kernel/refusal.js';
import { streamOf } from '../../../kernel/stream-name.js';
import { Clock } from '../../../ports/clock.port.js';
import {
  type AppendRequest,
  EventStore,
  EventStoreUnavailable,
  type ExpectedRevision,
  WrongExpectedRevision,
} from '../../../ports/event-store.port.js';
import { type InboundEmailEvent, inboundEmailCategory } from './inbound-email.record.js';

export interface InboundEntry {
  readonly workspaceId: string;
  readonly mailhookId: string;
  readonly actor: Actor;
  readonly event: InboundEmailEvent;
  /** The event id is derived from this text, so a repeated write is stored only once. */
  readonly once: string;
  readonly correlationId: string;
  /** Default: append at any revision. */
  readonly expected?: ExpectedRevision;
}

export const inboundStream = (workspaceId: string, mailhookId: string): string =>
  streamOf(inboundEmailCategory, workspaceId, mailhookId);

/** Writes the journals of mailhooks. */
@Injectable()
export class InboundJournal {
  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly watermark: Watermark,
  ) {}

  /**
   * Durable when it resolves, and visible to all later reads. Entries are written one after the other: after a failure,
   * those before it remain. Answers false, and writes nothing more, when a journal was not at the expected revision.
   * @throws Refusal store-unavailable
   */
  async write(...entries: readonly InboundEntry[]): Promise<boolean> {
    const requests = entries.map((entry) => this.requestFor(entry));
    try {
      const appended = await this.store.append(requests);
      for (const [at, { position }] of appended.entries()) {
        const request = requests[at];
        if (request === undefined) continue;
        const { stream, events } = request;
        this.watermark.appended(
          position,
          events.map(({ type }) => ({ stream, type })),
        );
      }
      return true;
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return false;
      if (!(error instanceof EventStoreUnavailable)) throw error;
      return refuse('store-unavailable', { store: 'event store' }, { retryAfterSeconds: 5 });
    }
  }

  private requestFor(entry: InboundEntry): AppendRequest {
    const { workspaceId, mailhookId, actor, event, once, correlationId, expected = 'any' } = entry;
    const commandId = derivedUuid(`${inboundStream(workspaceId, mailhookId)}/${event.type}/${once}`);
    const at = new Date(this.clock.now()).toISOString();
    const about = {
      workspaceId,
      actor,
      correlationId,
      causationId: event.type === 'InboundEmailReceived' ? event.data.mailId : null,
      commandId,
      operation: 'automations/inboundMail',
    };
    const written: NewEvent = { id: commandId, ...event, metadata: { ...about, at } };
    return { stream: inboundStream(workspaceId, mailhookId), expected, events: [written] };
  }
}

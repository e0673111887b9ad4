import { Injectable } from '@nestjs/common';
import { Journal, type JournalEntry, refusingWhenAway } from '../../../engine/journal/journal.js';
import type { Actor } from '../../../kernel/event/event.js';
import { type InboundEmailEvent, inboundStream } from './inbound-email.record.js';

export interface InboundEntry {
  readonly workspaceId: string;
  readonly mailhookId: string;
  readonly actor: Actor;
  readonly event: InboundEmailEvent;
  /** The event id is derived from this text, which makes a repeated write idempotent. */
  readonly once: string;
  readonly correlationId: string;
}

/** Writes the journals of mailhooks. Writers do not conflict: entries are appended at any revision. */
@Injectable()
export class InboundJournal {
  constructor(private readonly journal: Journal) {}

  /**
   * Resolves when the entries are durable and visible to all later reads. Writes in sequence: after a failure, the
   * earlier entries remain.
   * @throws Refusal store-unavailable
   */
  async write(...entries: readonly InboundEntry[]): Promise<void> {
    await refusingWhenAway(() => this.journal.appendAll(entries.map(inboundEntry)));
  }
}

function inboundEntry({ workspaceId, mailhookId, actor, event, once, correlationId }: InboundEntry): JournalEntry {
  const stream = inboundStream(workspaceId, mailhookId);
  const causationId = event.type === 'InboundEmailReceived' ? event.data.mailId : null;
  return {
    stream,
    by: { workspaceId, actor, correlationId, causationId, operation: 'automations/inboundMail' },
    events: [{ ...event, once: `${stream}/${event.type}/${once}` }],
  };
}

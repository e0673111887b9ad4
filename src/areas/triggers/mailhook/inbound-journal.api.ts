import { Injectable } from '@nestjs/common';
import { Journal, type JournalEntry, refusingWhenAway } from '../../../engine/journal/journal.js';
import type { Actor } from '../../../kernel/event/event.js';
import type { Appended } from '../../../ports/event-store.port.js';
import { type InboundEmailEvent, inboundStream } from './inbound-email.record.js';

export interface InboundEntry {
  readonly workspaceId: string;
  readonly mailhookId: string;
  readonly actor: Actor;
  readonly event: InboundEmailEvent;
  /** The event id is derived from this text, so a repeated write stores the event once. */
  readonly once: string;
  readonly correlationId: string;
}

/** Appends entries without an expected revision, because entries are independent of each other. */
@Injectable()
export class InboundJournal {
  constructor(private readonly journal: Journal) {}

  /**
   * Resolves when the entries are durable and all later reads see them. After a failure, the entries before the failed
   * one remain.
   * @throws Refusal store-unavailable
   */
  write(...entries: readonly InboundEntry[]): Promise<readonly Appended[]> {
    return refusingWhenAway(() => this.journal.appendAll(entries.map(inboundEntry)));
  }

  /**
   * If the entry at this revision was removed, returns the first one after it.
   * @throws Refusal store-unavailable
   */
  async at(workspaceId: string, mailhookId: string, revision: number): Promise<InboundEmailEvent | undefined> {
    const stream = inboundStream(workspaceId, mailhookId);
    return refusingWhenAway(async () => (await this.journal.at(stream, revision)) as InboundEmailEvent | undefined);
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

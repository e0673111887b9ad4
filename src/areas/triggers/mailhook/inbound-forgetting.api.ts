import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { Journal, refusingWhenAway } from '../../../engine/journal/journal.js';
import { systemActor } from '../../../engine/operation/calls.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { Blobs } from '../../../ports/blobs.port.js';
import { Vault } from '../../../ports/vault.port.js';
import {
  type InboundEmailEvent,
  inboundEmailName,
  inboundStream,
  rawMailName,
  rawMailsOf,
} from './inbound-email.record.js';

/** Maximum time, in milliseconds, between storing a raw mail and recording the mail. */
const recordingMs = 3_600_000;
const actor = systemActor('inbound-mail');

export interface ForgottenMails {
  readonly workspaceId: string;
  readonly mailhookId: string;
  /** Log position of the deletion of the mailhook, or of a mail that the deleted mailhook received. */
  readonly position: number;
  /** Time of the deletion, in ISO 8601. */
  readonly at: string;
}

/**
 * Destroys the content of received mails, and then removes their events from the journal. An event records the removal,
 * so a rebuild of the read models leads to the same result.
 */
@Injectable()
export class InboundForgetting {
  constructor(
    private readonly journal: Journal,
    private readonly loader: AggregateLoader,
    private readonly blobs: Blobs,
    private readonly vault: Vault,
  ) {}

  /**
   * Forgets the mails that were recorded up to the position. Mails after it remain, because the mailhook may have been
   * restored. If it was not, processing such a mail forgets it. Idempotent.
   */
  async allUpTo(mails: ForgottenMails): Promise<void> {
    await this.destroyContent(mails);
    while (!(await this.removeEvents(mails)));
  }

  private async destroyContent({ workspaceId, mailhookId, position, at }: ForgottenMails): Promise<void> {
    // Also destroys raw mails whose mail was never recorded. Newer raw mails stay: their mail may be recorded soon.
    await this.blobs.destroyAll(rawMailsOf(workspaceId, mailhookId), { before: Date.parse(at) - recordingMs });
    // The journal is read, because the read model may be behind. `removeEvents` then removes the only trace of a mail.
    const stream = inboundStream(workspaceId, mailhookId);
    for (const { data } of await this.received(stream, (event) => event.position <= position)) {
      const { mailId } = data as { readonly mailId: string };
      await this.blobs.destroy(rawMailName(workspaceId, mailhookId, mailId));
      await this.vault.destroy(inboundEmailName(workspaceId, mailId));
    }
  }

  /** Returns false if another writer has appended to the journal in the meantime. The journal's events then remain. */
  private async removeEvents({ workspaceId, mailhookId, position }: ForgottenMails): Promise<boolean> {
    const stream = inboundStream(workspaceId, mailhookId);
    const last = await this.journal.last(stream);
    if (last === undefined || isGone(last)) return true;
    const isAfter = (event: RecordedEvent) => event.position > position;
    const [newest, ...others] = await this.received(stream, isAfter, position);
    const oldest = others.at(-1) ?? newest;
    const throughRevision = oldest === undefined ? last.revision : oldest.revision - 1;
    const first = await this.journal.at(stream, 0);
    if (first === undefined || first.revision > throughRevision) return true;
    const event = {
      type: 'InboundEmailsForgotten',
      data: {
        throughRevision,
        receivedCount: newest === undefined ? 0 : others.length + 1,
        lastReceivedAt: newest?.metadata.at ?? null,
        gone: newest === undefined,
      },
    } satisfies InboundEmailEvent;
    const by = { workspaceId, actor, correlationId: mailhookId, operation: 'automations/inboundMail' };
    const events = [{ ...event, once: `${stream}/${event.type}/${throughRevision}` }];
    return refusingWhenAway(() =>
      this.journal.forget({ stream, by, events, expected: last.revision }, throughRevision),
    );
  }

  /** Returns the events of received mails, newest first. Events at or before the log position `after` may be missing. */
  private async received(
    stream: string,
    isSuch: (event: RecordedEvent) => boolean,
    after = -1,
  ): Promise<readonly RecordedEvent[]> {
    const received: RecordedEvent[] = [];
    const collect = (event: RecordedEvent) => {
      if (event.type === 'InboundEmailReceived' && isSuch(event)) received.push(event);
      return false;
    };
    await this.loader.holds(stream, collect, after);
    return received;
  }
}

const isGone = ({ type, data }: RecordedEvent) =>
  type === 'InboundEmailsForgotten' && 'gone' in data && data.gone === true;

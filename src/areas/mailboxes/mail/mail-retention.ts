import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Environment } from '../../../config/environment.js';
import { Calls, systemActor } from '../../../engine/calls.js';
import { LeaseKeeper, schedulerDuty } from '../../../engine/lease-keeper.js';
import { metadataOf } from '../../../engine/operation/call.js';
import type { RecordedEvent } from '../../../kernel/event.js';
import { streamOf } from '../../../kernel/stream-name.js';
import { Clock } from '../../../ports/clock.port.js';
import { EventStore, WrongExpectedRevision } from '../../../ports/event-store.port.js';
import { Ids } from '../../../ports/ids.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { type LastMail, type MailEvent, type MailUse, mailCategory } from './mail.record.js';

const dayMs = 24 * 3_600_000;

/** How many mailboxes are handled in one pass, so that a long backlog does not block other work. */
const mailboxesAtOnce = 100;

/**
 * Removes mails past the retention of runs. The journal records this first and is pruned afterwards, so that a rebuild
 * gives the same state.
 */
@Injectable()
export class MailRetention {
  constructor(
    private readonly store: ReadStore,
    private readonly events: EventStore,
    private readonly calls: Calls,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly environment: Environment,
    private readonly keeper: LeaseKeeper,
  ) {}

  @Interval('mail-retention', 3_600_000)
  async hourly(): Promise<void> {
    if (this.keeper.holds(schedulerDuty.name)) await this.sweep();
  }

  async sweep(): Promise<void> {
    const cutoff = new Date(this.clock.now() - this.environment.runRetentionDays * dayMs).toISOString();
    const old = await this.store.find<MailUse>('mailUses', {
      where: { oldestAt: { lt: cutoff } },
      sort: [['oldestAt', 'asc']],
      limit: mailboxesAtOnce,
    });
    for (const use of old) await this.forget(use, cutoff);
  }

  private async forget({ workspaceId, id }: MailUse, cutoff: string): Promise<void> {
    const stream = streamOf(mailCategory, workspaceId, id);
    const [newest] = await this.events.readStream(stream, { direction: 'backward', limit: 1 });
    if (newest === undefined) return;
    const kept = await this.firstKept(stream, cutoff);
    const data = { oldestAt: kept?.metadata.at ?? null, last: lastMail(newest as RecordedEvent & MailEvent) };
    const event: MailEvent = { type: 'MailsForgotten', data };
    const metadata = metadataOf(this.calls.once(workspaceId, systemActor('mail-retention'), 'mail-retention'));
    try {
      // Requires the expected revision: a mail recorded in between would be missing from this event.
      await this.events.append([
        { stream, expected: newest.revision, events: [{ ...event, id: this.ids.uuid(), metadata }] },
      ]);
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return;
      throw error;
    }
    await this.events.truncate(stream, kept?.revision ?? newest.revision + 1);
  }

  /** The first mail within retention. Undefined: there is none. */
  private async firstKept(stream: string, cutoff: string): Promise<RecordedEvent | undefined> {
    for (let from = 0; ; ) {
      const page = await this.events.readStream(stream, { from, limit: 500 });
      const last = page.at(-1);
      if (last === undefined) return undefined;
      const kept = page.find(({ type, metadata }) => type !== 'MailsForgotten' && metadata.at >= cutoff);
      if (kept !== undefined) return kept;
      from = last.revision + 1;
    }
  }
}

function lastMail({ type, data, metadata: { at } }: RecordedEvent & MailEvent): LastMail | null {
  switch (type) {
    case 'MailSent':
      return { at, error: null };
    case 'MailFailed':
      return { at, error: data.error };
    case 'MailsForgotten':
      return data.last;
  }
}

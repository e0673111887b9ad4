import { Injectable } from '@nestjs/common';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { derivedUuid } from '../../../kernel/event/derived-id.js';
import { TemplateTooLarge } from '../../../kernel/json/template.js';
import { BulkMail, type ReservedQuota } from '../../mailboxes/mail/bulk-mail.api.js';
import type { MailCause } from '../../mailboxes/mail/mail-request.api.js';
import type { MailAccount } from '../../mailboxes/mail-account/mail-account.record.js';
import type { Project } from '../../sites/project/project.record.js';
import type { Campaign } from '../campaign/campaign.record.js';
import { refuse } from '../campaigns.refusals.js';
import { Suppressions } from '../suppression/suppressions.api.js';
import { Unsubscribing } from '../suppression/unsubscribing.api.js';
import { BatchMoves } from './batch-moves.js';
import { unsettledRecipients } from './campaign-batch.js';
import type { CampaignBatch, RecipientOutcome } from './campaign-batch.record.js';
import { type CampaignTexts, writeCampaign } from './campaign-mail.js';
import { Flight, type Landing, landingOf } from './flight.js';
import { type Recipient, Recipients } from './recipients.js';

const retryMs = 60_000;

export interface SendingOf {
  readonly campaign: Campaign;
  readonly project: Project;
  readonly words: CampaignTexts;
  readonly account: MailAccount;
}

interface SendingTo extends SendingOf {
  readonly batch: CampaignBatch;
  readonly people: ReadonlyMap<string, Recipient>;
}

export type Stuck = string | null;

/** A recipient is recorded as taken before the mail is sent, so that no recipient can get two mails. */
@Injectable()
export class BatchSender {
  constructor(
    private readonly moves: BatchMoves,
    private readonly recipients: Recipients,
    private readonly bulk: BulkMail,
    private readonly suppressions: Suppressions,
    private readonly unsubscribing: Unsubscribing,
    private readonly calls: Calls,
  ) {}

  async send(sending: SendingOf, batch: CampaignBatch, stopping: AbortSignal): Promise<Stuck> {
    const people = await this.recipients.of(sending.project, batch.userIds);
    const skipped = unsettledRecipients(batch).flatMap((at) => skippedAt(at, people.get(batch.userIds[at] ?? '')));
    const open = skipped.length === 0 ? batch : await this.moves.move(batch, { ...none, settled: skipped });
    if (open === undefined || open.openAt === null) return null;
    const cause = causeOf(sending.campaign, open);
    const taken = await this.bulk.reserve(sending.account, unsettledRecipients(open).length, cause);
    const flight = new Flight(open, taken?.size ?? 0);
    const sendingTo = { ...sending, people, batch: open };
    try {
      await this.fly(sendingTo, flight, stopping);
    } finally {
      if (taken !== undefined) await this.settle(sendingTo, flight, taken, cause);
    }
    // Any process may claim the rest of the batch at once or, if mails of the batch are to be retried, after `retryMs`.
    if (!flight.isLost) await this.moves.release(open, flight.isAgain ? retryMs : 0);
    return flight.stuck;
  }

  private async fly(sending: SendingTo, flight: Flight, stopping: AbortSignal): Promise<void> {
    for (;;) {
      const taken = stopping.aborted ? [] : flight.next();
      const { bounced, ...landed } = flight.landed();
      if (taken.length + landed.settled.length + landed.untaken.length === 0) {
        if (flight.isOver) return;
        await flight.landing();
        continue;
      }
      await this.bounce(sending, bounced);
      if ((await this.moves.move(sending.batch, { taken, ...landed })) === undefined) flight.isLost = true;
      else for (const at of taken) flight.begin(at, this.sendOne(sending, at));
    }
  }

  private async sendOne(sending: SendingTo, at: number): Promise<Landing> {
    const { campaign, project, account, words } = sending;
    const person = personAt(sending, at);
    if (person === undefined) return gone;
    const { userId, suppressionId, email } = person;
    const link = this.unsubscribing.linkOf(project, { campaignId: campaign.id, userId, suppressionId });
    try {
      const key = derivedUuid(`${campaign.id}/${userId}`);
      await this.bulk.send(account, { to: email, ...written(words, person, link) }, key, link);
      return { kind: 'sent' };
    } catch (error) {
      return landingOf(error);
    }
  }

  /**
   * Suppresses the rejected addresses before it records the failures, so that a crash in between cannot lose a
   * suppression.
   */
  private async bounce(sending: SendingTo, bounced: readonly number[]): Promise<void> {
    const { project, campaign } = sending;
    for (const at of bounced) {
      const person = personAt(sending, at);
      if (person === undefined) continue;
      const call = this.calls.once(project.workspaceId, systemActor('campaigns'), 'campaigns');
      const cause = { reason: 'bounced', campaignId: campaign.id } as const;
      await this.suppressions.add(call, project.id, person.suppressionId, person.userId, cause);
    }
  }

  private async settle(
    { account, batch }: SendingTo,
    flight: Flight,
    taken: ReservedQuota,
    cause: MailCause,
  ): Promise<void> {
    const { sent, uncertain, refused, stuck } = flight;
    const failure = stuck === null ? null : { kind: 'mailbox', error: stuck };
    const used = sent + uncertain;
    await this.bulk.settle(
      account,
      taken,
      { batchId: batch.id, recipients: used + refused, refused, failure, unused: taken.size - used },
      cause,
    );
  }
}

const none = { taken: [], untaken: [], again: [], settled: [] };
const gone: Landing = { kind: 'failed', reason: 'The user was deleted.', isBounce: false, mayHaveLeft: false };

const personAt = ({ batch, people }: SendingTo, at: number) => people.get(batch.userIds[at] ?? '');

function skippedAt(at: number, person: Recipient | undefined): readonly RecipientOutcome[] {
  if (person === undefined) return [{ at, status: 'failed', reason: 'The user was deleted.' }];
  return person.isSuppressed ? [{ at, status: 'suppressed', reason: 'The address is suppressed.' }] : [];
}

function causeOf({ projectId, id }: Campaign, batch: CampaignBatch): MailCause {
  const actor = systemActor('campaigns');
  return { actor, operation: 'campaigns', correlationId: id, causationId: batch.id, siteId: projectId };
}

function written(words: CampaignTexts, person: Recipient, link: string) {
  try {
    return writeCampaign(words, person, link);
  } catch (error) {
    if (error instanceof TemplateTooLarge) return refuse('mail-text-too-large', { limit: 256 * 1024 });
    throw error;
  }
}

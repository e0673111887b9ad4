import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';

/** `waiting`: the recipient has no outcome yet. */
export const recipientStatuses = ['sent', 'failed', 'suppressed', 'waiting'] as const;
export type RecipientStatus = (typeof recipientStatuses)[number];

/** The outcome of a mail to one recipient. */
export interface RecipientOutcome {
  /** Index of the recipient in the batch. */
  readonly at: number;
  readonly status: Exclude<RecipientStatus, 'waiting'>;
  /** Reason of the outcome in one sentence without addresses. `null` if there is none. */
  readonly reason: string | null;
}

export interface BatchOf {
  readonly projectId: string;
  readonly campaignId: string;
}

/**
 * The events of a batch, which contains at most a hundred recipients of a campaign. They are in the stream
 * `campaignBatch-<workspace>.<campaignBatchId>`. The audit does not show them, because there are many and they contain
 * no news for members.
 */
export type CampaignBatchEvent =
  /**
   * The batch was listed. `through` is the last user who was checked for it, so the next batch begins after that user.
   */
  | DomainEvent<
      'CampaignBatchListed',
      BatchOf & { readonly number: number; readonly userIds: readonly string[]; readonly through: string }
    >
  /** From now on, the process named in the event sends the batch. */
  | DomainEvent<'CampaignBatchClaimed', BatchOf & { readonly process: string }>
  /**
   * The progress of sending, as indexes of recipients. `taken`: their mails are being sent, and no other mail may be
   * sent to them. `untaken`: their mails were certainly not sent, so they may be taken again. `again`: the untaken
   * recipients whose attempt is counted as failed. `settled`: their outcome, which never changes.
   */
  | DomainEvent<
      'CampaignBatchMoved',
      BatchOf & {
        readonly taken: readonly number[];
        readonly untaken: readonly number[];
        readonly again: readonly number[];
        readonly settled: readonly RecipientOutcome[];
      }
    >
  /** From `openAt` on, any process may claim the batch (ISO 8601). */
  | DomainEvent<'CampaignBatchReleased', BatchOf & { readonly openAt: string }>;

/** The state of a batch, which is also the document of the read model. */
export interface CampaignBatch extends Document, BatchOf {
  readonly number: number;
  readonly userIds: readonly string[];
  readonly through: string;
  readonly process: string | null;
  readonly taken: readonly number[];
  /** Number of failed attempts that may be repeated, keyed by index of the recipient. */
  readonly tries: Readonly<Record<string, number>>;
  readonly settled: readonly (RecipientOutcome & { readonly on: string })[];
  /**
   * Number of recipients by outcome. When recipients with one outcome are listed, these numbers are used to find their
   * batches.
   */
  readonly sent: number;
  readonly failed: number;
  readonly suppressed: number;
  readonly waiting: number;
  /** Time from which the batch may be claimed. `null` if all recipients have an outcome. */
  readonly openAt: string | null;
}

/** Numbers of a campaign's recipients, in total and by outcome. Stored under the campaign's id. */
export interface CampaignStats extends Document {
  readonly recipients: number;
  readonly sent: number;
  readonly failed: number;
  readonly suppressed: number;
  readonly waiting: number;
  readonly unsubscribed: number;
}

export const campaignBatchCategory = 'campaignBatch';
export const largestBatch = 100;

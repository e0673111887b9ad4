import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';

/** `waiting`: the recipient has no outcome yet. */
export const recipientStatuses = ['sent', 'failed', 'suppressed', 'waiting'] as const;
export type RecipientStatus = (typeof recipientStatuses)[number];

export interface RecipientOutcome {
  readonly at: number;
  readonly status: Exclude<RecipientStatus, 'waiting'>;
  /** One sentence without addresses, or `null`. */
  readonly reason: string | null;
}

export interface BatchOf {
  readonly projectId: string;
  readonly campaignId: string;
}

/**
 * A batch contains at most a hundred recipients. The stream is `campaignBatch-<workspace>.<campaignBatchId>`. The audit
 * does not show these events, because there are many and they contain no news for members.
 */
export type CampaignBatchEvent =
  /** `through` is the last user who was checked for the batch. The next batch begins after that user. */
  | DomainEvent<
      'CampaignBatchListed',
      BatchOf & { readonly number: number; readonly userIds: readonly string[]; readonly through: string }
    >
  | DomainEvent<'CampaignBatchClaimed', BatchOf & { readonly process: string }>
  /**
   * Indexes of recipients. `taken`: their mails are being sent, and no other mail may be sent to them. `untaken`: their
   * mails were certainly not sent, so they may be taken again. `again`: the untaken recipients whose attempt is counted
   * as failed. `settled`: the outcomes, which never change.
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

export interface CampaignBatch extends Document, BatchOf {
  readonly number: number;
  readonly userIds: readonly string[];
  readonly through: string;
  readonly process: string | null;
  readonly taken: readonly number[];
  /** Number of attempts that ended with `again`, keyed by the recipient's index in the batch. */
  readonly tries: Readonly<Record<string, number>>;
  readonly settled: readonly (RecipientOutcome & { readonly on: string })[];
  readonly sent: number;
  readonly failed: number;
  readonly suppressed: number;
  readonly waiting: number;
  /** Time from which the batch may be claimed. `null` if all recipients have an outcome. */
  readonly openAt: string | null;
}

/** Stored under the campaign's id. */
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

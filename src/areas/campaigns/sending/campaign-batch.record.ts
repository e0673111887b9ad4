import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';

/** `waiting` means that there is no outcome yet. */
export const recipientStatuses = ['sent', 'failed', 'suppressed', 'waiting'] as const;
export type RecipientStatus = (typeof recipientStatuses)[number];

/** The outcome of one recipient. */
export interface RecipientOutcome {
  /** The index in the batch. */
  readonly at: number;
  readonly status: Exclude<RecipientStatus, 'waiting'>;
  /** A sentence without addresses, or `null` if there is no reason to give. */
  readonly reason: string | null;
}

export interface BatchOf {
  readonly projectId: string;
  readonly campaignId: string;
}

/**
 * At most a hundred recipients of a campaign and their outcomes, in the stream
 * `campaignBatch-<workspace>.<campaignBatchId>`. It is not a record: its events are many and tell members no more than
 * the campaign does.
 */
export type CampaignBatchEvent =
  /** `through` is the last user who was read. The next batch begins after this user. */
  | DomainEvent<
      'CampaignBatchListed',
      BatchOf & { readonly number: number; readonly userIds: readonly string[]; readonly through: string }
    >
  /** The process sends the batch from now on. */
  | DomainEvent<'CampaignBatchClaimed', BatchOf & { readonly process: string }>
  /**
   * `taken` recipients get their mail now and no other later. Exceptions are `untaken` ones, whose mail was certainly
   * not sent; `again` lists those of them whose attempt is counted. Settled recipients never change.
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
  /** From this time on, in ISO 8601, any process may claim the rest of the batch. */
  | DomainEvent<'CampaignBatchReleased', BatchOf & { readonly openAt: string }>;

/** The read model's document, and the state for decisions. */
export interface CampaignBatch extends Document, BatchOf {
  readonly number: number;
  readonly userIds: readonly string[];
  readonly through: string;
  readonly process: string | null;
  readonly taken: readonly number[];
  /** Number of failed attempts that may be repeated, by index. */
  readonly tries: Readonly<Record<string, number>>;
  readonly settled: readonly (RecipientOutcome & { readonly on: string })[];
  /** Counts of settled recipients by status, so that pages of one status are found. */
  readonly sent: number;
  readonly failed: number;
  readonly suppressed: number;
  readonly waiting: number;
  /** Time from which it may be claimed. `null` once it is finished. */
  readonly openAt: string | null;
}

/** The number of a campaign's recipients, by outcome. Stored under the campaign's id. */
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

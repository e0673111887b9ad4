import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';

/** `waiting`: without an outcome yet. */
export const recipientStatuses = ['sent', 'failed', 'suppressed', 'waiting'] as const;
export type RecipientStatus = (typeof recipientStatuses)[number];

/** What became of one recipient. */
export interface RecipientOutcome {
  /** The index in the batch. */
  readonly at: number;
  readonly status: Exclude<RecipientStatus, 'waiting'>;
  /** A sentence without addresses; null if there is no reason to give. */
  readonly reason: string | null;
}

export interface BatchOf {
  readonly projectId: string;
  readonly campaignId: string;
}

/**
 * A hundred recipients of a campaign at most, `campaignBatch-<workspace>.<campaignBatchId>`: who they are, and what became
 * of each. It is no record, because these events are many and tell the members nothing that the campaign does not.
 */
export type CampaignBatchEvent =
  /** `through`: the last user who was looked at. The next batch begins after them. */
  | DomainEvent<
      'CampaignBatchListed',
      BatchOf & { readonly number: number; readonly userIds: readonly string[]; readonly through: string }
    >
  /** A process sends it now. */
  | DomainEvent<'CampaignBatchClaimed', BatchOf & { readonly process: string }>
  /**
   * `taken`: their mails go out now, and to each of them no other ever will, unless they are `untaken` because theirs surely
   * did not; of those, tries of `again` count. What is settled stays so.
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
  /** Any process may claim what is left of it, at this time or later. ISO 8601. */
  | DomainEvent<'CampaignBatchReleased', BatchOf & { readonly openAt: string }>;

/** The read model's document, and the state that decisions are about. */
export interface CampaignBatch extends Document, BatchOf {
  readonly number: number;
  readonly userIds: readonly string[];
  readonly through: string;
  readonly process: string | null;
  readonly taken: readonly number[];
  /** Number of failed tries that may be repeated, by index. */
  readonly tries: Readonly<Record<string, number>>;
  readonly settled: readonly (RecipientOutcome & { readonly on: string })[];
  /** Of those settled, by status, so that pages of one status are found. */
  readonly sent: number;
  readonly failed: number;
  readonly suppressed: number;
  readonly waiting: number;
  /** From when on it may be claimed; null: it is done. */
  readonly openAt: string | null;
}

/** How many recipients a campaign has, and what became of them, under the campaign's id. */
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

import { refuse } from '../campaigns.refusals.js';
import type {
  Campaign,
  CampaignCounts,
  CampaignEvent,
  CampaignOf,
  CampaignWaitReason,
  SendingBy,
} from './campaign.record.js';

const dayMs = 24 * 3_600_000;

/** @throws Refusal campaign-not-draft */
export function beginSending(before: Campaign, by: SendingBy): readonly CampaignEvent[] {
  mustBeDraft(before, 'sent');
  return [{ type: 'CampaignSendingBegun', data: { ...ofOne(before), ...by } }];
}

export interface Wait {
  readonly for: CampaignWaitReason;
  /** One sentence, without email addresses. */
  readonly because: string;
}

/**
 * Notifies members, at most once a day per campaign, if the campaign waits for its mailbox. A wait for the hourly limit
 * does not notify them.
 */
export function awaitSending(
  before: Campaign | undefined,
  wait: Wait,
  context: { readonly siteName: string; readonly noticeId: string; readonly now: number },
): readonly CampaignEvent[] {
  if (before?.status !== 'sending' || before.isPaused) return [];
  if (before.waitsFor === wait.for && before.waitsBecause === wait.because) return [];
  const { siteName, noticeId, now } = context;
  const wasNotified = before.noticedAt !== null && now - Date.parse(before.noticedAt) < dayMs;
  const notice =
    wait.for === 'hourly-limit' || wasNotified
      ? {}
      : { notice: noticeOf(siteName, noticeId, now, `The campaign '${before.name}' is waiting: ${wait.because}`) };
  return [{ type: 'CampaignWaiting', data: { ...ofOne(before), ...wait, ...notice } }];
}

export function continueSending(before: Campaign | undefined): readonly CampaignEvent[] {
  return before === undefined || before.waitsFor === null ? [] : [{ type: 'CampaignContinued', data: ofOne(before) }];
}

/** Removes the schedule of a campaign whose sending could not begin, and notifies members. */
export function missSchedule(
  before: Campaign,
  because: string,
  context: { readonly siteName: string; readonly noticeId: string; readonly now: number },
): readonly CampaignEvent[] {
  const { siteName, noticeId, now } = context;
  const summary = `The campaign '${before.name}' was not sent at its scheduled time: ${because}`;
  return [
    {
      type: 'CampaignScheduled',
      data: { ...ofOne(before), at: null, notice: noticeOf(siteName, noticeId, now, summary) },
    },
  ];
}

export function listAudience(before: Campaign | undefined, recipients: number): readonly CampaignEvent[] {
  if (before?.status !== 'sending' || before.audience !== null) return [];
  return [{ type: 'CampaignAudienceListed', data: { ...ofOne(before), recipients } }];
}

/** Does nothing unless every recipient has an outcome: sent, failed or suppressed (settled question Q-S84). */
export function endSending(before: Campaign | undefined, counts: CampaignCounts): readonly CampaignEvent[] {
  if (before?.status !== 'sending' || before.audience === null) return [];
  const { recipients, sent, failed, suppressed } = counts;
  if (sent + failed + suppressed !== before.audience) return [];
  return [{ type: 'CampaignSent', data: { ...ofOne(before), recipients, sent, failed, suppressed } }];
}

function noticeOf(siteName: string, id: string, now: number, summary: string) {
  return { id, name: siteName, summary, expiresAt: new Date(now + dayMs).toISOString() };
}

/** @throws Refusal campaign-not-draft */
export function mustBeDraft({ name, status }: Campaign, what: 'changed' | 'sent' | 'scheduled'): void {
  if (status !== 'draft') refuse('campaign-not-draft', { name, status, what });
}

export const ofOne = ({ projectId }: CampaignOf): CampaignOf => ({ projectId });

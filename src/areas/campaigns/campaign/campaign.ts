import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { isOneLine } from '../../../kernel/text/one-line.js';
import type { Text } from '../../../kernel/text/text.js';
import {
  type Campaign,
  type CampaignCounts,
  type CampaignEvent,
  type CampaignInput,
  type CampaignOf,
  campaigns,
  type NewCampaign,
  type SendingBy,
  type Waiting,
} from './campaign.record.js';
import { unfinishedMarkup } from './html-tokens.js';

const dayMs = 24 * 3_600_000;

export function createCampaign(sent: NewCampaign): readonly CampaignEvent[] {
  checkContent(sent);
  return campaigns.created(sent);
}

/** Only a draft is changed (Sites API, States). @throws Refusal campaign-not-draft */
export function updateCampaign(before: Campaign, sent: CampaignInput): readonly CampaignEvent[] {
  mustBeDraft(before, 'changed');
  checkContent(sent);
  return campaigns.changed(before, sent);
}

/** @throws Refusal campaign-not-draft */
export function beginSending(before: Campaign, by: SendingBy): readonly CampaignEvent[] {
  mustBeDraft(before, 'sent');
  return [{ type: 'CampaignSendingBegun', data: { ...ofOne(before), ...by } }];
}

/** `at` in UTC; null: it is not sent by itself. @throws Refusal campaign-not-draft, campaign-time-past */
export function scheduleCampaign(before: Campaign, at: string | null, now: number): readonly CampaignEvent[] {
  mustBeDraft(before, 'scheduled');
  if (at !== null && Date.parse(at) <= now) refuse('campaign-time-past');
  return at === before.scheduledAt ? [] : [{ type: 'CampaignScheduled', data: { ...ofOne(before), at } }];
}

/** @throws Refusal campaign-not-sending */
export function pauseCampaign(before: Campaign): readonly CampaignEvent[] {
  mustBeSending(before);
  return before.isPaused ? [] : [{ type: 'CampaignPaused', data: ofOne(before) }];
}

/** It goes on by this mailbox, whether it was paused or waited. @throws Refusal campaign-not-sending */
export function resumeCampaign(before: Campaign, by: SendingBy): readonly CampaignEvent[] {
  mustBeSending(before);
  const isGoing = !before.isPaused && before.waitsFor === null && before.mailAccountId === by.mailAccountId;
  return isGoing ? [] : [{ type: 'CampaignResumed', data: { ...ofOne(before), ...by } }];
}

export interface Wait {
  readonly for: Waiting;
  /** A sentence without addresses. */
  readonly because: string;
}

/** The members are told, but not of the hourly limit, and of each campaign once a day. */
export function awaitSending(
  before: Campaign | undefined,
  wait: Wait,
  told: { readonly siteName: string; readonly noticeId: string; readonly now: number },
): readonly CampaignEvent[] {
  if (before?.status !== 'sending' || before.isPaused) return [];
  if (before.waitsFor === wait.for && before.waitsBecause === wait.because) return [];
  const { siteName, noticeId, now } = told;
  const isTold = before.noticedAt !== null && now - Date.parse(before.noticedAt) < dayMs;
  const notice =
    wait.for === 'hourly-limit' || isTold
      ? {}
      : { notice: noticeOf(siteName, noticeId, now, `The campaign '${before.name}' waits: ${wait.because}`) };
  return [{ type: 'CampaignWaiting', data: { ...ofOne(before), ...wait, ...notice } }];
}

export function continueSending(before: Campaign | undefined): readonly CampaignEvent[] {
  return before === undefined || before.waitsFor === null ? [] : [{ type: 'CampaignContinued', data: ofOne(before) }];
}

/** Its time came, and it could not begin. */
export function missSchedule(
  before: Campaign | undefined,
  because: string,
  told: { readonly siteName: string; readonly noticeId: string; readonly now: number },
): readonly CampaignEvent[] {
  if (before?.status !== 'draft' || before.scheduledAt === null) return [];
  const { siteName, noticeId, now } = told;
  const summary = `The campaign '${before.name}' was not sent at its time: ${because}`;
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

/** Once everybody whom it is for was sent to, failed or is suppressed (settled question Q-S84). */
export function endSending(before: Campaign | undefined, counts: CampaignCounts): readonly CampaignEvent[] {
  if (before?.status !== 'sending' || before.audience === null) return [];
  const { recipients, sent, failed, suppressed } = counts;
  if (sent + failed + suppressed !== before.audience) return [];
  return [{ type: 'CampaignSent', data: { ...ofOne(before), recipients, sent, failed, suppressed } }];
}

function noticeOf(siteName: string, id: string, now: number, summary: string) {
  return { id, name: siteName, summary, expiresAt: new Date(now + dayMs).toISOString() };
}

interface Content {
  readonly subject?: string | undefined;
  readonly html?: Text | undefined;
}

/** @throws Refusal invalid-input */
function checkContent({ subject, html }: Content): void {
  if (subject !== undefined && (!isOneLine(subject) || subject.trim() === '')) {
    refuseInput([{ path: 'subject', message: 'must be one line of text without control characters' }]);
  }
  if (typeof html !== 'string') return;
  if (html.trim() === '') refuseInput([{ path: 'html', message: 'must not be empty' }]);
  const open = unfinishedMarkup(html);
  if (open !== undefined) {
    refuseInput([
      { path: 'html', message: `leaves ${open} open, which would hide the footer to unsubscribe: close it` },
    ]);
  }
}

function mustBeDraft({ name, status }: Campaign, what: 'changed' | 'sent' | 'scheduled'): void {
  if (status !== 'draft') refuse('campaign-not-draft', { name, status, what });
}

function mustBeSending({ name, status }: Campaign): void {
  if (status !== 'sending') refuse('campaign-not-sending', { name, status });
}

const ofOne = ({ projectId }: CampaignOf): CampaignOf => ({ projectId });

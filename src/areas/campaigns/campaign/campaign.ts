import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { isOneLine } from '../../../kernel/text/one-line.js';
import type { Text } from '../../../kernel/text/text.js';
import { refuse } from '../campaigns.refusals.js';
import {
  type Campaign,
  type CampaignEvent,
  type CampaignInput,
  campaigns,
  type NewCampaign,
  type SendingBy,
} from './campaign.record.js';
import { mustBeDraft, ofOne } from './campaign-life.api.js';
import { unfinishedMarkup } from './html-tokens.js';

export function createCampaign(sent: NewCampaign): readonly CampaignEvent[] {
  checkContent(sent);
  return campaigns.created(sent);
}

/**
 * Only a draft can be changed (Sites API, States).
 * @throws Refusal campaign-not-draft
 */
export function updateCampaign(before: Campaign, sent: CampaignInput): readonly CampaignEvent[] {
  mustBeDraft(before, 'changed');
  checkContent(sent);
  return campaigns.changed(before, sent);
}

/**
 * `at` is in UTC; null removes the schedule.
 * @throws Refusal campaign-not-draft, campaign-time-past
 */
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

/** @throws Refusal campaign-not-sending */
export function resumeCampaign(before: Campaign, by: SendingBy): readonly CampaignEvent[] {
  mustBeSending(before);
  const isGoing = !before.isPaused && before.waitsFor === null && before.mailAccountId === by.mailAccountId;
  return isGoing ? [] : [{ type: 'CampaignResumed', data: { ...ofOne(before), ...by } }];
}

interface Content {
  readonly subject?: string | undefined;
  readonly html?: Text | undefined;
}

function checkContent({ subject, html }: Content): void {
  if (subject !== undefined && (!isOneLine(subject) || subject.trim() === '')) {
    refuseInput([{ path: 'subject', message: 'must be one line of text without control characters' }]);
  }
  if (typeof html !== 'string') return;
  if (html.trim() === '') refuseInput([{ path: 'html', message: 'must not be empty' }]);
  const open = unfinishedMarkup(html);
  if (open !== undefined) {
    refuseInput([{ path: 'html', message: `leaves ${open} open, which would hide the unsubscribe footer: close it` }]);
  }
}

function mustBeSending({ name, status }: Campaign): void {
  if (status !== 'sending') refuse('campaign-not-sending', { name, status });
}

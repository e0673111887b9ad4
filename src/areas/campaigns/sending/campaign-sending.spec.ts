import { expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import type { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { Calls } from '../../../engine/operation/calls.js';
import { refusalOf } from '../../../engine/refusals/engine.refusals.js';
import type { Mailboxes } from '../../mailboxes/mail/mailboxes.api.js';
import type { Campaign, CampaignEvent } from '../campaign/campaign.record.js';
import { CampaignSending } from './campaign-sending.js';

const unused = null as never;
const clock = new MadeUpClock();
const due = new Date(clock.now() - 1_000).toISOString();
const later = new Date(clock.now() + 3_600_000).toISOString();
const campaign = {
  id: 'cmp_1',
  workspaceId: 'ws',
  projectId: 'prj_1',
  name: 'News',
  status: 'draft',
  scheduledAt: due,
  updatedAt: due,
} as Campaign;

/** Begins the campaign, whose site has no mailbox. `now` is the campaign when that is recorded. */
async function recordedFor(now: Campaign): Promise<readonly CampaignEvent[]> {
  const recorded: CampaignEvent[] = [];
  const runner = {
    find: async ({ category }: { category: string }) =>
      category === 'campaign' ? campaign : { id: 'prj_1', workspaceId: 'ws', name: 'Shop' },
    change: async (_: unknown, { decide }: { decide: (before: Campaign) => readonly CampaignEvent[] }) =>
      void recorded.push(...decide(now)),
  } as unknown as CommandRunner;
  const mailboxes = {
    defaultOf: async () => {
      throw refusalOf('too-much-contention');
    },
  } as unknown as Mailboxes;
  const calls = { once: () => ({ newId: () => 'no_1' }) } as unknown as Calls;
  const sending = new CampaignSending(runner, unused, unused, unused, unused, unused, unused, mailboxes, calls, clock);
  await sending.attempt({ workspaceId: 'ws', campaignId: 'cmp_1' } as never, new AbortController().signal);
  return recorded;
}

it('a scheduled campaign that cannot begin loses that schedule, but not one that was set meanwhile', async () => {
  expect(await recordedFor(campaign)).toMatchObject([{ type: 'CampaignScheduled', data: { at: null } }]);
  expect(await recordedFor({ ...campaign, scheduledAt: later })).toEqual([]);
  expect(await recordedFor({ ...campaign, scheduledAt: null })).toEqual([]);
  expect(await recordedFor({ ...campaign, status: 'sending' })).toEqual([]);
});

import { riskyWhen, success } from '../../../engine/operation/operation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { resource } from '../../../engine/records/resource.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { timeOf } from '../../../kernel/field/sent-time.js';
import { updateSpecs } from '../../../kernel/noun/noun-specs.js';
import { ConditionChecks } from '../../access/judging/condition-checks.api.js';
import { Mailboxes } from '../../mailboxes/mail/mailboxes.api.js';
import { createCampaign, pauseCampaign, resumeCampaign, scheduleCampaign, updateCampaign } from './campaign.js';
import { type Campaign, type CampaignEvent, type CampaignInput, campaigns, type SendingBy } from './campaign.record.js';
import { CampaignAnswers, CampaignStatsShape } from './campaign-answers.js';
import { beginSending } from './campaign-life.api.js';

const campaign = resource(campaigns, {
  source: 'Sites API, Campaigns and suppressions',
  group: 'campaigns',
  tools: 'granted',
  reads: 'site.read',
  edits: 'site.edit',
  id: 'cmp',
  answer: {
    called: 'CampaignRecord',
    also: {
      stats: { type: 'object', shape: () => CampaignStatsShape },
    },
    order: [
      ...['id', 'name', 'subject', 'html', 'text', 'audienceRules', 'status', 'scheduledAt', 'startedAt', 'sentAt'],
      ...['isPaused', 'waitsFor', 'waitsBecause', 'stats'],
    ],
    dates: ['createdAt', 'updatedAt'],
  },
  inject: [CampaignAnswers],
  beside: (one, _, answers) => answers.of(one),
});

const shared = {
  source: 'Sites API, Campaigns and suppressions',
  group: 'campaigns',
  permission: 'site.edit',
  tools: 'granted',
  within: 'project',
} as const;
const own = { ...shared, source: 'Supplementary, sites, Mail of a site' } as const;
const named = { projectId: idField, id: idField } as const;

interface Named {
  readonly projectId: string;
  readonly id: string;
}

/** @throws Refusal campaign-not-found, also if the campaign belongs to another site */
const ofProject = (before: Campaign, { projectId }: Named): Campaign =>
  before.projectId === projectId ? before : campaigns.missing();

async function checkedRules(
  checks: ConditionChecks,
  { workspaceId }: OperationContext,
  projectId: string,
  sent: Condition | null | undefined,
): Promise<{ readonly audienceRules?: Condition | null }> {
  if (sent === undefined || sent === null) return sent === null ? { audienceRules: null } : {};
  const about = {
    workspaceId,
    projectId,
    place: 'audience',
    of: "the campaign's audience",
    path: 'audienceRules',
  } as const;
  return { audienceRules: await checks.checked(about, sent) };
}

/**
 * Campaigns are sent through the site's default mailbox (settled question Q-S86).
 * @throws Refusal needsMailbox
 */
async function byDefault(
  { projectId }: Named,
  { workspaceId }: OperationContext,
  mailboxes: Mailboxes,
  answers: CampaignAnswers,
): Promise<{ readonly by: SendingBy; readonly answers: CampaignAnswers }> {
  const { id: mailAccountId, name: mailbox } = await mailboxes.defaultOf(workspaceId, projectId);
  return { by: { mailAccountId, mailbox }, answers };
}

const answered = { answers: { record: campaign.shape }, record: campaigns, id: ({ id }: Named) => id } as const;

export const campaignOperations = [
  campaign.list('site/listCampaigns', {
    summary: 'Lists the campaigns of a project with their delivery statistics, oldest first.',
  }),
  campaign.create('site/createCampaign', {
    summary:
      'Creates a draft of a campaign, a mailing to users of the site. The recipients are determined when it is sent.',
    inject: [ConditionChecks],
    prepare: ({ projectId, audienceRules }, call, checks) => checkedRules(checks, call, projectId, audienceRules),
    decide: (sent, _, __, rules) => createCampaign({ ...sent, ...rules }),
  }),
  recordCommand('site/updateCampaign', {
    ...shared,
    summary: 'Updates a campaign that is still a draft.',
    // A scheduled campaign is sent with the content that it has then, so a change of it changes what was approved.
    risky: riskyWhen<Campaign, CampaignEvent>((_, { scheduledAt }) => scheduledAt !== null),
    answers: answered.answers,
    input: { ...named, ...(updateSpecs(campaigns.fields) as Record<string, never>) },
    record: campaigns,
    id: ({ id }) => String(id),
    inject: [ConditionChecks, CampaignAnswers],
    prepare: async (sent, call, checks, answers) => {
      const {
        projectId,
        id: _,
        reason: __,
        ...changes
      } = sent as unknown as Named & CampaignInput & { reason?: string };
      const normalised = campaigns.normalise(changes);
      return {
        projectId,
        changes: { ...normalised, ...(await checkedRules(checks, call, projectId, normalised.audienceRules)) },
        answers,
      };
    },
    decide: (before, sent, _, { changes }) => updateCampaign(ofProject(before, sent as unknown as Named), changes),
    answer: (after, { answers }) => shown(after, answers),
  }),
  recordCommand('site/deleteCampaign', {
    ...shared,
    summary: 'Deletes a campaign in any status. Mails that have not been sent yet are not sent.',
    takesAway: true,
    answers: success,
    input: named,
    record: campaigns,
    id: ({ id }) => id,
    decide: (before, sent) => campaigns.deleted(ofProject(before, sent)),
  }),
  recordCommand('site/sendCampaign', {
    ...shared,
    ...answered,
    summary:
      'Sends a draft to the users who are in its audience now, through the default mailbox of the site and within its hourly limit.',
    risky: true,
    outside: ['sends mail'],
    input: named,
    inject: [Mailboxes, CampaignAnswers],
    prepare: byDefault,
    decide: (before, sent, _, { by }) => beginSending(ofProject(before, sent), by),
    answer: (after, { answers }) => shown(after, answers),
  }),
  recordCommand('site/scheduleCampaign', {
    ...own,
    ...answered,
    summary: 'Schedules a draft to be sent at a given time, or cancels its schedule.',
    risky: true,
    outside: ['sends mail'],
    input: {
      ...named,
      at: {
        type: 'string',
        format: 'date-time',
        nullable: true,
        description: 'Time at which to send the campaign. null cancels the schedule.',
      },
    },
    inject: [CampaignAnswers],
    prepare: async ({ at }, _, answers) => ({ at: at === null ? null : timeOf('at', at), answers }),
    decide: (before, sent, call, { at }) => scheduleCampaign(ofProject(before, sent), at, Date.parse(call.at)),
    answer: (after, { answers }) => shown(after, answers),
  }),
  recordCommand('site/pauseCampaign', {
    ...own,
    ...answered,
    summary: 'Pauses the sending of a campaign. At most the current batch is still sent.',
    input: named,
    inject: [CampaignAnswers],
    prepare: async (_, __, answers) => ({ answers }),
    decide: (before, sent) => pauseCampaign(ofProject(before, sent)),
    answer: (after, { answers }) => shown(after, answers),
  }),
  recordCommand('site/resumeCampaign', {
    ...own,
    ...answered,
    summary: 'Resumes a campaign that is paused or waiting, through the default mailbox of the site.',
    risky: true,
    outside: ['sends mail'],
    input: named,
    inject: [Mailboxes, CampaignAnswers],
    prepare: byDefault,
    decide: (before, sent, _, { by }) => resumeCampaign(ofProject(before, sent), by),
    answer: (after, { answers }) => shown(after, answers),
  }),
];

async function shown(after: Campaign | undefined, answers: CampaignAnswers) {
  const record = after ?? campaigns.missing();
  return { ...record, ...(await answers.of(record)) };
}

import type { Condition } from '../../../kernel/condition/condition.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { boolean, dateTime, fieldOf, id, largeText, name, oneOf, text } from '../../../kernel/noun/fields.js';
import { noun } from '../../../kernel/noun/noun.js';
import type { CreateInput, KeysOf, NounEvents, RecordOf, UpdateInput } from '../../../kernel/noun/noun-types.js';
import type { ProjectNotice } from '../../sites/project/project.record.js';
import { refuse } from '../campaigns.refusals.js';

/**
 * Maximum size of the HTML and of the text, in bytes of UTF-8. Inserted values and the footer can make a mail larger
 * than this.
 */
export const largestContent = 200 * 1024;

export const waitings = ['hourly-limit', 'mailbox'] as const;
export type CampaignWaitReason = (typeof waitings)[number];

const fields = {
  projectId: id().key(),
  name: name(),
  subject: text({ minLength: 1, maxLength: 500 }).describe({
    sent: "One line. Placeholders such as `{{userName}}` are replaced by the recipient's values.",
  }),
  html: largeText(largestContent).shownAs({ type: 'string' }).describe({
    sent: 'Values inserted for placeholders such as `{{userName}}` are escaped. A footer with an unsubscribe link is added.',
  }),
  text: largeText(largestContent).nullable().shownAs({ type: 'string' }).describe({
    sent: 'The plain-text part. If omitted or empty, it is generated from the HTML.',
    answer: 'The plain-text part. null if it is generated from the HTML.',
  }),
  audienceRules: fieldOf<Condition>()({ type: 'any', must: 'a condition', schema: { type: ['object', 'array'] } })
    .orNull()
    .describe({
      sent: 'A condition that selects users of the site. If omitted or null, all users are selected.',
      answer: 'A condition that selects users of the site. null if all users are selected.',
    }),
  status: oneOf('draft', 'sending', 'sent').folded('draft'),
  scheduledAt: dateTime()
    .nullable()
    .folded(null)
    .describe('Time at which the campaign will be sent. null if it is not scheduled.'),
  startedAt: dateTime().nullable().folded(null).describe('Time at which sending began. null if it has not begun.'),
  sentAt: dateTime()
    .nullable()
    .folded(null)
    .describe('Time at which the last mail was processed. null if sending is not complete.'),
  isPaused: boolean().folded(false),
  waitsFor: oneOf(...waitings)
    .nullable()
    .folded(null)
    .describe(
      "Why sending is waiting: the mailbox's hourly limit, or a problem with the mailbox. null if it is not waiting.",
    ),
  waitsBecause: text()
    .nullable()
    .folded(null)
    .describe('A sentence that explains waitsFor. null if sending is not waiting.'),
  mailAccountId: id().nullable().folded(null).internal(),
  audience: fieldOf<number>()({ type: 'integer' }).nullable().folded(null).internal(),
  noticedAt: dateTime().nullable().folded(null).inner(),
  /** Time from which the service must work on the campaign again. `null` if it need not. */
  dueAt: dateTime().nullable().folded(null).inner(),
};

const events = { created: 'CampaignCreated', changed: 'CampaignUpdated', deleted: 'CampaignDeleted' } as const;

export type CampaignOf = KeysOf<typeof fields>;
export type NewCampaign = CreateInput<typeof fields>;
export type CampaignInput = UpdateInput<typeof fields>;

export interface SendingBy {
  readonly mailAccountId: string;
  readonly mailbox: string;
}

export interface CampaignCounts {
  readonly recipients: number;
  readonly sent: number;
  readonly failed: number;
  readonly suppressed: number;
}

export type CampaignEvent =
  | NounEvents<typeof fields, typeof events>
  | DomainEvent<'CampaignScheduled', CampaignOf & { readonly at: string | null; readonly notice?: ProjectNotice }>
  | DomainEvent<'CampaignSendingBegun', CampaignOf & SendingBy>
  | DomainEvent<'CampaignAudienceListed', CampaignOf & { readonly recipients: number }>
  | DomainEvent<
      'CampaignWaiting',
      CampaignOf & { readonly for: CampaignWaitReason; readonly because: string; readonly notice?: ProjectNotice }
    >
  | DomainEvent<'CampaignContinued', CampaignOf>
  | DomainEvent<'CampaignPaused', CampaignOf>
  | DomainEvent<'CampaignResumed', CampaignOf & SendingBy>
  | DomainEvent<'CampaignSent', CampaignOf & CampaignCounts>;

export interface Campaign extends RecordOf<typeof fields> {
  readonly updatedAt: string;
}

/** Value of `dueAt` that is in the past even if a clock was set back. */
const always = '1970-01-01T00:00:00.000Z';
const goesOn = { waitsFor: null, waitsBecause: null } as const;

export const campaigns = noun<Campaign, CampaignEvent>()({
  kind: 'campaign',
  fields,
  events,
  auditedFor: 'site.read',
  shownBy: 'site/listCampaigns',
  limited: true,
  of: { project: 'projectId' },
  undoing: {
    sets: ['site/updateCampaign'],
    makes: 'site/createCampaign',
    ends: 'site/deleteCampaign',
    otherwise:
      'Mail that was sent cannot be recalled; pauseCampaign and deleteCampaign stop mail that is still to be sent.',
    gone: 'A deleted campaign cannot be restored; create it again.',
  },
  sentences: {
    CampaignScheduled: (_, { data: { at, notice } }) => {
      if (notice !== undefined) return 'Not sent at its time';
      return at === null ? 'Not to be sent by itself any more' : `To be sent by itself at ${at}`;
    },
    CampaignSendingBegun: (_, { data: { mailbox } }) => `Sending begun by the mailbox "${mailbox}"`,
    CampaignAudienceListed: (_, { data: { recipients } }) => `Audience found: ${recipients} recipients`,
    CampaignWaiting: (_, { data: { because } }) => `Sending waits: ${because.replace(/\.$/, '')}`,
    CampaignContinued: () => 'Sending goes on',
    CampaignPaused: () => 'Sending paused',
    CampaignResumed: (_, { data: { mailbox } }) => `Sending resumed by the mailbox "${mailbox}"`,
    CampaignSent: (_, { data: { recipients, sent, failed, suppressed } }) =>
      `Sent to ${sent} of ${recipients} recipients; ${failed} failed and ${suppressed} were suppressed`,
  },
  missing: () => refuse('campaign-not-found'),
  collection: {
    name: 'campaigns',
    version: 1,
    indexes: [{ fields: ['workspaceId', 'projectId', 'createdAt'] }, { fields: ['dueAt'] }],
  },
  updatedAt: true,
  folds: {
    CampaignScheduled: (_, { data: { at } }) => ({ scheduledAt: at, dueAt: at }),
    CampaignSendingBegun: (_, { data: { mailAccountId }, metadata: { at } }) => ({
      status: 'sending',
      startedAt: at,
      scheduledAt: null,
      mailAccountId,
      dueAt: always,
    }),
    CampaignAudienceListed: (_, { data: { recipients } }) => ({ audience: recipients }),
    CampaignWaiting: ({ noticedAt }, { data, metadata: { at } }) => ({
      waitsFor: data.for,
      waitsBecause: data.because,
      noticedAt: data.notice === undefined ? noticedAt : at,
    }),
    CampaignContinued: () => goesOn,
    CampaignPaused: () => ({ isPaused: true, dueAt: null, ...goesOn }),
    CampaignResumed: (_, { data: { mailAccountId } }) => ({
      isPaused: false,
      mailAccountId,
      dueAt: always,
      ...goesOn,
    }),
    CampaignSent: (_, { metadata: { at } }) => ({ status: 'sent', sentAt: at, dueAt: null, ...goesOn }),
  },
});

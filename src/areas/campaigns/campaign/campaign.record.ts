import type { Condition } from '../../../kernel/condition/condition.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { boolean, dateTime, fieldOf, id, largeText, name, oneOf, text } from '../../../kernel/noun/fields.js';
import { noun } from '../../../kernel/noun/noun.js';
import type { CreateInput, KeysOf, NounEvents, RecordOf, UpdateInput } from '../../../kernel/noun/noun-types.js';
import type { ProjectNotice } from '../../sites/project/project.record.js';
import { refuse } from '../campaigns.refusals.js';

/**
 * Maximum size in bytes of UTF-8, for html and text each. A mail must have room for it with inserted values and the
 * footer.
 */
export const largestContent = 200 * 1024;

/** Reasons for which a campaign waits while it is being sent. */
export const waitings = ['hourly-limit', 'mailbox'] as const;
export type CampaignWaitReason = (typeof waitings)[number];

const fields = {
  projectId: id().key(),
  name: name(),
  subject: text({ minLength: 1, maxLength: 500 }).describe({
    sent: 'One line; `{{userName}}` and the like are filled.',
  }),
  html: largeText(largestContent)
    .shownAs({ type: 'string' })
    .describe({ sent: 'A value in place of `{{userName}}` is escaped. A footer to unsubscribe is added.' }),
  text: largeText(largestContent).nullable().shownAs({ type: 'string' }).describe({
    sent: 'The part for readers without HTML. Left out or empty: it is made of the HTML.',
    answer: 'null: it is made of the HTML.',
  }),
  audienceRules: fieldOf<Condition>()({ type: 'any', must: 'a condition', schema: { type: ['object', 'array'] } })
    .orNull()
    .describe({
      sent: 'A condition about users of the site. Left out or null: all of them.',
      answer: 'null: all users of the site.',
    }),
  status: oneOf('draft', 'sending', 'sent').folded('draft'),
  scheduledAt: dateTime().nullable().folded(null).describe('When it is sent by itself. null: it is not scheduled.'),
  startedAt: dateTime().nullable().folded(null).describe('When sending began.'),
  sentAt: dateTime().nullable().folded(null).describe('When the last mail was done.'),
  isPaused: boolean().folded(false),
  waitsFor: oneOf(...waitings)
    .nullable()
    .folded(null)
    .describe('What keeps it from sending now. null: nothing.'),
  waitsBecause: text().nullable().folded(null).describe('The same as a sentence.'),
  /** The mailbox through which the campaign is sent. */
  mailAccountId: id().nullable().folded(null).internal(),
  /** Number of users in the audience, once all of them are listed. */
  audience: fieldOf<number>()({ type: 'integer' }).nullable().folded(null).internal(),
  /** When the last notice was sent about waiting for the mailbox. */
  noticedAt: dateTime().nullable().folded(null).inner(),
  /** When the service must next work on the campaign. */
  dueAt: dateTime().nullable().folded(null).inner(),
};

const events = { created: 'CampaignCreated', changed: 'CampaignUpdated', deleted: 'CampaignDeleted' } as const;

export type CampaignOf = KeysOf<typeof fields>;
export type NewCampaign = CreateInput<typeof fields>;
export type CampaignInput = UpdateInput<typeof fields>;

/** The mailbox through which a campaign is sent. */
export interface SendingBy {
  readonly mailAccountId: string;
  readonly mailbox: string;
}

/** Number of recipients of a campaign, in total and by outcome. */
export interface CampaignCounts {
  readonly recipients: number;
  readonly sent: number;
  readonly failed: number;
  readonly suppressed: number;
}

export type CampaignEvent =
  | NounEvents<typeof fields, typeof events>
  /** If `at` is null, the campaign is not scheduled any more. */
  | DomainEvent<'CampaignScheduled', CampaignOf & { readonly at: string | null; readonly notice?: ProjectNotice }>
  | DomainEvent<'CampaignSendingBegun', CampaignOf & SendingBy>
  /** Every recipient is listed, in batches. */
  | DomainEvent<'CampaignAudienceListed', CampaignOf & { readonly recipients: number }>
  | DomainEvent<
      'CampaignWaiting',
      CampaignOf & { readonly for: CampaignWaitReason; readonly because: string; readonly notice?: ProjectNotice }
    >
  /** The campaign no longer waits and continues. */
  | DomainEvent<'CampaignContinued', CampaignOf>
  | DomainEvent<'CampaignPaused', CampaignOf>
  | DomainEvent<'CampaignResumed', CampaignOf & SendingBy>
  | DomainEvent<'CampaignSent', CampaignOf & CampaignCounts>;

export interface Campaign extends RecordOf<typeof fields> {
  readonly updatedAt: string;
}

/** A time that is always due, even after a clock was set back. */
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
    otherwise: 'Mail that was sent is not taken back; pauseCampaign and deleteCampaign stop what is still to be sent.',
    gone: 'A deleted campaign does not come back; create it again.',
  },
  says: {
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

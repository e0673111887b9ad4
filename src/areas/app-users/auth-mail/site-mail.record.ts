import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../app-users.refusals.js';

/** `taken` notifies a user that someone tried to sign up with the user's email. */
export const siteMailKinds = ['verify', 'reset', 'welcome', 'taken', 'receipt'] as const;
export type SiteMailKind = (typeof siteMailKinds)[number];

/** The address, link and text of a mail must not be in the log. */
interface SiteMailFacts {
  readonly projectId: string;
  readonly kind: SiteMailKind;
  /** If this user is deleted, the mail is destroyed. */
  readonly userId: string | null;
  readonly sendUntil: string;
  /** Time when the content is destroyed (ISO 8601). */
  readonly expiresAt: string;
}

export type SiteMailEvent =
  | DomainEvent<'SiteMailAccepted', SiteMailFacts>
  /** `error` is one sentence without email addresses. */
  | DomainEvent<'SiteMailDelayed', { readonly attempts: number; readonly error: string; readonly retryAt: string }>
  /** The mail could not be sent. Members can read it until its retention ends. */
  | DomainEvent<'SiteMailKept', { readonly error: string }>
  /**
   * `mailbox` is `null` if the platform's sender sent the mail. Events that older versions of the service recorded have
   * no `projectId` and `kind`.
   */
  | DomainEvent<
      'SiteMailSent',
      { readonly mailbox: string | null; readonly messageId: string } & Partial<
        Pick<SiteMailFacts, 'projectId' | 'kind'>
      >
    >
  | DomainEvent<
      'SiteMailForgotten',
      { readonly why: 'expired' | 'not-sent' | 'user-deleted' | 'project-deleted'; readonly error?: string }
    >;

export interface SiteMailInHand extends Document, SiteMailFacts {
  readonly status: 'accepted' | 'delayed' | 'kept';
  readonly attempts: number;
  readonly error: string | null;
  /** Time of the next attempt or, if there is none, of the deletion (ISO 8601). */
  readonly dueAt: string;
  readonly createdAt: string;
}

export const siteMails = plainRecord<SiteMailInHand, SiteMailEvent>()({
  category: 'siteMail',
  auditedFor: 'site.users',
  shownBy: 'site/listOutgoingMail',
  of: { project: 'projectId', appUser: 'userId' },
  undoing: 'Past events cannot be undone; getStateAt returns the earlier state.',
  missing: () => refuse('site-mail-not-found'),
  collection: {
    name: 'siteMails',
    version: 1,
    indexes: [{ fields: ['workspaceId', 'projectId', 'createdAt'] }, { fields: ['dueAt'] }, { fields: ['userId'] }],
  },
  begins: {
    SiteMailAccepted: ({ data, metadata }) => ({
      ...data,
      status: 'accepted',
      attempts: 0,
      error: null,
      dueAt: metadata.at,
    }),
  },
  ends: ['SiteMailSent', 'SiteMailForgotten'],
  also: {
    SiteMailDelayed: (_, { data: { attempts, error, retryAt } }) => ({
      status: 'delayed',
      attempts,
      error,
      dueAt: retryAt,
    }),
    SiteMailKept: ({ expiresAt }, { data: { error } }) => ({ status: 'kept', error, dueAt: expiresAt }),
  },
});

/** Counts the mails that a site sent in one month. The id is a `siteMailUseId`. */
export interface SiteMailUse extends Document {
  readonly projectId: string;
  /** YYYY-MM, in UTC. */
  readonly month: string;
  readonly sent: number;
}

export const siteMailUseId = (projectId: string, month: string): string => `${projectId} ${month}`;

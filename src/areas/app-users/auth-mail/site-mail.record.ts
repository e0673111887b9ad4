import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../app-users.refusals.js';

/** `taken` notifies a user that someone tried to sign up with the user's email. */
export const siteMailKinds = ['verify', 'reset', 'welcome', 'taken', 'receipt'] as const;
export type SiteMailKind = (typeof siteMailKinds)[number];

/** The facts about a mail that may be in the log. Its address, link and text must not be. */
interface SiteMailFacts {
  readonly projectId: string;
  readonly kind: SiteMailKind;
  /** The user whom the mail is about, or `null`. If the user is deleted, the mail is destroyed. */
  readonly userId: string | null;
  /** The mail is not sent after this time, because its link or its retention has expired (ISO 8601). */
  readonly sendUntil: string;
  /** Time when the content is destroyed (ISO 8601). */
  readonly expiresAt: string;
}

export type SiteMailEvent =
  /** The mail was accepted. Its content was sealed in the vault before. */
  | DomainEvent<'SiteMailAccepted', SiteMailFacts>
  /** An attempt failed and will be retried. `error` is one sentence without email addresses. */
  | DomainEvent<'SiteMailDelayed', { readonly attempts: number; readonly error: string; readonly retryAt: string }>
  /** The mail cannot be sent. Members can read it until its retention ends. */
  | DomainEvent<'SiteMailKept', { readonly error: string }>
  /**
   * The mail server accepted the mail. `mailbox` is `null` if the platform's sender sent it. Events of older versions
   * have no `projectId` and `kind`.
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

/** A sign-in mail or receipt of a site that has not been sent. */
export interface SiteMailInHand extends Document, SiteMailFacts {
  readonly status: 'accepted' | 'delayed' | 'kept';
  readonly attempts: number;
  /** Error of the last attempt, or `null`. */
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
  undoing: 'What has happened cannot be undone; getStateAt returns the earlier state.',
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

/** Number of sign-in mails and receipts that a site sent in one month. Its id is a `siteMailUseId`. */
export interface SiteMailUse extends Document {
  readonly projectId: string;
  /** In the form YYYY-MM, in UTC. */
  readonly month: string;
  readonly sent: number;
}

export const siteMailUseId = (projectId: string, month: string): string => `${projectId} ${month}`;

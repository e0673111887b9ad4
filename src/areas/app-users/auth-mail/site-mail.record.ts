import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../app-users.refusals.js';

/** `taken` is sent if someone tries to sign up with the address of an existing user. */
export const siteMailKinds = ['verify', 'reset', 'welcome', 'taken', 'receipt'] as const;
export type SiteMailKind = (typeof siteMailKinds)[number];

/** The facts of a mail that the log may contain: never its address, link or text. */
interface SiteMailFacts {
  readonly projectId: string;
  readonly kind: SiteMailKind;
  /** The user that the mail concerns; deleting the user destroys it. `null` if it concerns no user. */
  readonly userId: string | null;
  /** The mail is not sent after this time (ISO 8601), because its link has expired. */
  readonly sendUntil: string;
  /** Time at which the content is destroyed, in ISO 8601. */
  readonly expiresAt: string;
}

export type SiteMailEvent =
  /** The mail was accepted. Its content is already sealed in the vault. */
  | DomainEvent<'SiteMailAccepted', SiteMailFacts>
  /** The mail could not be sent now. `error` is one sentence without addresses. */
  | DomainEvent<'SiteMailDelayed', { readonly attempts: number; readonly error: string; readonly retryAt: string }>
  /** The mail cannot be sent and waits for a member who reads it. */
  | DomainEvent<'SiteMailKept', { readonly error: string }>
  /**
   * The mail server accepted it. `mailbox` is `null` for the platform's sender. Older versions recorded no `projectId`
   * and `kind`.
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

/** A mail of a site's sign-in, or a receipt, that is not sent yet. */
export interface SiteMailInHand extends Document, SiteMailFacts {
  readonly status: 'accepted' | 'delayed' | 'kept';
  readonly attempts: number;
  /** Reason why it has not been sent yet. */
  readonly error: string | null;
  /** Time at which the next attempt or the end of the mail is due, in ISO 8601. */
  readonly dueAt: string;
  readonly createdAt: string;
}

export const siteMails = plainRecord<SiteMailInHand, SiteMailEvent>()({
  category: 'siteMail',
  auditedFor: 'site.users',
  shownBy: 'site/listOutgoingMail',
  of: { project: 'projectId', appUser: 'userId' },
  undoing: 'What has happened cannot be taken back; getStateAt answers what was there before.',
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

/** Number of sign-in mails and receipts that a site sent in a month, under `siteMailUseId`. */
export interface SiteMailUse extends Document {
  readonly projectId: string;
  /** The month as YYYY-MM, in UTC. */
  readonly month: string;
  readonly sent: number;
}

export const siteMailUseId = (projectId: string, month: string): string => `${projectId} ${month}`;

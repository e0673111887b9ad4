import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../mailboxes.refusals.js';

/** A change of any of these settings makes the last test result invalid. */
export interface MailConnection {
  readonly fromAddress: string;
  readonly host: string;
  readonly port: number;
  /** `true` means TLS from the first byte, `false` means STARTTLS. */
  readonly secure: boolean;
  readonly username: string;
  /** Id of the vault entry that holds the password. Each new password gets a new id. */
  readonly passwordId: string;
}

export interface MailAccountFacts extends MailConnection {
  readonly name: string;
  /** If empty, the From header has only the address. */
  readonly fromName: string;
  readonly replyTo: string;
  /** The only site that may use the mailbox. `null` means that all sites and the workspace itself may use it. */
  readonly projectId: string | null;
  readonly hourlyLimit: number;
}

interface DefaultRequest {
  readonly isDefault?: boolean;
}

export type MailAccountEvent =
  | DomainEvent<'MailAccountCreated', MailAccountFacts & DefaultRequest>
  /** `replaces` is the id of a password that is no longer used. */
  | DomainEvent<'MailAccountChanged', Partial<MailAccountFacts> & DefaultRequest & { readonly replaces?: string }>
  | DomainEvent<'MailAccountActivated', object>
  | DomainEvent<'MailAccountDeactivated', object>
  /** `error` is one plain sentence, or `null` if the mailbox works. */
  | DomainEvent<'MailAccountTested', { readonly error: string | null }>
  | DomainEvent<'MailAccountDeleted', { readonly passwordId: string }>;

export interface MailAccount extends Document, MailAccountFacts {
  readonly isActive: boolean;
  readonly verified: boolean;
  readonly tested: { readonly at: string; readonly error: string | null } | null;
  readonly createdAt: string;
}

export const mailAccounts = plainRecord<MailAccount, MailAccountEvent>()({
  category: 'mailAccount',
  inner: ['passwordId'],
  secrets: {
    entry: 'mail-password',
    fates: {
      MailAccountCreated: ({ passwordId }) => ({ keeps: passwordId }),
      MailAccountChanged: ({ passwordId, replaces }) => ({ keeps: passwordId, destroys: replaces }),
      MailAccountDeleted: ({ passwordId }) => ({ destroys: passwordId }),
    },
  },
  // The events contain the host, user name and error messages, so members need this permission to see them in the
  // audit.
  auditedFor: 'mailboxes.manage',
  shownBy: 'automations/listMailAccounts',
  limited: true,
  // A mailbox remains when its site is deleted, so that members can choose another site.
  of: { project: null },
  undoing: {
    sets: ['automations/updateMailAccount'],
    ends: 'automations/deleteMailAccount',
    gone: 'The password was destroyed with the mailbox; create the mailbox again.',
  },
  missing: () => refuse('mail-account-not-found'),
  collection: { name: 'mailAccounts', version: 1, indexes: [{ fields: ['workspaceId', 'name'] }] },
  begins: {
    MailAccountCreated: ({ data: { isDefault: _, ...facts } }) => ({
      ...facts,
      isActive: true,
      verified: false,
      tested: null,
    }),
  },
  ends: ['MailAccountDeleted'],
  also: {
    MailAccountChanged: (account, { data: { isDefault: _, replaces: __, ...changes } }) =>
      isSameConnection({ ...account, ...changes }, account) ? changes : { ...changes, verified: false },
    MailAccountActivated: () => ({ isActive: true }),
    MailAccountDeactivated: () => ({ isActive: false }),
    MailAccountTested: (_, { data: { error }, metadata }) => ({
      verified: error === null,
      tested: { at: metadata.at, error },
    }),
  },
});

export function isSameConnection(a: MailConnection, b: MailConnection): boolean {
  const sameServer = a.host === b.host && a.port === b.port && a.secure === b.secure;
  return sameServer && a.username === b.username && a.passwordId === b.passwordId && a.fromAddress === b.fromAddress;
}

/** `siteId` is null for the workspace itself. A mailbox without a site serves everything. */
export const servesSite = ({ projectId }: Pick<MailAccount, 'projectId'>, siteId: string | null): boolean =>
  projectId === null || projectId === siteId;

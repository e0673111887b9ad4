import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../mailboxes.refusals.js';

/** The settings for sending mail. After any of them changes, it is unknown whether the mailbox works. */
export interface MailConnection {
  readonly fromAddress: string;
  readonly host: string;
  readonly port: number;
  /** `true` means TLS from the first byte, `false` means STARTTLS. */
  readonly secure: boolean;
  readonly username: string;
  /** The vault entry that holds the password. Every password has its own id. */
  readonly passwordId: string;
}

export interface MailAccountFacts extends MailConnection {
  readonly name: string;
  /** If empty, mail shows the address alone. */
  readonly fromName: string;
  /** If empty, replies go to the address. */
  readonly replyTo: string;
  /** The only site that may use the mailbox. `null` means that everything in the workspace may. */
  readonly projectId: string | null;
  /** Maximum number of recipients per hour. */
  readonly hourlyLimit: number;
}

/** The requested change of the default, which is a separate record of the workspace, if any. */
interface DefaultRequest {
  readonly isDefault?: boolean;
}

export type MailAccountEvent =
  | DomainEvent<'MailAccountCreated', MailAccountFacts & DefaultRequest>
  /** Changed fields. `replaces` is the id of a password that nothing refers to any more. */
  | DomainEvent<'MailAccountChanged', Partial<MailAccountFacts> & DefaultRequest & { readonly replaces?: string }>
  | DomainEvent<'MailAccountActivated', object>
  | DomainEvent<'MailAccountDeactivated', object>
  /** One plain sentence, or `null` if the mailbox works. */
  | DomainEvent<'MailAccountTested', { readonly error: string | null }>
  | DomainEvent<'MailAccountDeleted', { readonly passwordId: string }>;

/** A customer's own mailbox, `mailAccount-<workspace>.<id>`. */
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
  // Requires this permission because its events contain host, user and error messages.
  auditedFor: 'mailboxes.manage',
  shownBy: 'automations/listMailAccounts',
  limited: true,
  // When its site is deleted, the mailbox stays without a site, for members to choose another.
  of: { project: null },
  undoing: {
    sets: ['automations/updateMailAccount'],
    ends: 'automations/deleteMailAccount',
    gone: 'Its password was destroyed with it; create the mailbox again.',
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

/** A mailbox without a site serves all sites, and the workspace itself. */
export const servesSite = ({ projectId }: Pick<MailAccount, 'projectId'>, siteId: string | null): boolean =>
  projectId === null || projectId === siteId;

import type { DomainEvent } from '../../../kernel/event.js';
import { plainRecord } from '../../../kernel/plain-record.js';
import type { Document } from '../../../kernel/projection.js';
import { refuse } from '../../../kernel/refusal.js';

/** What mail goes out by: another one of these, and whether it works is not known any more. */
export interface MailConnection {
  readonly fromAddress: string;
  readonly host: string;
  readonly port: number;
  /** true: TLS from the first byte; false: STARTTLS. */
  readonly secure: boolean;
  readonly username: string;
  /** Which entry of the vault holds the password. Every password has an id of its own. */
  readonly passwordId: string;
}

export interface MailAccountFacts extends MailConnection {
  readonly name: string;
  /** Empty: the address stands alone. */
  readonly fromName: string;
  /** Empty: answers go to the address. */
  readonly replyTo: string;
  /** The one site that it may serve; null: any use in the workspace. */
  readonly projectId: string | null;
  /** Recipients an hour. */
  readonly hourlyLimit: number;
}

/** What was asked about the default, which is one record of the workspace; left out: nothing. */
interface AskedDefault {
  readonly isDefault?: boolean;
}

export type MailAccountEvent =
  | DomainEvent<'MailAccountCreated', MailAccountFacts & AskedDefault>
  /** What differs. `replaces` is the password that nothing refers to from now on. */
  | DomainEvent<'MailAccountChanged', Partial<MailAccountFacts> & AskedDefault & { readonly replaces?: string }>
  | DomainEvent<'MailAccountActivated', object>
  | DomainEvent<'MailAccountDeactivated', object>
  /** One plain sentence; null: it works. */
  | DomainEvent<'MailAccountTested', { readonly error: string | null }>
  | DomainEvent<'MailAccountDeleted', { readonly passwordId: string }>;

/** A mailbox of a customer's own, `mailAccount-<workspace>.<id>`. */
export interface MailAccount extends Document, MailAccountFacts {
  readonly isActive: boolean;
  readonly verified: boolean;
  readonly tested: { readonly at: string; readonly error: string | null } | null;
  readonly createdAt: string;
}

export const mailAccounts = plainRecord<MailAccount, MailAccountEvent>()({
  category: 'mailAccount',
  // Host, user and what went wrong stand in its events.
  auditedFor: 'mailboxes.manage',
  limited: true,
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

/** Where the vault holds a password. */
export const mailPasswordName = (workspaceId: string, passwordId: string): string =>
  `mail-password/${workspaceId}/${passwordId}`;

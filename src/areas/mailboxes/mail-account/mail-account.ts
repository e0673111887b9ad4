import { uniqueName } from '../../../engine/commands/reservation.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { canonicalAddress } from '../../../kernel/mail/mail-address.js';
import { activation } from '../../../kernel/record/activation.js';
import { differing, type Sent } from '../../../kernel/record/differing.js';
import { type InvalidField } from '../../../kernel/refusals/refusal.js';
import { canonicalHost } from '../../../kernel/text/host-name.js';
import { isOneLine } from '../../../kernel/text/one-line.js';
import { refuse } from '../mailboxes.refusals.js';
import {
  isSameConnection,
  type MailAccount,
  type MailAccountEvent,
  type MailAccountFacts,
  mailAccounts,
} from './mail-account.record.js';

export interface MailAccountInput {
  readonly name?: string;
  readonly fromAddress?: string;
  readonly fromName?: string;
  readonly replyTo?: string;
  readonly host?: string;
  readonly port?: number;
  readonly secure?: boolean;
  readonly username?: string;
  readonly projectId?: string | null;
  readonly hourlyLimit?: number;
  readonly isDefault?: boolean;
  readonly isActive?: boolean;
}

type NewMailAccount = MailAccountInput & Required<Pick<MailAccountInput, 'name' | 'fromAddress' | 'host' | 'username'>>;

/** Default limit, in recipients per hour (settled question Q-A52). */
const defaultHourlyLimit = 200;
const usualPort = (secure: boolean): number => (secure ? 465 : 587);

/**
 * Returns the input with hosts and addresses in their stored form.
 * @throws Refusal invalid-input
 */
export function checkMailAccount<Input extends MailAccountInput & { readonly password?: string }>(input: Input): Input {
  const invalid: InvalidField[] = [];
  const checked = <Value extends string>(
    path: string,
    value: Value | undefined,
    wrong: string,
    read: (text: string) => string | undefined,
  ) => {
    if (value === undefined) return {};
    const normalised = read(value);
    if (normalised === undefined) invalid.push({ path, message: wrong });
    return { [path]: normalised };
  };
  const line = (text: string) => (isOneLine(text) ? text : undefined);
  const oneLine = 'must be one line of text without control characters';
  const address = 'must be an email address such as ada@example.com';
  const normalised = {
    ...checked('name', input.name, oneLine, (text) => (text.trim() === '' ? undefined : line(text))),
    ...checked('fromName', input.fromName, oneLine, line),
    ...checked('username', input.username, oneLine, line),
    ...checked('fromAddress', input.fromAddress, address, canonicalAddress),
    ...checked('replyTo', input.replyTo, `${address}, or be empty`, (text) =>
      text === '' ? '' : canonicalAddress(text),
    ),
    ...checked('host', input.host, 'must be a host such as smtp.example.com, without a port', canonicalHost),
    ...checked('password', input.password, 'must not contain a lone surrogate or a NUL character', (text) =>
      text.isWellFormed() && !text.includes('\0') ? text : undefined,
    ),
  };
  if (invalid.length > 0) refuseInput(invalid);
  return { ...input, ...normalised };
}

/** The password must already be sealed under `passwordId`. */
export function createMailAccount(input: NewMailAccount, passwordId: string): readonly MailAccountEvent[] {
  const secure = input.secure ?? true;
  const data: MailAccountFacts = {
    name: input.name,
    fromAddress: input.fromAddress,
    fromName: input.fromName ?? '',
    replyTo: input.replyTo ?? '',
    host: input.host,
    port: input.port ?? usualPort(secure),
    secure,
    username: input.username,
    passwordId,
    projectId: input.projectId ?? null,
    hourlyLimit: input.hourlyLimit ?? defaultHourlyLimit,
  };
  return [{ type: 'MailAccountCreated', data: { ...data, ...asked(input) } }];
}

/**
 * If a mailbox with the usual port switches between TLS and STARTTLS and the input has no port, the mailbox gets the
 * usual port of the new protocol.
 * @param passwordId id of a new password; undefined if the password does not change
 */
export function updateMailAccount(
  account: MailAccount,
  input: MailAccountInput,
  passwordId: string | undefined,
): readonly MailAccountEvent[] {
  const { isDefault: _, isActive, ...sent } = input;
  const hadUsualPort = account.port === usualPort(account.secure);
  const port = sent.port ?? (hadUsualPort ? usualPort(sent.secure ?? account.secure) : undefined);
  const requested: Sent<MailAccountFacts> = { ...sent, port, passwordId };
  if (passwordId === undefined) mustNotChangeDestination(account, requested);
  const changes = {
    ...differing<MailAccountFacts>(account, requested),
    ...asked(input),
    ...(passwordId === undefined ? {} : { replaces: account.passwordId }),
  };
  return [
    ...(Object.keys(changes).length > 0 ? [{ type: 'MailAccountChanged', data: changes } as const] : []),
    ...switched(account, isActive),
  ];
}

const switched = activation('MailAccountActivated', 'MailAccountDeactivated');

const destination = ['host', 'port', 'username'] as const;

/**
 * Refuses to send a stored password to another server or user, or with less protection. Otherwise a caller who may
 * change a mailbox could have its password sent to their own server.
 */
function mustNotChangeDestination(account: MailAccount, requested: Sent<MailAccountFacts>): void {
  const changes: string[] = destination.filter(
    (key) => requested[key] !== undefined && requested[key] !== account[key],
  );
  if (account.secure && requested.secure === false) changes.push('secure');
  if (changes.length === 0) return;
  refuse('mail-account-password-needed', { changes });
}

/** Refuses if the settings have changed since the test began (settled questions Q-A51 and Q-A58). */
export function recordTest(
  account: MailAccount,
  tested: MailAccount,
  error: string | null,
): readonly MailAccountEvent[] {
  if (!isSameConnection(account, tested)) refuse('mail-account-changed');
  return [{ type: 'MailAccountTested', data: { error } }];
}

export function deleteMailAccount({ passwordId }: MailAccount): readonly MailAccountEvent[] {
  return [{ type: 'MailAccountDeleted', data: { passwordId } }];
}

export const mailAccountName = uniqueName('mailAccountName', mailAccounts, ({ name }) => name);

const asked = ({ isDefault }: MailAccountInput) => (isDefault === undefined ? {} : { isDefault });

export function reserveMailAccountName(name: string, workspaceId: string, id: string) {
  const reservation = mailAccountName(name, streamOf(mailAccounts.category, workspaceId, id));
  return { reservation, taken: () => refuse('mail-account-name-taken', { name }) };
}

import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusing } from '../../kernel/refusals/refusal.js';
import { eachCall, invalid, refusal } from '../../kernel/refusals/refusal-entry.js';
import { workspaceRefusals } from '../workspace/workspace.refusals.js';

const list = 'listMailAccounts lists the mailboxes';

export const mailboxesRefusals = {
  'mail-account-not-found': refusal('not-found', () => `There is no such mailbox in this workspace; ${list}.`),
  'mail-account-name-taken': refusal(
    'conflict',
    (about: { name: string }) => `Another mailbox of this workspace is named '${about.name}'; choose another name.`,
  ),
  'mail-account-password-needed': invalid(
    'password',
    (about: { changes: readonly string[] }) =>
      `The stored password is sent only to the server it was entered for, and this call changes ${about.changes.join(', ')}; send the password again in the same call.`,
  ),
  'mail-account-changed': refusal(
    'conflict',
    () => 'The mailbox was changed during the test, so the result does not apply; test it again.',
  ),
  /** This code is defined by the contract, and customers' code checks for it. */
  needsMailbox: refusal(
    'forbidden',
    () =>
      'Nothing was sent: there is no default mailbox that this caller may use. Create one with createMailAccount, make one the default with updateMailAccount isDefault true, or select one with ctx.email.sendVia.',
  ),
  'mailbox-unknown': refusal(
    'not-found',
    (about: { name: string }) => `Nothing was sent: no mailbox is named '${about.name}'; ${list}.`,
  ),
  'mailbox-inactive': refusal(
    'conflict',
    (about: { name: string }) =>
      `Nothing was sent: the mailbox '${about.name}' is inactive; activate it with updateMailAccount isActive true.`,
  ),
  'mailbox-of-another-site': refusal(
    'forbidden',
    (about: { name: string }) =>
      `Nothing was sent: the mailbox '${about.name}' is restricted to one site, and this call is not made for that site.`,
  ),
  'mailbox-hourly-limit': refusal('limited', (about: { name: string; limit: number; sent: number; size: number }) =>
    about.size > about.limit
      ? `Nothing was sent: the mail has ${about.size} recipients, but the mailbox '${about.name}' allows ${about.limit} per hour; send to fewer at once, or raise its hourlyLimit.`
      : `Nothing was sent: the mailbox '${about.name}' has used ${about.sent} of ${about.limit} recipients this hour; send later, or raise its hourlyLimit.`,
  ),
  'mail-invalid': invalid(eachCall, (about: { what: string }) => `Nothing was sent: ${about.what}.`),
  'mail-too-many-recipients': invalid(
    'to',
    (about: { limit: number }) =>
      `Nothing was sent: a mail may have at most ${about.limit} recipients in to, cc and bcc together; send several mails.`,
  ),
  'mail-text-too-large': refusal(
    'too-large',
    (about: { limit: number }) =>
      `Nothing was sent: text and html may have at most ${about.limit} bytes each; send less.`,
  ),
  'mail-too-many-attachments': invalid(
    'attachments',
    (about: { limit: number }) => `Nothing was sent: a mail may have at most ${about.limit} attachments; send fewer.`,
  ),
  'mail-attachments-too-large': refusal(
    'too-large',
    (about: { limit: number }) =>
      `Nothing was sent: the attachments of a mail may have at most ${about.limit} bytes together; send less, or send a link.`,
  ),
};

const known = { ...engineRefusals, ...workspaceRefusals, ...mailboxesRefusals };
export const refuse: Refuse<typeof known> = refusing(known);

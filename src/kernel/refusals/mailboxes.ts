import { no } from './no.js';

const list = 'listMailAccounts shows those there are';

export const mailboxesRefusals = {
  'mail-account-not-found': no('not-found', () => `There is no such mailbox in this workspace; ${list}.`),
  'mail-account-name-taken': no(
    'conflict',
    (about: { name: string }) => `Another mailbox of this workspace is named '${about.name}'; choose another name.`,
  ),
  'mail-account-password-needed': no(
    'invalid',
    (about: { changes: readonly string[] }) =>
      `The stored password is sent only where it was entered for, and this changes ${about.changes.join(', ')}; send password again in the same call.`,
  ),
  'mail-account-changed': no(
    'conflict',
    () => 'The mailbox was changed while it was being tested, so the test says nothing about it; test it again.',
  ),
  /** The contract's own word, which code looks for. */
  needsMailbox: no(
    'forbidden',
    () =>
      'Nothing was sent: there is no default mailbox that this may use. Add one with createMailAccount, make one the default with updateMailAccount isDefault true, or name one with ctx.email.sendVia.',
  ),
  'mailbox-unknown': no(
    'not-found',
    (about: { name: string }) => `Nothing was sent: no mailbox is named '${about.name}'; ${list}.`,
  ),
  'mailbox-inactive': no(
    'conflict',
    (about: { name: string }) =>
      `Nothing was sent: the mailbox '${about.name}' is switched off; updateMailAccount isActive true switches it on.`,
  ),
  'mailbox-of-another-site': no(
    'forbidden',
    (about: { name: string }) =>
      `Nothing was sent: the mailbox '${about.name}' serves one site alone, and this does not act for that site.`,
  ),
  'mailbox-hourly-limit': no('limited', (about: { name: string; limit: number; sent: number; size: number }) =>
    about.size > about.limit
      ? `Nothing was sent: the mail has ${about.size} recipients, and the mailbox '${about.name}' takes ${about.limit} an hour; send to fewer at once, or raise its hourlyLimit.`
      : `Nothing was sent: the mailbox '${about.name}' has taken ${about.sent} of ${about.limit} recipients this hour; send later, or raise its hourlyLimit.`,
  ),
  'mail-invalid': no('invalid', (about: { what: string }) => `Nothing was sent: ${about.what}.`),
  'mail-too-many-recipients': no(
    'invalid',
    (about: { limit: number }) =>
      `Nothing was sent: a mail has at most ${about.limit} recipients, in to, cc and bcc together; send several mails.`,
  ),
  'mail-text-too-large': no(
    'too-large',
    (about: { limit: number }) => `Nothing was sent: text and html have at most ${about.limit} bytes each; send less.`,
  ),
  'mail-too-many-attachments': no(
    'invalid',
    (about: { limit: number }) => `Nothing was sent: a mail has at most ${about.limit} attachments; send fewer.`,
  ),
  'mail-attachments-too-large': no(
    'too-large',
    (about: { limit: number }) =>
      `Nothing was sent: the attachments of a mail have at most ${about.limit} bytes together; send less, or a link.`,
  ),
} as const;

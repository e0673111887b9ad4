import { type Slice, slice } from '../../engine/records/slice.js';
import { BulkMail } from './mail/bulk-mail.api.js';
import { MailJournal } from './mail/mail-journal.js';
import { MailRetention } from './mail/mail-retention.js';
import { MailSender } from './mail/mail-sender.js';
import { Mailboxes } from './mail/mailboxes.api.js';
import { SendQuota } from './mail/send-quota.js';
import { mailAccountOperations } from './mail-account/mail-account.operations.js';
import { mailAccounts } from './mail-account/mail-account.record.js';
import { MailAccountChanges } from './mail-account/mail-account-changes.api.js';
import { MailAccountSites } from './mail-account/mail-account-sites.js';
import { MailAccountView } from './mail-account/mail-account-view.js';
import { mailDefaults } from './mail-account/mail-default.record.js';

export const mailboxesSlices: readonly Slice[] = [
  slice(mailAccounts, [...mailAccountOperations, MailAccountChanges, MailAccountSites, MailAccountView]),
  slice(mailDefaults),
  MailSender,
  MailJournal,
  SendQuota,
  MailRetention,
  Mailboxes,
  BulkMail,
];

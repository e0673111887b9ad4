import { type Slice, slice } from '../../engine/records/slice.js';
import { MailJournal } from './mail/mail-journal.js';
import { MailRetention } from './mail/mail-retention.js';
import { MailSender } from './mail/mail-sender.js';
import { Mailboxes } from './mail/mailboxes.api.js';
import { SendQuota } from './mail/send-quota.js';
import { CreateMailAccountHandler } from './mail-account/create-mail-account.handler.js';
import { DeleteMailAccountHandler } from './mail-account/delete-mail-account.handler.js';
import { ListMailAccountsHandler } from './mail-account/list-mail-accounts.handler.js';
import { mailAccounts } from './mail-account/mail-account.record.js';
import { MailAccountChanges } from './mail-account/mail-account-changes.api.js';
import { MailAccountSites } from './mail-account/mail-account-sites.js';
import { MailAccountView } from './mail-account/mail-account-view.js';
import { mailDefaults } from './mail-account/mail-default.record.js';
import { TestMailAccountHandler } from './mail-account/test-mail-account.handler.js';
import { UpdateMailAccountHandler } from './mail-account/update-mail-account.handler.js';

/** Customers' own mailboxes, and mail sent through them. */
export const mailboxesSlices: readonly Slice[] = [
  slice(mailAccounts, [
    CreateMailAccountHandler,
    UpdateMailAccountHandler,
    DeleteMailAccountHandler,
    ListMailAccountsHandler,
    TestMailAccountHandler,
    MailAccountChanges,
    MailAccountSites,
    MailAccountView,
  ]),
  slice(mailDefaults),
  MailSender,
  MailJournal,
  SendQuota,
  MailRetention,
  Mailboxes,
];

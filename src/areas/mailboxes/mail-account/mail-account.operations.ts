import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { command, query } from '../../../engine/operation/bound-operation.js';
import { success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { idField, lineSchema, shownLineSchema } from '../../../kernel/field/plain-text.js';
import { Mailboxes } from '../mail/mailboxes.api.js';
import {
  checkMailAccount,
  createMailAccount,
  deleteMailAccount,
  recordTest,
  reserveMailAccountName,
  updateMailAccount,
} from './mail-account.js';
import { type MailAccount, type MailAccountEvent, mailAccounts } from './mail-account.record.js';
import { MailAccountChanges } from './mail-account-changes.api.js';
import { MailAccountSites } from './mail-account-sites.js';
import { MailAccountRecord, MailAccountView } from './mail-account-view.js';

const declared = { source: 'Automations API, Sending mailboxes', group: 'mailboxes' } as const;
const managing = { ...declared, permission: 'mailboxes.manage', tools: 'never' } as const;

const line = { type: 'string', maxLength: 200, schema: lineSchema } as const;
const shown = { ...line, minLength: 1, schema: shownLineSchema } as const;
const address = { type: 'string', maxLength: 254, schema: { format: 'email' } } as const;
const replyTo = { ...address, schema: { anyOf: [{ format: 'email' }, { maxLength: 0 }] }, optional: true } as const;
const host = {
  type: 'string',
  minLength: 1,
  maxLength: 253,
  description: 'A host name or IP address, without a port.',
} as const;
const projectId = { ...idField, optional: true } as const;
const port = { type: 'integer', minimum: 1, maximum: 65_535, optional: true } as const;
const flag = { type: 'boolean', optional: true } as const;
const hourlyLimit = { type: 'integer', minimum: 1, maximum: 1_000_000, optional: true } as const;
const secret = { type: 'string', minLength: 1, maxLength: 1_000, password: true } as const;

export const mailAccountOperations = [
  query('automations/listMailAccounts', {
    ...declared,
    summary: 'Lists the mailboxes through which mail is sent, without their passwords.',
    permission: 'functions.read',
    tools: 'granted',
    answers: { list: MailAccountRecord },
    input: { projectId: { ...projectId, description: 'Returns only mailboxes that this site may use.' } },
    inject: [Reads, MailAccountSites, MailAccountView, Scopes],
    handle: async ({ projectId }, call, reads, sites, view, scopes) => {
      await sites.mustBe(call, projectId);
      const all = await reads.find<MailAccount>(call.workspaceId, 'mailAccounts', { sort: [['name', 'asc']] });
      const usable = all.filter(
        (one) => projectId === undefined || one.projectId === null || one.projectId === projectId,
      );
      return view.all(call, await scopes.allowed(call, usable));
    },
  }),
  command('automations/createMailAccount', {
    ...managing,
    summary: 'Creates a mailbox. The first one becomes the default.',
    answers: { record: MailAccountRecord },
    input: {
      name: {
        ...shown,
        description: 'The name by which ctx.email.sendVia selects the mailbox. Unique in the workspace.',
      },
      fromAddress: address,
      fromName: { ...line, optional: true },
      replyTo,
      host,
      port: { ...port, description: 'Default: 465, or 587 if `secure` is false.' },
      secure: {
        ...flag,
        default: true,
        description: 'true: TLS from the start of the connection. false: STARTTLS, which the server must support.',
      },
      username: { ...line, minLength: 1 },
      password: { ...secret, description: 'Stored encrypted. No operation returns it.' },
      projectId: { ...projectId, description: 'Restricts the mailbox to this site.' },
      isDefault: { ...flag, description: 'If omitted, the mailbox becomes the default only if there is no default.' },
      hourlyLimit: { ...hourlyLimit, default: 200, description: 'Maximum number of recipients per hour.' },
    },
    inject: [MailAccountChanges, RecordedSecrets, MailAccountSites, MailAccountView],
    handle: async (sent, call, changes, secrets, sites, view) => {
      const { password, ...input } = checkMailAccount(sent);
      await sites.mustBe(call, input.projectId);
      const id = call.newId('mailbox');
      const passwordId = call.newId('val');
      return secrets.drafting(mailAccounts, call, { id: passwordId, value: password }, async () => {
        const account = await changes.apply(call, id, () => createMailAccount(input, passwordId), {
          begins: true,
          reserves: () => [reserveMailAccountName(input.name, call.workspaceId, id)],
        });
        return view.one(call, account ?? mailAccounts.missing());
      });
    },
  }),
  command('automations/updateMailAccount', {
    ...managing,
    summary: 'Updates a mailbox. Omitted fields are unchanged.',
    // Replacing the password destroys the old one, so the call counts as a deletion.
    takesAway: takesAwayWhen<MailAccount, MailAccountEvent>(
      ({ type, data }) => type === 'MailAccountChanged' && data.replaces !== undefined,
    ),
    outside: ['destroys secrets'],
    answers: { record: MailAccountRecord },
    input: {
      id: idField,
      name: { ...shown, optional: true },
      fromAddress: { ...address, optional: true },
      fromName: { ...line, optional: true },
      replyTo,
      host: { ...host, optional: true },
      username: { ...line, minLength: 1, optional: true },
      projectId: {
        ...projectId,
        nullable: true,
        description: 'Restricts the mailbox to this site. null removes the restriction.',
      },
      password: {
        ...secret,
        optional: true,
        description:
          'Replaces the password. Required if the host, port or username changes, or `secure` becomes false.',
      },
      port,
      hourlyLimit,
      secure: flag,
      isDefault: flag,
      isActive: flag,
    },
    inject: [MailAccountChanges, RecordedSecrets, MailAccountSites, MailAccountView],
    // A new password is stored in the vault before the event that refers to it is recorded. The old one is destroyed
    // after the event.
    handle: async (sent, call, changes, secrets, sites, view) => {
      const { id, password, ...input } = checkMailAccount(sent);
      const { name } = input;
      await sites.mustBe(call, input.projectId);
      const change = async (passwordId?: string) => {
        const account = await changes.apply(
          call,
          id,
          (before) => (before ? updateMailAccount(before, input, passwordId) : []),
          {
            reserves: (before) =>
              name === undefined || name === before?.name ? [] : [reserveMailAccountName(name, call.workspaceId, id)],
          },
        );
        return view.one(call, account ?? mailAccounts.missing());
      };
      if (password === undefined) return change();
      const passwordId = call.newId('val');
      return secrets.drafting(mailAccounts, call, { id: passwordId, value: password }, () => change(passwordId));
    },
  }),
  command('automations/deleteMailAccount', {
    ...managing,
    summary: 'Deletes a mailbox and destroys its password. Later attempts to send through it fail.',
    takesAway: true,
    outside: ['destroys secrets'],
    answers: success,
    input: { id: idField },
    inject: [MailAccountChanges],
    handle: async ({ id }, call, changes) => {
      await changes.apply(call, id, (account) => (account ? deleteMailAccount(account) : []));
      return { success: true };
    },
  }),
  command('automations/testMailAccount', {
    ...managing,
    summary: 'Logs in to the mail server or, if `to` is sent, sends a real mail, and stores the result.',
    outside: ['logs in to a mail server', 'sends mail'],
    answers: {
      fields: {
        ok: { type: 'boolean' },
        error: { type: 'string', optional: true, description: 'Why the test failed, in one sentence.' },
      },
    },
    input: {
      id: idField,
      to: { ...address, optional: true, description: 'The recipient of a test mail. If omitted, no mail is sent.' },
    },
    inject: [CommandRunner, Mailboxes, Scopes],
    handle: async ({ id, to }, call, runner, mailboxes, scopes) => {
      const { workspaceId } = call;
      const tested = (await runner.find(mailAccounts, workspaceId, id)) ?? mailAccounts.missing();
      await scopes.admit(call, mailAccounts, tested);
      const error = await mailboxes.tryOut(workspaceId, id, to, { ...call, siteId: tested.projectId });
      await runner.change(call, {
        aggregate: mailAccounts,
        id,
        decide: (account) => (account ? recordTest(account, tested, error) : []),
      });
      return error === null ? { ok: true } : { ok: false, error };
    },
  }),
];

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
  description: 'A name or an address, without a port.',
} as const;
const projectId = { ...idField, optional: true } as const;
const port = { type: 'integer', minimum: 1, maximum: 65_535, optional: true } as const;
const flag = { type: 'boolean', optional: true } as const;
const hourlyLimit = { type: 'integer', minimum: 1, maximum: 1_000_000, optional: true } as const;
const secret = { type: 'string', minLength: 1, maxLength: 1_000, password: true } as const;

export const mailAccountOperations = [
  query('automations/listMailAccounts', {
    ...declared,
    summary: 'Lists the mailboxes that mail is sent through, without their passwords.',
    permission: 'functions.read',
    tools: 'granted',
    answers: { list: MailAccountRecord },
    input: { projectId: { ...projectId, description: 'Only those that this site may use.' } },
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
    summary: 'Adds a mailbox; the first one becomes the default.',
    answers: { record: MailAccountRecord },
    input: {
      name: { ...shown, description: 'What ctx.email.sendVia calls it by.' },
      fromAddress: address,
      fromName: { ...line, optional: true },
      replyTo,
      host,
      port: { ...port, description: 'Left out, 465 or, with secure false, 587.' },
      secure: {
        ...flag,
        default: true,
        description: 'true: TLS from the first byte. false: STARTTLS, which has to be there.',
      },
      username: { ...line, minLength: 1 },
      password: { ...secret, description: 'Sealed, and answered by no operation.' },
      projectId: { ...projectId, description: 'The one site that it may serve.' },
      isDefault: { ...flag, description: 'Left out, it becomes the default where there is none.' },
      hourlyLimit: { ...hourlyLimit, default: 200, description: 'Recipients an hour.' },
    },
    inject: [MailAccountChanges, RecordedSecrets, MailAccountSites, MailAccountView],
    // The password is stored in the vault before the event that refers to it is recorded.
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
    summary: 'Changes a mailbox; what is left out stays.',
    // A change that replaces the password destroys the old one.
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
      projectId: { ...projectId, nullable: true, description: 'null: any use in the workspace.' },
      password: {
        ...secret,
        optional: true,
        description: 'Only to replace it; needed with another host, port or username, and with secure false.',
      },
      port,
      hourlyLimit,
      secure: flag,
      isDefault: flag,
      isActive: flag,
    },
    inject: [MailAccountChanges, RecordedSecrets, MailAccountSites, MailAccountView],
    // A new password is stored in the vault before the event that refers to it is recorded. The old one is destroyed
    // afterwards.
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
    summary: 'Deletes a mailbox and destroys its password; what sends through it fails from then on.',
    takesAway: true,
    outside: ['destroys secrets'],
    answers: success,
    input: { id: idField },
    inject: [MailAccountChanges],
    // The password is destroyed after the event is recorded.
    handle: async ({ id }, call, changes) => {
      await changes.apply(call, id, (account) => (account ? deleteMailAccount(account) : []));
      return { success: true };
    },
  }),
  command('automations/testMailAccount', {
    ...managing,
    summary: 'Logs in to the mail server or, with to, sends a real mail there, and remembers whether it worked.',
    outside: ['logs in to a mail server', 'sends mail'],
    answers: {
      fields: {
        ok: { type: 'boolean' },
        error: { type: 'string', optional: true, description: 'Why it did not work, in one sentence.' },
      },
    },
    input: {
      id: idField,
      to: { ...address, optional: true, description: 'Who gets the mail; left out, none is sent.' },
    },
    inject: [CommandRunner, Mailboxes, Scopes],
    // The result is refused if the settings have changed since the test began (settled questions Q-A51 and Q-A58).
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

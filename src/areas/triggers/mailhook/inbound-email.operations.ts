import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { command, query } from '../../../engine/operation/bound-operation.js';
import { newestFirst } from '../../../engine/records/newest-first.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { Vault } from '../../../ports/vault.port.js';
import { refuse } from '../triggers.refusals.js';
import type { InboundEmail } from './inbound-email.record.js';
import { InboundJournal } from './inbound-journal.api.js';
import { InboundEmailRecord, inboundEmailRecord } from './inbound-view.js';
import { mailhooks } from './mailhook.record.js';
import { MailhookTargets } from './mailhook-targets.js';

const declared = { source: 'Automations API, Mailhooks', group: 'mailhooks' } as const;

export const inboundEmailOperations = [
  query('automations/listInboundEmails', {
    ...declared,
    summary: 'Lists the mail that a mailhook received, newest first, with its outcome.',
    permission: 'functions.read',
    tools: 'granted',
    answers: { list: InboundEmailRecord },
    input: {
      mailhookId: idField,
      limit: { type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 },
      before: {
        ...idField,
        optional: true,
        description: 'The id of the last mail of the previous page. Returns older mail.',
      },
    },
    inject: [Reads, CommandRunner, Vault, Scopes],
    handle: async (input, call, reads, runner, vault, scopes) => {
      const { mailhookId } = input;
      const mailhook = (await runner.find(mailhooks, call.workspaceId, mailhookId)) ?? mailhooks.missing();
      await scopes.admit(call, mailhooks, mailhook);
      const mails = await newestFirst<InboundEmail>(reads, call.workspaceId, 'inboundEmails', input, {
        where: { mailhookId },
        by: 'position',
        belongs: (mail) => mail.mailhookId === mailhookId,
        missing: () => refuse('inbound-email-not-found'),
      });
      return Promise.all(mails.map((mail) => inboundEmailRecord(mail, reads, vault)));
    },
  }),
  command('automations/rerunInboundEmail', {
    ...declared,
    summary: 'Runs the target of a mailhook again with a mail that the mailhook received.',
    permission: 'functions.edit',
    tools: 'never',
    outside: ['starts runs'],
    answers: { fields: { runId: { type: 'string' } } },
    input: { id: { ...idField, description: 'The id of the mail.' } },
    inject: [Reads, CommandRunner, MailhookTargets, InboundJournal, Scopes],
    // The request is recorded durably before the operation returns. The run starts later, but with the target that the
    // mailhook had when the run was requested.
    handle: async ({ id }, call, reads, runner, targets, journal, scopes) => {
      const { workspaceId, actor, correlationId } = call;
      const mail = await reads.get<InboundEmail>(workspaceId, 'inboundEmails', id);
      const mailhook = mail && (await runner.find(mailhooks, workspaceId, mail.mailhookId));
      if (mail === undefined || mailhook === undefined) return refuse('inbound-email-not-found');
      await scopes.admit(call, mailhooks, mailhook);
      if (mail.outcome === 'received') refuse('inbound-email-in-hand');
      if (mail.outcome === 'unparsable' || mail.outcome === 'not-kept') refuse('inbound-email-unreadable');
      const { targetKind, targetRef } = mailhook;
      await targets.require(call, { kind: targetKind, ref: targetRef });
      const narrowed = call.caller?.neverDeletes ? ({ neverDeletes: true } as const) : {};
      const runId = call.newId('run');
      await journal.write({
        ...{ workspaceId, mailhookId: mailhook.id, actor, correlationId, once: runId },
        event: {
          type: 'InboundEmailStarted',
          data: { mailId: mail.id, runId, targetKind, targetRef, rerun: true, ...narrowed },
        },
      });
      return { runId };
    },
  }),
];

import { QueryHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { newestFirst } from '../../../engine/records/record-operations.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { Vault } from '../../../ports/vault.port.js';
import { type InboundEmail, inboundEmailName } from './inbound-email.record.js';
import { errorOf, statusOf } from './inbound-status.js';
import { type InboundEmailRecord, ListInboundEmails } from './mailhook.operations.js';
import { mailhooks } from './mailhook.record.js';

@QueryHandler(ListInboundEmails)
export class ListInboundEmailsHandler {
  constructor(
    private readonly reads: Reads,
    private readonly runner: CommandRunner,
    private readonly vault: Vault,
    private readonly scopes: Scopes,
  ) {}

  async execute(input: ListInboundEmails): Promise<readonly InboundEmailRecord[]> {
    const call = callOf(input);
    const { workspaceId } = call;
    const { mailhookId } = input;
    const mailhook = (await this.runner.find(mailhooks, workspaceId, mailhookId)) ?? mailhooks.missing();
    await this.scopes.admit(call, mailhooks, mailhook);
    const mails = await newestFirst<InboundEmail>(this.reads, workspaceId, 'inboundEmails', input, {
      where: { mailhookId },
      by: 'position',
      belongs: (mail) => mail.mailhookId === mailhookId,
      missing: () => refuse('inbound-email-not-found'),
    });
    return Promise.all(mails.map((mail) => this.shown(mail)));
  }

  private async shown(mail: InboundEmail): Promise<InboundEmailRecord> {
    const { id, workspaceId, mailhookId, size, of, receivedAt } = mail;
    const sealed = await this.vault.open(inboundEmailName(workspaceId, id));
    const said = sealed && (JSON.parse(Buffer.from(sealed).toString('utf8')) as JsonObject);
    const first = of === null ? undefined : await this.reads.get<InboundEmail>(workspaceId, 'inboundEmails', of);
    const runs = mail.runs.length > 0 ? mail.runs : (first?.runs ?? []);
    return {
      ...unread,
      ...said,
      id,
      mailhookId,
      status: statusOf(mail),
      runId: runs.at(-1)?.runId ?? null,
      runIds: mail.runs.map(({ runId }) => runId),
      error: errorOf(mail),
      duplicateOf: of,
      size,
      receivedAt,
    };
  }
}

/** Shown for a mail that is not parsed yet, or could not be parsed. */
const unread = {
  messageId: null,
  from: null,
  to: [],
  cc: [],
  subject: null,
  text: null,
  html: null,
  headers: {},
  attachments: [],
  truncated: false,
} as const;

import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Clock } from '../../../ports/clock.port.js';
import { readOutgoingMail } from './outgoing-mail.js';
import { ListOutgoingMail, type OutgoingMailItem } from './outgoing-mail.operations.js';
import { outgoingMails } from './outgoing-mail.record.js';
import type { SiteMailInHand } from './site-mail.record.js';
import { SiteMailContents } from './site-mail-content.js';

const most = 100;

@CommandHandler(ListOutgoingMail)
export class ListOutgoingMailHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly contents: SiteMailContents,
    private readonly clock: Clock,
  ) {}

  async execute(input: ListOutgoingMail): Promise<{ mails: readonly OutgoingMailItem[] }> {
    const call = callOf(input);
    const { projectId } = input;
    const found = await this.reads.find<SiteMailInHand>(call.workspaceId, 'siteMails', {
      where: { projectId },
      sort: [['createdAt', 'desc']],
      limit: most,
    });
    const now = new Date(this.clock.now()).toISOString();
    const read = await Promise.all(
      found.filter(({ expiresAt }) => expiresAt > now).map((mail) => this.read(call.workspaceId, mail)),
    );
    const mails = read.filter((mail) => mail !== undefined);
    // Before they are answered: nobody has seen a link who is not recorded.
    if (mails.length > 0) await this.record(call, projectId, mails);
    return { mails };
  }

  private async read(workspaceId: string, mail: SiteMailInHand): Promise<OutgoingMailItem | undefined> {
    const content = await this.contents.open(workspaceId, mail.id);
    if (content === undefined) return undefined;
    const { id, kind, status, error, createdAt, expiresAt } = mail;
    const { to, userName, link } = content;
    return {
      id,
      kind,
      to,
      userName: userName === '' ? null : userName,
      link,
      status: status === 'kept' ? 'kept' : 'waiting',
      error,
      createdAt,
      expiresAt,
    };
  }

  private async record(call: Call, projectId: string, mails: readonly OutgoingMailItem[]): Promise<void> {
    const mailIds = mails.map(({ id }) => id);
    await this.runner.change(call, {
      aggregate: outgoingMails,
      id: projectId,
      begins: 'perhaps',
      decide: (before) => readOutgoingMail(before, projectId, mailIds),
    });
  }
}

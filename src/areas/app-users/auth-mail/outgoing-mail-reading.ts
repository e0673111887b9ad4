import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { shapeOf } from '../../../kernel/field/field.js';
import { Clock } from '../../../ports/clock.port.js';
import { readOutgoingMail } from './outgoing-mail.js';
import { outgoingMails } from './outgoing-mail.record.js';
import { type SiteMailInHand, siteMailKinds } from './site-mail.record.js';
import { SiteMailContents } from './site-mail-content.js';

const most = 100;

const nullableText = { type: 'string', nullable: true } as const;

export const OutgoingMailItem = shapeOf('OutgoingMailItem', {
  id: { type: 'string' },
  kind: { type: 'string', enum: siteMailKinds },
  to: { type: 'string', description: 'Email address of the recipient.' },
  userName: nullableText,
  link: {
    ...nullableText,
    description: 'The complete link from the mail. Anyone who has it can use it. null if the mail contains none.',
  },
  status: {
    type: 'string',
    enum: ['waiting', 'kept'],
    description: '`waiting`: another attempt will be made. `kept`: no further attempt will be made.',
  },
  error: { ...nullableText, description: 'Why the last attempt failed. null if no attempt has failed.' },
  createdAt: { type: 'string', format: 'date-time' },
  expiresAt: { type: 'string', format: 'date-time', description: 'Time at which the mail is destroyed.' },
});
type Item = InstanceType<typeof OutgoingMailItem>;

/** Lists the newest 100 unsent mails of a site, with their links, and records who read them. */
@Injectable()
export class OutgoingMailReading {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly contents: SiteMailContents,
    private readonly clock: Clock,
  ) {}

  async read(call: OperationContext, projectId: string): Promise<readonly Item[]> {
    const found = await this.reads.find<SiteMailInHand>(call.workspaceId, 'siteMails', {
      where: { projectId },
      sort: [['createdAt', 'desc']],
      limit: most,
    });
    const now = new Date(this.clock.now()).toISOString();
    const opened = await Promise.all(
      found.filter(({ expiresAt }) => expiresAt > now).map((mail) => this.open(call.workspaceId, mail)),
    );
    const mails = opened.filter((mail) => mail !== undefined);
    // The reading is recorded before the links are returned, so that no one can read them without being recorded.
    if (mails.length > 0) await this.record(call, projectId, mails);
    return mails;
  }

  private async open(workspaceId: string, mail: SiteMailInHand): Promise<Item | undefined> {
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

  private async record(call: OperationContext, projectId: string, mails: readonly Item[]): Promise<void> {
    const mailIds = mails.map(({ id }) => id);
    await this.runner.change(call, {
      aggregate: outgoingMails,
      id: projectId,
      begins: 'perhaps',
      decide: (before) => readOutgoingMail(before, projectId, mailIds),
    });
  }
}

import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { DueWork } from '../../../engine/jobs/due-job.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { Clock } from '../../../ports/clock.port.js';
import { noticeOutgoingMail } from './outgoing-mail.js';
import { outgoingMails } from './outgoing-mail.record.js';
import { settleSiteMail } from './site-mail.js';
import { type SiteMailInHand, siteMails } from './site-mail.record.js';
import { SiteMailContents } from './site-mail-content.js';
import { SiteMailEnding } from './site-mail-ending.api.js';
import type { SiteMailMessage } from './site-mail-requests.api.js';
import { type NotedMailOutcome, SiteMailSender } from './site-mail-sender.js';

const tooLate: NotedMailOutcome = {
  sent: false,
  error: 'Its link expired before the mail could be sent.',
  again: false,
};

@Injectable()
export class SiteMailWork implements DueWork<SiteMailInHand, SiteMailMessage> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly contents: SiteMailContents,
    private readonly sender: SiteMailSender,
    private readonly ending: SiteMailEnding,
    private readonly calls: Calls,
    private readonly clock: Clock,
  ) {}

  /** Deletes the mail if its retention of one day is over. Returns whether the mail was deleted. */
  async settles({ workspaceId, id, expiresAt }: SiteMailInHand): Promise<boolean> {
    if (Date.parse(expiresAt) > this.clock.now()) return false;
    await this.ending.expire(this.call(workspaceId), id);
    return true;
  }

  async attempt({ workspaceId, mailId }: SiteMailMessage): Promise<void> {
    const mail = await this.runner.find(siteMails, workspaceId, mailId);
    if (mail === undefined || mail.status === 'kept' || Date.parse(mail.dueAt) > this.clock.now()) return;
    const content = await this.contents.open(workspaceId, mailId);
    if (content === undefined) return this.ending.expire(this.call(workspaceId), mailId);
    const isLate = Date.parse(mail.sendUntil) <= this.clock.now();
    const { notice, ...attempt } = isLate ? tooLate : await this.sender.attempt(mail, content);
    if (notice !== undefined) await this.notify(mail, notice);
    const after = await this.runner.change(this.call(workspaceId), {
      aggregate: siteMails,
      id: mailId,
      begins: 'perhaps',
      decide: (now) => settleSiteMail(now, attempt, this.clock.now()),
    });
    if (after === undefined) await this.contents.destroy(workspaceId, mailId);
  }

  private async notify({ workspaceId, projectId }: SiteMailInHand, summary: string): Promise<void> {
    const name = await this.sender.nameOf(workspaceId, projectId);
    if (name === undefined) return;
    const call = this.call(workspaceId);
    const telling = { projectId, name, summary, noticeId: call.newId('no'), now: this.clock.now() };
    await this.runner.change(call, {
      aggregate: outgoingMails,
      id: projectId,
      begins: 'perhaps',
      decide: (before) => noticeOutgoingMail(before, telling),
    });
  }

  private call(workspaceId: string) {
    return this.calls.once(workspaceId, systemActor('site-mail'), 'site-mail');
  }
}

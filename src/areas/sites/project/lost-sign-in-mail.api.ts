import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { DomainEvent, Recorded, RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import type { Aggregate } from '../../../kernel/record/aggregate.js';
import { mailAccounts } from '../../mailboxes/mail-account/mail-account.record.js';
import { emailTemplates } from '../email-template/email-template.record.js';
import { mailboxLost, type NoticeFacts, noticeLostMailbox, noticeLostTemplate } from './lost-sign-in-mail.js';
import { type Project, type ProjectEvent, projects } from './project.record.js';

type Decide = (project: Project, telling: NoticeFacts) => readonly ProjectEvent[];

@Injectable()
export class LostSignInMail {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly loader: AggregateLoader,
  ) {}

  /**
   * Notifies the members if a site's sign-in mail can no longer use its mailbox or template (Q-S14). Idempotent.
   * @param call returns the context of the command for one project
   */
  async follow(event: RecordedEvent, call: (projectId: string) => OperationContext): Promise<void> {
    const { category, workspaceId } = parseStream(event.stream);
    if (category === emailTemplates.category) {
      const { before } = await this.around(emailTemplates, event);
      if (before === undefined) return;
      await this.notify(call(before.projectId), before.projectId, (project, telling) =>
        noticeLostTemplate(project, before, telling),
      );
      return;
    }
    const { before, after } = await this.around(mailAccounts, event);
    if (before === undefined) return;
    const where = { authMailAccount: before.name };
    for (const { id } of await this.reads.find<Project>(workspaceId, 'projects', { where })) {
      const why = mailboxLost(before, after, id);
      if (why === undefined) continue;
      await this.notify(call(id), id, (project, telling) => noticeLostMailbox(project, before.name, why, telling));
    }
  }

  private async notify(call: OperationContext, id: string, decide: Decide): Promise<void> {
    const telling = { now: Date.parse(call.at), noticeId: call.newId('no') };
    await this.runner.change(call, {
      aggregate: projects,
      id,
      begins: 'perhaps',
      decide: (project) => (project === undefined ? [] : decide(project, telling)),
    });
  }

  private async around<State, Event extends DomainEvent>(aggregate: Aggregate<State, Event>, event: RecordedEvent) {
    let before = aggregate.initial;
    for await (const one of this.loader.history(event.stream)) {
      if (one.revision >= event.revision) break;
      before = aggregate.evolve(before, one as unknown as Recorded<Event>);
    }
    return { before, after: aggregate.evolve(before, event as unknown as Recorded<Event>) };
  }
}

import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { type MailAccount, servesSite } from '../../mailboxes/mail-account/mail-account.record.js';
import { type EmailTemplate } from '../email-template/email-template.record.js';
import { projects } from './project.record.js';
import { UpdatedProjectAuth, UpdateProjectAuth } from './project-auth.operations.js';
import { updateProjectAuth } from './update-project-auth.js';

@CommandHandler(UpdateProjectAuth)
export class UpdateProjectAuthHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
  ) {}

  async execute(input: UpdateProjectAuth): Promise<UpdatedProjectAuth> {
    const call = callOf(input);
    const { id, ...sent } = input;
    await this.mustServe(call.workspaceId, id, sent.authMailAccount);
    for (const templateId of [sent.authVerifyTemplateId, sent.authResetTemplateId]) {
      await this.mustBeTemplate(call.workspaceId, id, templateId);
    }
    const project = await this.runner.change(call, {
      aggregate: projects,
      id,
      decide: (before) => updateProjectAuth(before ?? projects.missing(), sent),
    });
    return shown(UpdatedProjectAuth, project ?? projects.missing());
  }

  /** A mailbox that goes away later is no error: mail then goes through the platform's sender. */
  private async mustServe(workspaceId: string, siteId: string, name: string | null | undefined): Promise<void> {
    if (name === undefined || name === null) return;
    const accounts = await this.reads.find<MailAccount>(workspaceId, 'mailAccounts', {
      where: { isActive: true },
      sort: [['name', 'asc']],
    });
    const mailboxes = accounts.filter((account) => servesSite(account, siteId)).map((account) => account.name);
    if (!mailboxes.includes(name)) refuse('auth-mailbox-unknown', { name }, { mailboxes });
  }

  private async mustBeTemplate(workspaceId: string, projectId: string, id: string | null | undefined): Promise<void> {
    if (id === undefined || id === null) return;
    const template = await this.reads.get<EmailTemplate>(workspaceId, 'email-templates', id);
    if (template?.projectId !== projectId) refuse('template-not-found');
  }
}

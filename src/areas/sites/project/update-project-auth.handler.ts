import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { refuse } from '../../../kernel/refusal.js';
import { Mailboxes } from '../../mailboxes/mail/mailboxes.api.js';
import { projects } from './project.record.js';
import { UpdatedProjectAuth, UpdateProjectAuth } from './project-auth.operations.js';
import { updateProjectAuth } from './update-project-auth.js';

@CommandHandler(UpdateProjectAuth)
export class UpdateProjectAuthHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly mailboxes: Mailboxes,
  ) {}

  async execute(input: UpdateProjectAuth): Promise<UpdatedProjectAuth> {
    const call = callOf(input);
    const { id, ...sent } = input;
    await this.mustServe(call.workspaceId, id, sent.authMailAccount);
    mustBeTemplate(sent.authVerifyTemplateId);
    mustBeTemplate(sent.authResetTemplateId);
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
    const usable = await this.mailboxes.usable(workspaceId, siteId);
    if (usable.some((mailbox) => mailbox.name === name)) return;
    refuse('auth-mailbox-unknown', { name }, { mailboxes: usable.map((mailbox) => mailbox.name) });
  }
}

/** A project has no templates of its own yet. */
function mustBeTemplate(templateId: string | null | undefined): void {
  if (templateId !== undefined && templateId !== null) refuse('template-not-found');
}

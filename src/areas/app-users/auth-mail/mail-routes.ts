import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { PlatformMail } from '../../../ports/network/platform-mail.port.js';
import { Mailboxes } from '../../mailboxes/mail/mailboxes.api.js';
import { type Project, projects } from '../../sites/project/project.record.js';
import type { SiteMailKind } from './site-mail.record.js';

export type MailRoute = { readonly mailbox: string } | { readonly platform: true };

@Injectable()
export class MailRoutes {
  constructor(
    private readonly runner: CommandRunner,
    private readonly mailboxes: Mailboxes,
    private readonly platform: PlatformMail,
  ) {}

  /**
   * If the site has no usable mailbox for sign-in mail, welcome mail is sent through the default mailbox, and all other
   * mail through the platform's sender. Returns undefined if this second choice is missing too, or if the site does not
   * exist.
   */
  async routeFor(workspaceId: string, projectId: string, kind: SiteMailKind): Promise<MailRoute | undefined> {
    const project = await this.project(workspaceId, projectId);
    if (project === undefined) return undefined;
    const usable = await this.mailboxes.usable(workspaceId, projectId);
    const chosen = usable.find(({ name }) => name === project.authMailAccount);
    if (chosen !== undefined) return { mailbox: chosen.name };
    if (kind === 'welcome') {
      const byDefault = usable.find(({ isDefault }) => isDefault);
      return byDefault && { mailbox: byDefault.name };
    }
    return this.platform.isSet ? { platform: true } : undefined;
  }

  project(workspaceId: string, projectId: string): Promise<Project | undefined> {
    return this.runner.find(projects, workspaceId, projectId);
  }
}

import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { PlatformMail } from '../../../ports/network/platform-mail.port.js';
import { Mailboxes } from '../../mailboxes/mail/mailboxes.api.js';
import { type Project, projects } from '../../sites/project/project.record.js';
import type { SiteMailKind } from './site-mail.record.js';

/** What a mail is sent through: a mailbox of the workspace, or the operator's sender. */
export type Way = { readonly mailbox: string } | { readonly platform: true };

/** Which way mail of a site goes now. */
@Injectable()
export class MailRoutes {
  constructor(
    private readonly runner: CommandRunner,
    private readonly mailboxes: Mailboxes,
    private readonly platform: PlatformMail,
  ) {}

  /**
   * The mailbox that the site chose for sign-in, while it is there; else the operator's sender. A welcome mail is no mail
   * of sign-in: without the chosen mailbox it goes through the site's default one, and never through the operator's
   * sender. Undefined: none can send it.
   */
  async of(workspaceId: string, projectId: string, kind: SiteMailKind): Promise<Way | undefined> {
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

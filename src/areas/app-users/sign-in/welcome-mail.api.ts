import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Project } from '../../sites/project/project.record.js';
import type { AppUser } from '../app-user/app-user.record.js';
import { SiteMail } from '../auth-mail/site-mail.api.js';
import { SiteLinks } from './site-links.js';

@Injectable()
export class WelcomeMail {
  constructor(
    private readonly mail: SiteMail,
    private readonly links: SiteLinks,
  ) {}

  /** The mail contains no password. Resolves to `needsMailbox` if the site has no mailbox to send it (Q-S26). */
  async send(call: OperationContext, project: Project, user: AppUser): Promise<'sending' | 'needsMailbox'> {
    const { workspaceId, id: projectId } = project;
    const { id: userId, email: to, name: userName } = user;
    const link = await this.links.ofMail(project, 'login');
    const sent = await this.mail.send({ workspaceId, projectId, kind: 'welcome', to, userName, link, userId }, call);
    return sent === 'accepted' ? 'sending' : 'needsMailbox';
  }
}

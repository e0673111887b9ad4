import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { RecordingQuota } from '../../../engine/quotas/recording-quota.js';
import { userEmail } from '../../../kernel/mail/user-email.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { isOneLine } from '../../../kernel/text/one-line.js';
import type { SocialIdentity } from '../../../ports/network/social-sign-in.port.js';
import type { Project } from '../../sites/project/project.record.js';
import type { AppUser } from '../app-user/app-user.record.js';
import { SiteUsers } from '../app-user/site-users.api.js';
import { socialAccounts } from './social-account.record.js';

export type NoSocialUser = 'email-missing' | 'email-not-verified' | 'sign-up-off' | 'refused';

@Injectable()
export class SocialUsers {
  constructor(
    private readonly runner: CommandRunner,
    private readonly users: SiteUsers,
    private readonly personal: PersonalData,
    private readonly quota: RecordingQuota,
  ) {}

  /**
   * If no user is linked to the social account, links the account to the user with the same email, or to a new user.
   * Both the provider and the site must have verified the email. Otherwise, a stranger who signed up with someone's
   * email and a password could later sign in to that person's user.
   */
  async of(
    call: OperationContext,
    project: Project,
    provider: string,
    person: SocialIdentity,
  ): Promise<AppUser | NoSocialUser> {
    const id = this.idOf(project, person);
    const joined = await this.runner.find(socialAccounts, project.workspaceId, id);
    const known = joined && (await this.users.find(project.workspaceId, joined.userId));
    const user = known ?? (await this.byAddress(call, project, person));
    if (typeof user === 'string') return user;
    if (user.isBanned) return 'refused';
    if (known === undefined) {
      const data = { projectId: project.id, userId: user.id, provider };
      await this.runner.change(call, {
        aggregate: socialAccounts,
        id,
        begins: 'perhaps',
        decide: (before) => (before?.userId === user.id ? [] : [{ type: 'SocialAccountJoined' as const, data }]),
      });
    }
    return user;
  }

  private async byAddress(
    call: OperationContext,
    project: Project,
    person: SocialIdentity,
  ): Promise<AppUser | NoSocialUser> {
    const email = person.email === null ? undefined : userEmail(person.email);
    if (email === undefined) return 'email-missing';
    if (!person.emailVerified) return 'email-not-verified';
    const { workspaceId, id: projectId } = project;
    const present = await this.users.byEmail(workspaceId, projectId, email);
    if (present !== undefined) return present.emailVerifiedAt === null ? 'email-not-verified' : present;
    if (!project.authAllowSignup) return 'sign-up-off';
    await this.quota.mustHaveRoom(call);
    const name = person.name !== null && isOneLine(person.name) ? person.name : email.slice(0, email.lastIndexOf('@'));
    const facts = { projectId, email, name, customFields: {}, emailVerifiedAt: call.at, role: null, roleIds: [] };
    try {
      return await this.users.create(call, { ...facts, origin: 'social' });
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'email-taken') throw error;
      const first = await this.users.byEmail(workspaceId, projectId, email);
      return first === undefined || first.emailVerifiedAt === null ? 'email-not-verified' : first;
    }
  }

  private idOf({ workspaceId, id }: Project, { issuer, subject }: SocialIdentity): string {
    return `soc_${this.personal.keyed(workspaceId, 'social-account', JSON.stringify([id, issuer, subject]))}`;
  }
}

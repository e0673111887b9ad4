import { Injectable } from '@nestjs/common';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { HourlyQuota } from '../../../engine/quotas/hourly-quota.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Project } from '../../sites/project/project.record.js';
import type { AppUser } from '../app-user/app-user.record.js';
import { SiteUsers } from '../app-user/site-users.api.js';
import { refuse } from '../app-users.refusals.js';
import { SiteMail } from '../auth-mail/site-mail.api.js';
import { AfterAnswer } from './after-answer.js';
import { comparedEmail } from './compared-email.js';
import { greetedName } from './greeted-name.api.js';
import { OneTimeTokens, type TokenPurpose, tokenLasts } from './one-time-tokens.js';
import { SiteLinks } from './site-links.js';

/**
 * Maximum number of mails per kind, email and hour, because anyone can request these mails. Further requests get the
 * same answer, but no mail is sent.
 */
const mostAnHour = 5;

/** Neither the answers nor their timing reveal whether a user exists. */
@Injectable()
export class SignInMail {
  constructor(
    private readonly users: SiteUsers,
    private readonly mail: SiteMail,
    private readonly tokens: OneTimeTokens,
    private readonly links: SiteLinks,
    private readonly quota: HourlyQuota,
    private readonly after: AfterAnswer,
    private readonly reads: Reads,
    private readonly personal: PersonalData,
    private readonly calls: Calls,
  ) {}

  /**
   * Sends no mail if the user does not exist or is verified.
   * @throws Refusal sign-in-off
   */
  async askedToVerify(project: Project, email: string): Promise<void> {
    await this.asked(project, 'verify', email, async (user) => {
      if (user.emailVerifiedAt === null) await this.verify(this.call(project, 'site/resendVerification'), user);
    });
  }

  /**
   * Sends no mail if the user does not exist or is banned.
   * @throws Refusal sign-in-off
   */
  async askedToReset(project: Project, email: string): Promise<void> {
    await this.asked(project, 'reset', email, async (user) => {
      if (user.isBanned) return;
      await this.send(this.call(project, 'site/forgotPassword'), project, user, 'reset');
    });
  }

  /** Notifies a user that someone tried to sign up with the user's email. */
  async taken(project: Project, email: string): Promise<void> {
    await this.asked(project, 'taken', email, async (user) => {
      const { workspaceId, id: projectId } = project;
      const link = await this.links.ofMail(project, 'login');
      const { id: userId, email: to } = user;
      const userName = greetedName(user);
      const mail = { workspaceId, projectId, kind: 'taken', to, userName, link, userId } as const;
      await this.mail.send(mail, this.call(project, 'site/signUp'));
    });
  }

  /** Sends no mail if the email is already verified. If the call is repeated, the mail is sent only once. */
  async signedUp(call: OperationContext, userId: string): Promise<void> {
    const user = await this.users.find(call.workspaceId, userId);
    if (user !== undefined && user.emailVerifiedAt === null) await this.verify(call, user);
  }

  digestOf({ workspaceId, email }: Pick<AppUser, 'workspaceId' | 'email'>): string {
    return this.personal.keyed(workspaceId, 'sign-in-mail', email);
  }

  private async verify(call: OperationContext, user: AppUser): Promise<void> {
    const project = await this.reads.get<Project>(call.workspaceId, 'projects', user.projectId);
    if (project !== undefined) await this.send(call, project, user, 'verify');
  }

  private async send(call: OperationContext, project: Project, user: AppUser, kind: TokenPurpose): Promise<void> {
    const { workspaceId } = call;
    const { id: userId, projectId, email: to, passGeneration } = user;
    const userName = greetedName(user);
    const token = call.newToken();
    const email = this.digestOf(user);
    await this.tokens.store(workspaceId, kind, token, { projectId, userId, email, generation: passGeneration });
    const link = await this.links.ofMail(project, kind === 'verify' ? 'verifyEmail' : 'resetPassword', token);
    const expiresIn = tokenLasts[kind];
    const visits = { ...call, visitedSite: projectId };
    await this.mail.send({ workspaceId, projectId, kind, to, userName, link, expiresIn, userId }, visits);
  }

  /** Looks the user up only after the answer was sent, so the timing does not reveal whether the user exists. */
  private async asked(project: Project, kind: string, email: string, act: (user: AppUser) => Promise<void>) {
    if (!project.authEnabled) refuse('sign-in-off');
    const { workspaceId, id } = project;
    const key = this.quota.keyOf(workspaceId, `mail/${id}/${kind}/${comparedEmail(email)}`);
    if (!(await this.quota.consume(key, mostAnHour))) return;
    this.after.soon(`Mail about sign-in (${kind})`, async () => {
      const user = await this.users.byEmail(workspaceId, id, email);
      if (user !== undefined) await act(user);
    });
  }

  private call(project: Project, operation: string): OperationContext {
    return this.calls.visiting(project, systemActor('sign-in-mail'), operation);
  }
}

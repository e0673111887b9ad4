import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Project } from '../../sites/project/project.record.js';
import type { AppUser } from '../app-user/app-user.record.js';
import { SiteUsers } from '../app-user/site-users.api.js';
import { UserPasswords } from '../app-user/user-passwords.api.js';
import { refuse } from '../app-users.refusals.js';
import type { IssuedPass } from '../site-pass/site-passes.api.js';
import { comparedEmail } from './compared-email.js';
import { PretendedSignUps } from './pretended-sign-ups.js';
import { SignInTries } from './sign-in-tries.js';
import { SignIns } from './sign-ins.api.js';
import { type VisitorUser, VisitorUsers } from './visitor-user.api.js';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly address: string;
}

/** A wrong email and a wrong password cause the same work and the same answer, so the caller cannot tell them apart. */
@Injectable()
export class LogIn {
  constructor(
    private readonly users: SiteUsers,
    private readonly passwords: UserPasswords,
    private readonly pretended: PretendedSignUps,
    private readonly tries: SignInTries,
    private readonly signIns: SignIns,
    private readonly shown: VisitorUsers,
  ) {}

  /** @throws Refusal sign-in-off, log-in-failed, email-not-verified, sign-in-tries, passwords-busy */
  async logIn(
    call: OperationContext,
    project: Project,
    { email, password, address }: Credentials,
  ): Promise<{ readonly user: VisitorUser; readonly session: IssuedPass }> {
    if (!project.authEnabled) refuse('sign-in-off');
    const { workspaceId, id: projectId } = project;
    const one = { workspaceId, projectId, email: comparedEmail(email), address };
    const user = await this.tries.judge(one, () => this.userWith(project, email, password));
    if (user === undefined) return refuse('log-in-failed');
    if (user === 'pretended' || (project.authRequireEmail && user.emailVerifiedAt === null)) {
      return refuse('email-not-verified');
    }
    const session = await this.signIns.begin(call, user);
    await this.tries.trust(one);
    return { user: await this.shown.shown(user), session };
  }

  /**
   * Returns `pretended` if the email and password are those of a pretended sign-up, which used an existing user's email
   * and was answered as if it had succeeded. The log-in then gets the same answer as a real user who has not verified
   * the email, and is not counted as a failure.
   */
  private async userWith(
    project: Project,
    email: string,
    password: string,
  ): Promise<AppUser | 'pretended' | undefined> {
    const { workspaceId, id } = project;
    const [user, isPretended] = await Promise.all([
      this.users.byEmail(workspaceId, id, email),
      project.authRequireEmail && this.pretended.has(project, { email, password }),
    ]);
    const matches = await this.passwords.matches({ workspaceId, projectId: id }, user, password);
    if (matches && user?.isBanned === false) return user;
    return isPretended ? 'pretended' : undefined;
  }
}

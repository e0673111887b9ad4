import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Project } from '../../sites/project/project.record.js';
import type { AppUser } from '../app-user/app-user.record.js';
import { SiteUsers } from '../app-user/site-users.api.js';
import { refuse } from '../app-users.refusals.js';
import { OneTimeTokens, type TokenPurpose } from './one-time-tokens.js';
import { SignInMail } from './sign-in-mail.api.js';

@Injectable()
export class TokenUse {
  constructor(
    private readonly users: SiteUsers,
    private readonly tokens: OneTimeTokens,
    private readonly mail: SignInMail,
  ) {}

  /** @throws Refusal sign-in-off, sign-in-token-invalid */
  async verifyEmail(call: OperationContext, project: Project, token: string): Promise<void> {
    await this.using(project, 'verify', token, (user) => this.users.verify(call, user.id));
  }

  /**
   * Ends all sessions of the user. The email is marked as verified, because the caller has read mail sent to it.
   * @throws Refusal sign-in-off, sign-in-token-invalid, passwords-busy
   */
  async resetPassword(call: OperationContext, project: Project, token: string, password: string): Promise<void> {
    await this.using(project, 'reset', token, async (user) => {
      await this.users.setPassword(call, project.id, user.id, password);
      await this.users.verify(call, user.id);
    });
  }

  private async using(
    project: Project,
    purpose: TokenPurpose,
    token: string,
    act: (user: AppUser) => Promise<unknown>,
  ): Promise<void> {
    if (!project.authEnabled) refuse('sign-in-off');
    const { workspaceId } = project;
    const user = (await this.userOf(project, purpose, token)) ?? refuse('sign-in-token-invalid');
    if (!(await this.tokens.use(workspaceId, purpose, token))) refuse('sign-in-token-invalid');
    try {
      await act(user);
    } catch (error) {
      await this.tokens.giveBack(workspaceId, purpose, token);
      throw error;
    }
  }

  private async userOf({ workspaceId, id }: Project, purpose: TokenPurpose, token: string) {
    const content = await this.tokens.find(workspaceId, purpose, token);
    if (content === undefined || content.projectId !== id) return undefined;
    const user = await this.users.find(workspaceId, content.userId);
    if (user === undefined || user.isBanned || content.email !== this.mail.digestOf(user)) return undefined;
    const isOver = purpose === 'reset' && content.generation !== user.passGeneration;
    return isOver ? undefined : user;
  }
}

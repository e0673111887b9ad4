import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { normalPassword } from '../../../kernel/text/password.js';
import { PasswordHash, PasswordHashBusy, type PasswordLine } from '../../../ports/offloaded/password-hash.port.js';
import { refuse } from '../app-users.refusals.js';
import { type AppUser, appUsers } from './app-user.record.js';

@Injectable()
export class UserPasswords {
  constructor(
    private readonly hashes: PasswordHash,
    private readonly secrets: RecordedSecrets,
  ) {}

  /**
   * Stores the hash in the vault as a draft and calls `record`. Then makes the draft permanent if the user now has this
   * password, and destroys it otherwise. If the process dies before that, a saga does it.
   * @throws Refusal passwords-busy
   */
  async setting<User extends Pick<AppUser, 'passwordId'> | undefined>(
    call: OperationContext,
    line: PasswordLine,
    password: string,
    record: (passwordId: string) => Promise<User>,
  ): Promise<User> {
    const { workspaceId } = call;
    const passwordId = call.newId('pwd');
    const value = await this.hash(line, password);
    const user = await this.secrets.drafting(appUsers, call, { id: passwordId, value }, () => record(passwordId));
    // If the command is repeated, a later command can have set another password. The hash of this call is then
    // destroyed.
    await this.secrets.settle(appUsers, workspaceId, passwordId, user?.passwordId === passwordId);
    return user;
  }

  /**
   * The check takes the same time if there is no user or no password.
   * @throws Refusal passwords-busy
   */
  async matches(
    { workspaceId, projectId }: Pick<AppUser, 'workspaceId' | 'projectId'>,
    user: Pick<AppUser, 'passwordId'> | undefined,
    password: string,
  ): Promise<boolean> {
    const passwordId = user?.passwordId ?? 'none';
    const hash = await this.secrets.open(appUsers, workspaceId, passwordId);
    const line: PasswordLine = { siteId: projectId, kind: 'sign-in' };
    return this.inTurn(() => this.hashes.matches(line, normalPassword(password), hash));
  }

  private hash(line: PasswordLine, password: string): Promise<string> {
    return this.inTurn(() => this.hashes.hash(line, normalPassword(password)));
  }

  private async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PasswordHashBusy)) throw error;
      const { retryAfterSeconds } = error;
      return refuse('passwords-busy', undefined, { retryAfterSeconds });
    }
  }
}

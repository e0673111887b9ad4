import { Injectable } from '@nestjs/common';
import type { Call } from '../../../engine/operation/call.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { Refusal, refuse } from '../../../kernel/refusals/refusal.js';
import { normalPassword } from '../../../kernel/text/password.js';
import { Clock } from '../../../ports/clock.port.js';
import { PasswordHash, PasswordHashBusy, type PasswordLine } from '../../../ports/password-hash.port.js';
import { draftKeptMs, Vault } from '../../../ports/vault.port.js';
import { type AppUser, type AppUserEvent, passwordName } from './app-user.record.js';

/** Hashes of users' passwords: in the vault alone, by the steps by which all secrets are set. */
@Injectable()
export class UserPasswords {
  constructor(
    private readonly hashes: PasswordHash,
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /**
   * Hashes the password and seals the hash as a draft, has `record` record an event that names it, and keeps it. If the
   * process dies in between, a saga keeps it. `record` answers the user after it. @throws Refusal passwords-busy
   */
  async setting<User extends Pick<AppUser, 'passwordId'> | undefined>(
    call: Call,
    line: PasswordLine,
    password: string,
    record: (passwordId: string) => Promise<User>,
  ): Promise<User> {
    const { workspaceId } = call;
    const passwordId = call.newId('pwd');
    const name = passwordName(workspaceId, passwordId);
    const hash = await this.hash(line, password);
    const expiresAt = this.clock.now() + draftKeptMs;
    await this.vault.seal(name, Buffer.from(hash, 'utf8'), { ifAbsent: true, expiresAt });
    try {
      const user = await record(passwordId);
      // A repeated command may find that its password was replaced long ago.
      if (user?.passwordId === passwordId) await this.vault.keep(name);
      else await this.vault.destroy(name);
      return user;
    } catch (error) {
      // A refusal recorded nothing. After other errors the outcome is unknown; an unused draft expires.
      if (error instanceof Refusal) await this.vault.destroy(name);
      throw error;
    }
  }

  /**
   * Whether it is this user's password. Takes the same time when there is no user, or no password.
   * @throws Refusal passwords-busy
   */
  async matches(
    { workspaceId, projectId }: Pick<AppUser, 'workspaceId' | 'projectId'>,
    user: Pick<AppUser, 'passwordId'> | undefined,
    password: string,
  ): Promise<boolean> {
    const passwordId = user?.passwordId ?? 'none';
    const hash = await this.vault.open(passwordName(workspaceId, passwordId));
    const text = hash && Buffer.from(hash).toString('utf8');
    const line: PasswordLine = { siteId: projectId, kind: 'sign-in' };
    return this.inTurn(() => this.hashes.matches(line, normalPassword(password), text));
  }

  /** Carries out a recorded event: keeps the hash it names and destroys the one it replaces. May be repeated. */
  async follow(workspaceId: string, event: AppUserEvent | DomainEvent): Promise<void> {
    const { passwordId, replaces } = event.data as { passwordId?: string | null; replaces?: string | null };
    if (passwordId == null) return;
    if (event.type === 'AppUserDeleted') return this.vault.destroy(passwordName(workspaceId, passwordId));
    await this.vault.keep(passwordName(workspaceId, passwordId));
    if (replaces != null) await this.vault.destroy(passwordName(workspaceId, replaces));
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

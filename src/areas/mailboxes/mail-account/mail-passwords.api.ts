import { Injectable } from '@nestjs/common';
import { Clock } from '../../../ports/clock.port.js';
import { draftKeptMs, Vault } from '../../../ports/vault.port.js';
import { type MailAccountEvent, mailPasswordName } from './mail-account.record.js';

/**
 * Passwords of mailboxes in the vault. A password is sealed before the event that refers to it. Until that event is
 * recorded it is a draft, which expires.
 */
@Injectable()
export class MailPasswords {
  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /** May be repeated: an existing password is left as it is. */
  async draft(workspaceId: string, passwordId: string, password: string): Promise<void> {
    const expiresAt = this.clock.now() + draftKeptMs;
    const name = mailPasswordName(workspaceId, passwordId);
    await this.vault.seal(name, Buffer.from(password, 'utf8'), { ifAbsent: true, expiresAt });
  }

  /** Only for passwords that no event refers to. */
  async discard(workspaceId: string, passwordId: string): Promise<void> {
    await this.vault.destroy(mailPasswordName(workspaceId, passwordId));
  }

  /**
   * Carries out a recorded event: keeps the password it refers to and destroys the one it replaces. May be repeated.
   */
  async follow(workspaceId: string, { type, data }: MailAccountEvent): Promise<void> {
    switch (type) {
      case 'MailAccountCreated':
        await this.vault.keep(mailPasswordName(workspaceId, data.passwordId));
        return;
      case 'MailAccountChanged':
        if (data.passwordId !== undefined) await this.vault.keep(mailPasswordName(workspaceId, data.passwordId));
        if (data.replaces !== undefined) await this.discard(workspaceId, data.replaces);
        return;
      case 'MailAccountDeleted':
        return this.discard(workspaceId, data.passwordId);
      case 'MailAccountActivated':
      case 'MailAccountDeactivated':
      case 'MailAccountTested':
        return;
    }
  }
}

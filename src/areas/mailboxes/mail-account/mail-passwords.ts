import { Injectable } from '@nestjs/common';
import { Clock } from '../../../ports/clock.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { type MailAccountEvent, mailPasswordName } from './mail-account.record.js';

/** Far longer than any call or outage: by then a draft was recorded, and is kept, or never will be. */
const draftKeptMs = 30 * 24 * 3_600_000;

/**
 * Passwords of mailboxes in the vault. One is sealed before the event that refers to it, and until that event is
 * recorded it is a draft, which goes by itself.
 */
@Injectable()
export class MailPasswords {
  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /** May be repeated: a password that is there stays as it is. */
  async draft(workspaceId: string, passwordId: string, password: string): Promise<void> {
    const expiresAt = this.clock.now() + draftKeptMs;
    const name = mailPasswordName(workspaceId, passwordId);
    await this.vault.seal(name, Buffer.from(password, 'utf8'), { ifAbsent: true, expiresAt });
  }

  /** Only what no event refers to. */
  async discard(workspaceId: string, passwordId: string): Promise<void> {
    await this.vault.destroy(mailPasswordName(workspaceId, passwordId));
  }

  /** Does what a recorded event says: keeps what it refers to and destroys what it ends. May be repeated. */
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

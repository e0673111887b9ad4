import { domainToASCII } from 'node:url';
import { Injectable } from '@nestjs/common';
import { type Mailhook, mailhookAddressText, mailhooks } from '../areas/triggers/mailhook/mailhook.record.js';
import { Environment } from '../config/environment.js';
import { CommandRunner } from '../engine/command-runner.js';
import { Freshness } from '../engine/freshness.js';
import { ReadStore } from '../ports/read-store.port.js';
import { Vault } from '../ports/vault.port.js';
import { unavailable } from './smtp-refusal.js';

/** Older than this, a read model may not know of an address that somebody was given already. */
const knowsWithinMs = 10_000;

/** Which mailhook an address is of. */
@Injectable()
export class MailhookAddresses {
  constructor(
    private readonly store: ReadStore,
    private readonly runner: CommandRunner,
    private readonly vault: Vault,
    private readonly freshness: Freshness,
    private readonly environment: Environment,
  ) {}

  /**
   * Undefined for an address that is of none: unknown, deleted or not ours. The read model finds it; whether it is still
   * there, its own stream says, so that no deleted one is found, whoever deleted it.
   * @throws SmtpRefusal when that cannot be known now
   */
  async find(address: string): Promise<Mailhook | undefined> {
    const at = address.lastIndexOf('@');
    const { domain } = this.environment.mailIn;
    if (domainToASCII(address.slice(at + 1)).toLowerCase() !== domain) return undefined;
    const addressHash = this.vault.derive(mailhookAddressText(address.slice(0, at)));
    const [shown] = await this.store.find<Mailhook>('mailhooks', { where: { addressHash }, limit: 1 });
    if (shown !== undefined) return this.runner.find(mailhooks, shown.workspaceId, shown.id);
    if (this.freshness.ageMs('mailhooks') > knowsWithinMs) throw unavailable();
    return undefined;
  }
}

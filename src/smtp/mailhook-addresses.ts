import { domainToASCII } from 'node:url';
import { Injectable } from '@nestjs/common';
import { type Mailhook, mailhookAddressText, mailhooks } from '../areas/triggers/mailhook/mailhook.record.js';
import { Environment } from '../config/environment.js';
import { CommandRunner } from '../engine/commands/command-runner.js';
import { Freshness } from '../engine/read-models/freshness.js';
import { ReadStore } from '../ports/read-store.port.js';
import { Vault } from '../ports/vault.port.js';
import { unavailable } from './smtp-refusal.js';

/** A read model that is further behind than this may lack an address that has already been shown to somebody. */
const knowsWithinMs = 10_000;

/** Finds the mailhook of an address. */
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
   * Undefined when the address belongs to no mailhook: unknown, deleted or of another domain. The read model finds the
   * mailhook and its stream confirms that it exists, so a deleted one is never found, whichever process deleted it.
   * @throws SmtpRefusal when that cannot be determined now
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

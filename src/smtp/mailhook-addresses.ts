import { domainToASCII } from 'node:url';
import { Injectable } from '@nestjs/common';
import { type Mailhook, mailhookAddressText, mailhooks } from '../areas/triggers/mailhook/mailhook.record.js';
import { Environment } from '../config/environment.js';
import { CommandRunner } from '../engine/commands/command-runner.js';
import { Freshness } from '../engine/read-models/freshness.js';
import { ReadStore } from '../ports/read-store.port.js';
import { Vault } from '../ports/vault.port.js';
import { mailUnavailable } from './smtp-refusal.js';

/**
 * Maximum lag of the read model, in milliseconds. If the lag is larger, an unknown address may belong to a new
 * mailhook, so the client must try again later.
 */
const toleratedLagMs = 10_000;

@Injectable()
export class MailRecipients {
  constructor(
    private readonly store: ReadStore,
    private readonly runner: CommandRunner,
    private readonly vault: Vault,
    private readonly freshness: Freshness,
    private readonly environment: Environment,
  ) {}

  /**
   * Returns undefined if there is no such mailhook. A mailhook that the read model contains may have been deleted, so
   * the log decides.
   * @throws SmtpRefusal if the address is unknown but the read model lags too far behind
   */
  async find(address: string): Promise<Mailhook | undefined> {
    const at = address.lastIndexOf('@');
    const { domain } = this.environment.mailIn;
    if (domainToASCII(address.slice(at + 1)).toLowerCase() !== domain) return undefined;
    const addressHash = this.vault.derive(mailhookAddressText(address.slice(0, at)));
    const [found] = await this.store.find<Mailhook>('mailhooks', { where: { addressHash }, limit: 1 });
    if (found !== undefined) return this.runner.find(mailhooks, found.workspaceId, found.id);
    if (this.freshness.ageMs('mailhooks') > toleratedLagMs) throw mailUnavailable();
    return undefined;
  }
}

import { Injectable } from '@nestjs/common';
import type { MailUse } from '../../../../projections/mailboxes/mail-use.projection.js';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { Clock } from '../../../ports/clock.port.js';
import { countInHour } from '../mail/mail.record.js';
import type { MailAccountRecord, MailAccountSite } from './mail-account.operations.js';
import type { MailAccount } from './mail-account.record.js';
import { MailAccountSites } from './mail-account-sites.js';
import type { MailDefault } from './mail-default.record.js';

/** Mailboxes as this caller may see them. */
@Injectable()
export class MailAccountView {
  constructor(
    private readonly reads: Reads,
    private readonly sites: MailAccountSites,
    private readonly clock: Clock,
  ) {}

  async all({ workspaceId, caller }: Call, accounts: readonly MailAccount[]): Promise<readonly MailAccountRecord[]> {
    const [byDefault, uses, sites] = await Promise.all([
      this.reads.get<MailDefault>(workspaceId, 'mailDefaults', workspaceId),
      this.reads.find<MailUse>(workspaceId, 'mailUses'),
      this.sites.names(workspaceId, accounts),
    ]);
    const used = new Map(uses.map((use) => [use.id, use]));
    const manages = caller?.permissions.has('mailboxes.manage') ?? false;
    return accounts.map((account) => {
      const use = used.get(account.id);
      const isDefault = byDefault?.mailAccountId === account.id;
      const safe = { ...safeFields(account, sites), isDefault, sentCount: countInHour(use?.hour, this.clock.now()) };
      return manages ? { ...safe, ...managersFields(account, use) } : safe;
    });
  }

  async one(call: Call, account: MailAccount): Promise<MailAccountRecord> {
    const [record] = await this.all(call, [account]);
    if (record === undefined) throw new Error('One mailbox made no record.');
    return record;
  }
}

function safeFields(account: MailAccount, sites: ReadonlyMap<string, MailAccountSite>) {
  const { id, name, projectId, fromAddress, fromName, verified, isActive, hourlyLimit } = account;
  const site = projectId === null ? null : (sites.get(projectId) ?? { id: projectId, name: '' });
  return { id, name, site, fromAddress, fromName, verified, isActive, hourlyLimit };
}

/** Whatever happened last counts, a test or a mail. */
function managersFields({ replyTo, host, port, secure, username, tested }: MailAccount, use: MailUse | undefined) {
  const sent = use?.last ?? null;
  const latest = tested !== null && (sent === null || tested.at >= sent.at) ? tested : sent;
  return { replyTo, host, port, secure, username, lastError: latest?.error ?? null };
}

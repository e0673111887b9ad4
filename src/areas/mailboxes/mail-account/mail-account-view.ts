import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { shown } from '../../../engine/operation/shown.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Field } from '../../../kernel/field/field.js';
import { Clock } from '../../../ports/clock.port.js';
import { countInHour, type MailUse } from '../mail/mail.record.js';
import type { MailAccount } from './mail-account.record.js';
import { MailAccountSites } from './mail-account-sites.js';
import type { MailDefault } from './mail-default.record.js';

export class MailAccountSite {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

export class MailAccountItem {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({
    type: 'object',
    shape: () => MailAccountSite,
    nullable: true,
    description: 'The site that the mailbox is restricted to. null if it is for any use.',
  })
  site!: MailAccountSite | null;
  @Field({ type: 'string' }) fromAddress!: string;
  @Field({ type: 'string' }) fromName!: string;
  @Field({
    type: 'boolean',
    description: 'Whether the last test succeeded, with no change since that would invalidate it.',
  })
  verified!: boolean;
  @Field({ type: 'boolean' }) isDefault!: boolean;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'integer', description: 'Number of recipients in the current hour.' }) sentCount!: number;
  @Field({ type: 'integer' }) hourlyLimit!: number;
}

/** The optional fields are shown only to callers with the permission 'Add and remove mailboxes'. */
export class MailAccountRecord extends MailAccountItem {
  @Field({ type: 'string', optional: true }) replyTo?: string;
  @Field({ type: 'string', optional: true }) host?: string;
  @Field({ type: 'integer', optional: true }) port?: number;
  @Field({ type: 'boolean', optional: true }) secure?: boolean;
  @Field({ type: 'string', optional: true }) username?: string;
  @Field({
    type: 'string',
    optional: true,
    nullable: true,
    description: 'The error of the latest test or mail. null if it succeeded.',
  })
  lastError?: string | null;
}

@Injectable()
export class MailAccountView {
  constructor(
    private readonly reads: Reads,
    private readonly sites: MailAccountSites,
    private readonly clock: Clock,
  ) {}

  async all(
    { workspaceId, caller }: OperationContext,
    accounts: readonly MailAccount[],
  ): Promise<readonly MailAccountRecord[]> {
    const [byDefault, uses, sites] = await Promise.all([
      this.reads.get<MailDefault>(workspaceId, 'mailDefaults', workspaceId),
      this.reads.find<MailUse>(workspaceId, 'mailUses'),
      this.sites.names(workspaceId, accounts),
    ]);
    const used = new Map(uses.map((use) => [use.id, use]));
    const manages = caller?.permissions.has('mailboxes.manage') ?? false;
    const record = manages ? MailAccountRecord : MailAccountItem;
    return accounts.map((account) => {
      const use = used.get(account.id);
      return shown<MailAccountRecord>(record, {
        ...account,
        site: siteOf(account, sites),
        isDefault: byDefault?.mailAccountId === account.id,
        sentCount: countInHour(use?.hour, this.clock.now()),
        lastError: lastErrorOf(account, use),
      });
    });
  }

  async one(call: OperationContext, account: MailAccount): Promise<MailAccountRecord> {
    const [record] = await this.all(call, [account]);
    if (record === undefined) throw new Error('Expected one record for one mailbox.');
    return record;
  }
}

function siteOf({ projectId }: MailAccount, sites: ReadonlyMap<string, MailAccountSite>): MailAccountSite | null {
  return projectId === null ? null : (sites.get(projectId) ?? { id: projectId, name: '' });
}

function lastErrorOf({ tested }: MailAccount, use: MailUse | undefined): string | null {
  const sent = use?.last ?? null;
  const latest = tested !== null && (sent === null || tested.at >= sent.at) ? tested : sent;
  return latest?.error ?? null;
}

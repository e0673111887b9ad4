import { Injectable } from '@nestjs/common';
import { refuse } from '../../../kernel/refusal.js';
import { SiteKeeper } from '../../../ports/sites.port.js';

/** The sites that mailboxes are bound to. */
@Injectable()
export class MailAccountSites {
  constructor(private readonly sites: SiteKeeper) {}

  /** @throws Refusal mail-account-site-not-found */
  async mustBe(workspaceId: string, siteId: string | null | undefined): Promise<void> {
    if (siteId === undefined || siteId === null) return;
    const sites = await this.sites.outlines(workspaceId);
    if (!sites.some(({ id }) => id === siteId)) refuse('mail-account-site-not-found');
  }

  /** Of those that these mailboxes are bound to. */
  async names(
    workspaceId: string,
    accounts: readonly { readonly projectId: string | null }[],
  ): Promise<ReadonlyMap<string, { readonly id: string; readonly name: string }>> {
    if (accounts.every(({ projectId }) => projectId === null)) return new Map();
    const sites = await this.sites.outlines(workspaceId);
    return new Map(sites.map(({ id, name }) => [id, { id, name }]));
  }
}

import { Injectable } from '@nestjs/common';
import type { Call } from '../../../engine/operation/call.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { Sites } from '../../sites/project/sites.api.js';

/** The sites that mailboxes are bound to. */
@Injectable()
export class MailAccountSites {
  constructor(
    private readonly sites: Sites,
    private readonly scopes: Scopes,
  ) {}

  /** @throws Refusal site-not-found, ai-permission-missing */
  async mustBe(call: Call, siteId: string | null | undefined): Promise<void> {
    if (siteId === undefined || siteId === null) return;
    if (!(await this.sites.has(call.workspaceId, siteId))) refuse('site-not-found');
    await this.scopes.allow(call, siteId);
  }

  /** The names of the sites that these mailboxes are bound to. */
  async names(
    workspaceId: string,
    accounts: readonly { readonly projectId: string | null }[],
  ): Promise<ReadonlyMap<string, { readonly id: string; readonly name: string }>> {
    if (accounts.every(({ projectId }) => projectId === null)) return new Map();
    const sites = await this.sites.of(workspaceId);
    return new Map(sites.map(({ id, name }) => [id, { id, name }]));
  }
}

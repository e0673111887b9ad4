import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import type { Document } from '../../../kernel/record/projection.js';

/** Checks the sites that mailboxes are bound to, and reads their names. */
@Injectable()
export class MailAccountSites {
  constructor(
    private readonly reads: Reads,
    private readonly scopes: Scopes,
  ) {}

  /**
   * Checks that the caller may use the site. A mailbox without a site needs no check.
   * @throws Refusal site-not-found, ai-permission-missing
   */
  async mustBe(call: OperationContext, siteId: string | null | undefined): Promise<void> {
    if (siteId !== undefined && siteId !== null) await this.scopes.require('project', call, siteId);
  }

  /**
   * Returns the id and name of all sites of the workspace, keyed by site id. Empty if none of the mailboxes is bound to
   * a site.
   */
  async names(
    workspaceId: string,
    accounts: readonly { readonly projectId: string | null }[],
  ): Promise<ReadonlyMap<string, { readonly id: string; readonly name: string }>> {
    if (accounts.every(({ projectId }) => projectId === null)) return new Map();
    const sites = await this.reads.find<Document & { readonly name: string }>(workspaceId, 'projects');
    return new Map(sites.map(({ id, name }) => [id, { id, name }]));
  }
}

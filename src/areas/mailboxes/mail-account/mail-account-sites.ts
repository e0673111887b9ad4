import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import type { Document } from '../../../kernel/record/projection.js';

@Injectable()
export class MailAccountSites {
  constructor(
    private readonly reads: Reads,
    private readonly scopes: Scopes,
  ) {}

  /**
   * A mailbox without a site needs no check.
   * @throws Refusal site-not-found, ai-permission-missing
   */
  async mustBe(call: OperationContext, siteId: string | null | undefined): Promise<void> {
    if (siteId !== undefined && siteId !== null) await this.scopes.require('project', call, siteId);
  }

  async names(
    workspaceId: string,
    accounts: readonly { readonly projectId: string | null }[],
  ): Promise<ReadonlyMap<string, { readonly id: string; readonly name: string }>> {
    if (accounts.every(({ projectId }) => projectId === null)) return new Map();
    const sites = await this.reads.find<Document & { readonly name: string }>(workspaceId, 'projects');
    return new Map(sites.map(({ id, name }) => [id, { id, name }]));
  }
}

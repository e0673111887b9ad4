import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { projects } from './project.record.js';
import { type SiteOutline, Sites } from './sites.api.js';
import { SitesManifest } from './sites.operations.js';

@QueryHandler(SitesManifest)
export class SitesManifestHandler {
  constructor(
    private readonly sites: Sites,
    private readonly scopes: Scopes,
  ) {}

  async execute(input: SitesManifest): Promise<{ readonly sites: readonly SiteOutline[] }> {
    const call = callOf(input);
    const found = await this.sites.outlines(call.workspaceId);
    return { sites: await this.scopes.allowed(call, found, projects) };
  }
}

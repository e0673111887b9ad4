import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import type { SiteOutline } from '../../../ports/sites.port.js';
import { SitesManifest } from './sites.operations.js';
import { WorkspaceSites } from './workspace-sites.js';

@QueryHandler(SitesManifest)
export class SitesManifestHandler {
  constructor(private readonly sites: WorkspaceSites) {}

  async execute(input: SitesManifest): Promise<{ readonly sites: readonly SiteOutline[] }> {
    return { sites: await this.sites.of(callOf(input).workspaceId) };
  }
}

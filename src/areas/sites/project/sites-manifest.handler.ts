import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { type SiteOutline, Sites } from './sites.api.js';
import { SitesManifest } from './sites.operations.js';

@QueryHandler(SitesManifest)
export class SitesManifestHandler {
  constructor(private readonly sites: Sites) {}

  async execute(input: SitesManifest): Promise<{ readonly sites: readonly SiteOutline[] }> {
    return { sites: await this.sites.outlines(callOf(input).workspaceId) };
  }
}

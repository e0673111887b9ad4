import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { SiteRules } from './site-rules.record.js';

@Injectable()
export class SavedSiteRules {
  constructor(private readonly reads: Reads) {}

  async of(
    workspaceId: string,
    projectId: string,
  ): Promise<Pick<SiteRules, 'email' | 'proxy' | 'channels' | 'guestAccess'>> {
    const saved = await this.reads.get<SiteRules>(workspaceId, 'siteRules', projectId);
    return saved ?? { email: null, proxy: null, channels: [], guestAccess: false };
  }
}

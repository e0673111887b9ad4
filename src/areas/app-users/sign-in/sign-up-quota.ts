import { Injectable } from '@nestjs/common';
import { HourlyQuota } from '../../../engine/quotas/hourly-quota.js';
import type { Project } from '../../sites/project/project.record.js';
import { refuse } from '../app-users.refusals.js';

/**
 * Maximum number of sign-ups per hour. A household or an office shares an address. The limit of a site amounts to some
 * forty seconds of hashing and as many permanent users: more than all but the busiest sites have, and too little to
 * slow down others.
 */
export const mostSignUps = { address: 20, site: 500 } as const;

/** Limits sign-ups at a site. Attempts with a taken email are counted too, because they cost the same. */
@Injectable()
export class SignUpQuota {
  constructor(private readonly quota: HourlyQuota) {}

  /**
   * Counts the sign-up for the network address first and then for the site. If the address is over its limit, the site's
   * quota is not used. @throws Refusal sign-up-limit
   */
  async enforce(project: Project, address: string): Promise<void> {
    await this.enforceOne(project, 'address', `/${address}`);
    await this.enforceOne(project, 'site', '');
  }

  private async enforceOne({ workspaceId, id }: Project, of: keyof typeof mostSignUps, who: string): Promise<void> {
    const most = mostSignUps[of];
    await this.quota.enforce(this.quota.keyOf(workspaceId, `sign-up/${id}/${of}${who}`), most, (retryAfterSeconds) =>
      refuse('sign-up-limit', { most, of }, { retryAfterSeconds }),
    );
  }
}

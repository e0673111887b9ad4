import { Injectable } from '@nestjs/common';
import { HourlyQuota } from '../../../engine/quotas/hourly-quota.js';
import { refuse } from '../app-users.refusals.js';
import type { SiteVisitor } from '../site-pass/site-passes.api.js';

@Injectable()
export class VisitorQuota {
  constructor(private readonly quota: HourlyQuota) {}

  /**
   * Signed-in users are counted by id. All others are counted by network address, because a visitor can get any number
   * of guest sessions.
   * @throws Refusal visitor-hourly-limit
   */
  async enforce(
    { workspaceId, projectId, user }: Pick<SiteVisitor, 'workspaceId' | 'projectId' | 'user'>,
    address: string,
    what: string,
    most: number,
  ): Promise<void> {
    const who = user === undefined ? `address/${address}` : `user/${user.id}`;
    await this.quota.enforce(this.quota.keyOf(workspaceId, `${projectId}/${what}/${who}`), most, (retryAfterSeconds) =>
      refuse('visitor-hourly-limit', { most }, { retryAfterSeconds }),
    );
  }
}

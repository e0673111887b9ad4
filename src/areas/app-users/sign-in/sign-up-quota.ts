import { Injectable } from '@nestjs/common';
import { HourlyQuota } from '../../../engine/quotas/hourly-quota.js';
import type { Project } from '../../sites/project/project.record.js';
import { refuse } from '../app-users.refusals.js';
import { comparedEmail } from './compared-email.js';

/**
 * Maximum numbers of sign-ups per hour and site. `email` applies to one email and is the limit of failed log-ins: a
 * sign-up with a taken email, followed by a log-in, tests a password without a failure. `address` applies to one
 * network address, which many people in an office can share. `site` applies to all addresses together: hashing 500 passwords takes about forty seconds of an
 * hour, too little to slow down other sites.
 */
export const mostSignUps = { email: 10, address: 20, site: 500 } as const;

/** Attempts with an existing email are counted too, because they cost as much as other sign-ups. */
@Injectable()
export class SignUpQuota {
  constructor(private readonly quota: HourlyQuota) {}

  /**
   * A sign-up over one limit is not counted for the next.
   * @throws Refusal sign-up-limit
   */
  async enforce(project: Project, email: string, address: string): Promise<void> {
    await this.enforceOne(project, 'address', `/${address}`);
    await this.enforceOne(project, 'email', `/${comparedEmail(email)}`);
    await this.enforceOne(project, 'site', '');
  }

  private async enforceOne({ workspaceId, id }: Project, of: keyof typeof mostSignUps, who: string): Promise<void> {
    const most = mostSignUps[of];
    await this.quota.enforce(this.quota.keyOf(workspaceId, `sign-up/${id}/${of}${who}`), most, (retryAfterSeconds) =>
      refuse('sign-up-limit', { most, of }, { retryAfterSeconds }),
    );
  }
}

import { Injectable } from '@nestjs/common';
import { refuse } from '../../../kernel/refusals/refusal.js';
import type { Project } from '../../sites/project/project.record.js';
import { HourlyPlaces } from './hourly-places.js';

/**
 * Sign-ups an hour. A household or an office shares an address. What a site takes is some forty seconds of hashing and as
 * many users for good: more than all but the busiest sites have, and less than would slow down others.
 */
export const mostSignUps = { address: 20, site: 500 } as const;

/** How often people may sign up at a site; tries with a taken email count as well, because they cost the same. */
@Injectable()
export class SignUpPlaces {
  constructor(private readonly places: HourlyPlaces) {}

  /** The address first: one that is over its own limit takes nothing of the site's. @throws Refusal sign-up-limit */
  async take(project: Project, address: string): Promise<void> {
    await this.takeOne(project, 'address', `/${address}`);
    await this.takeOne(project, 'site', '');
  }

  private async takeOne({ workspaceId, id }: Project, of: keyof typeof mostSignUps, who: string): Promise<void> {
    const most = mostSignUps[of];
    const counted = this.places.counted(workspaceId, `sign-up/${id}/${of}${who}`);
    if (await this.places.take(counted, most)) return;
    const retryAfterSeconds = await this.places.waitSeconds(counted, most);
    refuse('sign-up-limit', { most, of }, { retryAfterSeconds });
  }
}

import { Injectable } from '@nestjs/common';
import { refuse } from '../../../kernel/refusals/refusal.js';
import type { SiteVisitor } from '../site-pass/site-passes.api.js';
import { HourlyPlaces } from './hourly-places.js';

/** What one visitor of a site may do so many times an hour. */
@Injectable()
export class VisitorPlaces {
  constructor(private readonly places: HourlyPlaces) {}

  /**
   * Users are counted by their id, all others by their address, because anybody can get any number of guest's passes.
   * @throws Refusal visitor-hourly-limit
   */
  async take(
    visitor: Pick<SiteVisitor, 'workspaceId' | 'projectId' | 'user'>,
    address: string,
    what: string,
    most: number,
  ): Promise<void> {
    const { workspaceId, projectId, user } = visitor;
    const who = user === undefined ? `address/${address}` : `user/${user.id}`;
    const counted = this.places.counted(workspaceId, `${projectId}/${what}/${who}`);
    if (await this.places.take(counted, most)) return;
    const retryAfterSeconds = await this.places.waitSeconds(counted, most);
    refuse('visitor-hourly-limit', { most }, { retryAfterSeconds });
  }
}

import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { BoundedCache } from '../../../kernel/bounded-cache.js';
import { type OpenDay, sumOf, type TrafficDay } from './traffic.record.js';
import { type TrafficTally, tallyOf } from './traffic-report.js';

interface Cached {
  readonly tally: TrafficTally;
  readonly weight: number;
}

const cacheBytes = 32 * 1024 * 1024;
const bytesOfOne = 150;

/** Reads the traffic of days. The sum of a day that has ended never changes, so totals of such days are cached. */
@Injectable()
export class TrafficDays {
  private readonly cache = new BoundedCache<Cached>(cacheBytes, ({ weight }) => weight);

  constructor(private readonly reads: Reads) {}

  async since(workspaceId: string, projectId: string, day: string): Promise<readonly TrafficTally[]> {
    const where = { projectId, day: { gte: day } };
    const [open, [last]] = await Promise.all([
      this.reads.find<OpenDay>(workspaceId, 'trafficOpenDays', { where }),
      this.reads.find<TrafficDay>(workspaceId, 'trafficDays', { where, sort: [['day', 'desc']], limit: 1 }),
    ]);
    const today = tallyOf(open.map((one) => [one.day, sumOf(one)] as const));
    if (last === undefined) return [today];
    // If a day is summed up between the two reads, both results contain it, so its sum is left out.
    const openDays = new Set(open.map((one) => one.day));
    const key = `${workspaceId} ${projectId} ${day} ${last.day} ${[...openDays].join()}`;
    const known = this.cache.get(key);
    if (known !== undefined) return [known.tally, today];
    const summed = await this.reads.find<TrafficDay>(workspaceId, 'trafficDays', {
      where: { projectId, day: { gte: day, lte: last.day } },
    });
    const tally = tallyOf(summed.filter((one) => !openDays.has(one.day)).map((one) => [one.day, one] as const));
    this.cache.set(key, { tally, weight: (tally.pages.size + tally.referrers.size) * bytesOfOne });
    return [tally, today];
  }
}

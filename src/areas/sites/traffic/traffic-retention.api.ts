import { Injectable } from '@nestjs/common';
import { Journal } from '../../../engine/journal/journal.js';
import { systemActor } from '../../../engine/operation/calls.js';
import { ReadModels } from '../../../engine/read-models/read-models.js';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import { JournalRetention } from '../../../engine/retention/journal-retention.js';
import { Retention, type Sweep } from '../../../engine/retention/retention.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { Clock } from '../../../ports/clock.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { dayOf } from './day-salts.js';
import {
  type OpenDay,
  sumOf,
  type TrafficDay,
  type TrafficEvent,
  type TrafficSite,
  trafficCategory,
  visitsCategory,
} from './traffic.record.js';

const hourMs = 3_600_000;
/** Sums of days are removed after this time, which is a little longer than the 90 days that `getTraffic` can show. */
const retainedMs = 92 * 24 * hourMs;
const mostAtOnce = 1_000;
const name = 'traffic-retention';

@Injectable()
export class TrafficRetention {
  readonly sumUp: Sweep;
  readonly sweep: Sweep;

  constructor(
    retention: Retention,
    journals: JournalRetention,
    private readonly journal: Journal,
    private readonly store: ReadStore,
    private readonly models: ReadModels,
    private readonly readYourWrites: ReadYourWrites,
    private readonly clock: Clock,
  ) {
    this.sumUp = retention.addSweep('traffic-days', () => this.sumDays());
    this.sweep = journals.add<TrafficDay>({
      name,
      collection: 'trafficDays',
      age: 'at',
      retainedMs,
      stream: ({ workspaceId, projectId }) => streamOf(trafficCategory, workspaceId, projectId),
      entries: { by: 'projectId' },
      type: 'TrafficForgotten',
      data: async ({ projectId }, { throughRevision }) => ({
        projectId,
        since: await this.sinceOf(projectId),
        throughRevision,
      }),
    });
  }

  /** Idempotent. */
  async forgetProject(workspaceId: string, projectId: string): Promise<void> {
    for (const category of [visitsCategory, trafficCategory]) {
      const stream = streamOf(category, workspaceId, projectId);
      const last = await this.journal.last(stream);
      if (last !== undefined) await this.journal.prune(stream, last.revision);
    }
  }

  /**
   * Sums up the days that ended at least an hour ago, because the last visits of a day are recorded within an hour
   * after its end.
   */
  private async sumDays(): Promise<void> {
    const day = dayOf(this.clock.now() - hourMs);
    const query = { where: { day: { lt: day } }, sort: [['day', 'asc']], limit: mostAtOnce } as const;
    const over = await this.store.find<OpenDay>('trafficOpenDays', query);
    for (const [, days] of Map.groupBy(over, ({ projectId }) => projectId)) await this.sumDaysOf(days);
  }

  /**
   * Does nothing while the read model lags behind the visits of the site.
   * @param days days of one site, earliest first
   */
  private async sumDaysOf(days: readonly OpenDay[]): Promise<void> {
    const [first] = days;
    if (first === undefined || !(await this.isCurrent(first))) return;
    const { workspaceId, projectId } = first;
    const by = { workspaceId, actor: systemActor(name), operation: name };
    const stream = streamOf(trafficCategory, workspaceId, projectId);
    const since = await this.sinceOf(projectId);
    for (const open of await this.openDays(projectId)) {
      const { day } = open;
      if (!days.some((one) => one.day === day)) continue;
      const event: TrafficEvent = { type: 'TrafficDaySummed', data: { projectId, day, since, ...sumOf(open) } };
      // `once` makes the append idempotent, because another process may sum up the same day.
      await this.journal.append({ stream, by, events: [{ ...event, once: `${stream}/${day}` }] });
    }
    await this.pruneVisits(first, days);
  }

  private async pruneVisits({ workspaceId, projectId }: OpenDay, summed: readonly OpenDay[]): Promise<void> {
    const all = await this.openDays(projectId);
    const open = all.filter(({ day }) => !summed.some((one) => one.day === day));
    const through =
      open.length === 0 ? Math.max(...summed.map(({ last }) => last)) : Math.min(...open.map(({ first }) => first)) - 1;
    await this.journal.prune(streamOf(visitsCategory, workspaceId, projectId), through);
  }

  private async isCurrent({ workspaceId, projectId }: OpenDay): Promise<boolean> {
    const last = await this.journal.last(streamOf(visitsCategory, workspaceId, projectId));
    if (last === undefined) return true;
    this.readYourWrites.appended(last.position, [last]);
    const model = this.models.builderOf('trafficOpenDays');
    return (
      model === undefined || this.readYourWrites.isCurrent(model) || this.readYourWrites.taken(model) >= last.position
    );
  }

  private openDays(projectId: string): Promise<readonly OpenDay[]> {
    return this.store.find<OpenDay>('trafficOpenDays', { where: { projectId }, sort: [['day', 'asc']] });
  }

  private async sinceOf(projectId: string): Promise<string> {
    const site = await this.store.get<TrafficSite>('trafficSites', projectId);
    return site?.since ?? new Date(this.clock.now()).toISOString();
  }
}

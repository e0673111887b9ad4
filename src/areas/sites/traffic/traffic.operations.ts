import { query } from '../../../engine/operation/bound-operation.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { Clock } from '../../../ports/clock.port.js';
import { projects } from '../project/project.record.js';
import { dayOf } from './day-salts.js';
import { devices, type TrafficSite } from './traffic.record.js';
import { TrafficDays } from './traffic-days.js';
import { daysUntil, trafficOf } from './traffic-report.js';

const periods = [7, 30, 90] as const;
const count = { type: 'integer', minimum: 0 } as const;
const time = { type: 'string', format: 'date-time', nullable: true } as const;

class DayTraffic {
  @Field({ type: 'string', description: 'Day in UTC, such as 2026-11-29.' }) day!: string;
  @Field(count) views!: number;
  @Field(count) visitors!: number;
}

class PageTraffic {
  @Field({
    type: 'string',
    description: 'Untrusted text from visitors; escape it before you show it. (other) stands for all remaining paths.',
  })
  path!: string;
  @Field(count) views!: number;
  @Field(count) visitors!: number;
}

class ReferrerTraffic {
  @Field({
    type: 'string',
    description:
      'Host of the referring site. Untrusted text from visitors; escape it before you show it. (other) stands for all remaining hosts.',
  })
  host!: string;
  @Field(count) views!: number;
}

class DeviceTraffic {
  @Field({ type: 'string', enum: devices }) device!: string;
  @Field(count) views!: number;
}

class Traffic {
  @Field({ type: 'integer' }) days!: number;
  @Field({ type: 'boolean' }) isPublished!: boolean;
  @Field(time) publishedAt!: string | null;
  @Field({ ...time, description: 'Time of the first visit ever counted. null if there was none.' })
  trackingSince!: string | null;
  @Field(count) views!: number;
  @Field({ ...count, description: 'Sum of the daily visitors. A visitor who returns on another day is counted again.' })
  visitors!: number;
  @Field({ type: 'array', items: () => DayTraffic, description: 'One entry per day until today, oldest first.' })
  series!: readonly DayTraffic[];
  @Field({ type: 'array', items: () => PageTraffic, description: 'The ten pages with the most views.' })
  pages!: readonly PageTraffic[];
  @Field({ type: 'array', items: () => ReferrerTraffic, description: 'The ten referring hosts with the most views.' })
  referrers!: readonly ReferrerTraffic[];
  @Field({ type: 'array', items: () => DeviceTraffic }) devices!: readonly DeviceTraffic[];
}

export const trafficOperations = [
  query('site/getTraffic', {
    summary: 'Returns the page views of a site by day, page, referrer and device.',
    source: 'Sites API, Publishing, analytics',
    group: 'analytics',
    within: 'project',
    tools: 'granted',
    permission: 'site.read',
    answers: { record: Traffic },
    input: {
      projectId: idField,
      days: { type: 'integer', enum: periods, optional: true, default: 30 },
    },
    inject: [Reads, TrafficDays, Clock],
    handle: async ({ projectId, days = 30 }, call, reads, trafficDays, clock) => {
      const { workspaceId } = call;
      const project = await reads.one(call, projects, projectId);
      const series = daysUntil(dayOf(clock.now()), days);
      const [tallies, site] = await Promise.all([
        trafficDays.since(workspaceId, projectId, series[0] ?? ''),
        reads.get<TrafficSite>(workspaceId, 'trafficSites', projectId),
      ]);
      return {
        days,
        isPublished: project.published !== null,
        publishedAt: project.published?.at ?? null,
        trackingSince: site?.since ?? null,
        ...trafficOf(series, tallies),
      };
    },
  }),
];

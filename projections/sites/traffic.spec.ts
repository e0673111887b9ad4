import { describe, expect, it } from '@jest/globals';
import type { VisitsEvent } from '../../src/areas/sites/traffic/traffic.record.js';
import type { RecordedEvent } from '../../src/kernel/event/event.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import { documentsOf } from '../../test/histories/folds.js';
import { SpecLog } from '../../test/support/given/given-projection.js';
import { trafficProjection } from './traffic.projection.js';

const [at, later] = ['2030-01-01T10:00:00.000Z', '2030-01-02T10:00:00.000Z'];
const visits = (day: string, ...paths: readonly string[]): VisitsEvent => ({
  type: 'VisitsCounted',
  data: { projectId: 'p', day, visits: paths.map((path) => ['12345678', path, null, 'desktop'] as const) },
});
const summed = (day: string) => ({
  type: 'TrafficDaySummed',
  data: {
    ...{ projectId: 'p', day, since: at, views: 2, visitors: 1, pages: { names: '/', views: [2], visitors: [1] } },
    otherPages: [0, 0],
    ...{ referrers: { names: '', views: [] }, otherReferrers: 0, devices: { desktop: 2 } },
  },
});
const of = (events: readonly RecordedEvent[]) => {
  const replay = documentsOf(trafficProjection);
  return events.map(replay).at(-1);
};

describe('the traffic of a site', () => {
  it('is rebuilt the same from a log whose visits were pruned', () => {
    const log = new SpecLog()
      .add('trafficVisits', 'p', visits('2030-01-01', '/'), { at })
      .add('trafficVisits', 'p', visits('2030-01-01', '/'), { at: later })
      .add('trafficVisits', 'p', visits('2030-01-02', '/about'), { at: later })
      .add('traffic', 'p', summed('2030-01-01'), { at: later })
      .add('trafficVisits', 'p', visits('2030-01-02', '/'), { at: later });
    const pruned = log.events.filter(
      ({ stream, revision }) => parseStream(stream).category !== 'trafficVisits' || revision >= 2,
    );
    expect(pruned.length).toBe(3);
    expect(of(pruned)).toEqual(of(log.events));
    expect(of(log.events)).toMatchObject({
      trafficOpenDays: [{ day: '2030-01-02', views: 2, first: 2, last: 3 }],
      trafficDays: [{ day: '2030-01-01', views: 2, visitors: 1, revision: 0 }],
      trafficSites: [{ since: at }],
    });
  });

  it('ends with the site', () => {
    const log = new SpecLog()
      .add('trafficVisits', 'p', visits('2030-01-01', '/'))
      .add('traffic', 'p', summed('2030-01-01'))
      .add('trafficVisits', 'p', visits('2030-01-02', '/'))
      .add('project', 'p', { type: 'ProjectDeleted', data: {} });
    expect(of(log.events)).toEqual({ trafficOpenDays: [], trafficDays: [], trafficSites: [] });
  });
});

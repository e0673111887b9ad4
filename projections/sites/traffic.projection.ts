import type { ProjectEvent } from '../../src/areas/sites/project/project.record.js';
import {
  counted,
  dayId,
  type OpenDay,
  type RecordedTrafficEvent,
  type TrafficDay,
  type TrafficSite,
} from '../../src/areas/sites/traffic/traffic.record.js';
import type { Recorded } from '../../src/kernel/event/event.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import {
  type DocumentChange,
  type On,
  projection,
  put,
  remove,
  removeWhere,
  step,
} from '../../src/kernel/record/projection.js';

type Event = RecordedTrafficEvent | Extract<Recorded<ProjectEvent>, { readonly type: 'ProjectDeleted' }>;

/**
 * Stores the time of the site's first count: the earlier of `at` and the stored time. `TrafficDaySummed` and
 * `TrafficForgotten` contain this time too, and can be applied after later counts.
 */
const since = (workspaceId: string, id: string, at: string): DocumentChange =>
  step<TrafficSite>('trafficSites', id, (before) =>
    before !== undefined && before.since <= at ? before : { id, workspaceId, since: at },
  );

const on: On<Event> = {
  VisitsCounted: ({ data: { projectId, day, visits }, metadata: { workspaceId, at }, revision }) => {
    const id = dayId(projectId, day);
    return [
      step<OpenDay>('trafficOpenDays', id, (before) => ({
        ...{ id, workspaceId, projectId, day, first: before?.first ?? revision, last: revision },
        ...counted(before, visits),
      })),
      since(workspaceId, projectId, at),
    ];
  },
  TrafficDaySummed: ({ data: { since: first, ...sum }, metadata: { workspaceId }, revision }) => {
    const { projectId, day } = sum;
    const id = dayId(projectId, day);
    const at = `${day}T00:00:00.000Z`;
    return [
      put<TrafficDay>('trafficDays', { ...sum, id, workspaceId, at, revision }),
      remove('trafficOpenDays', id),
      since(workspaceId, projectId, first),
    ];
  },
  TrafficForgotten: ({ data: { projectId, throughRevision, since: first }, metadata: { workspaceId } }) => [
    removeWhere('trafficDays', { projectId, revision: { lte: throughRevision } }),
    since(workspaceId, projectId, first),
  ],
  ProjectDeleted: ({ stream }) => {
    const { id: projectId } = parseStream(stream);
    return [
      removeWhere('trafficOpenDays', { projectId }),
      removeWhere('trafficDays', { projectId }),
      remove('trafficSites', projectId),
    ];
  },
};

export const trafficProjection = projection({
  name: 'traffic',
  version: 1,
  collections: {
    trafficOpenDays: { indexes: [{ fields: ['projectId', 'day'] }, { fields: ['day'] }] },
    trafficDays: {
      indexes: [{ fields: ['projectId', 'day'] }, { fields: ['projectId', 'revision'] }, { fields: ['at'] }],
    },
    trafficSites: { indexes: [{ fields: ['workspaceId'] }] },
  },
  on,
});

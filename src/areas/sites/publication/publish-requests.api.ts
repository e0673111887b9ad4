import { dueJob } from '../../../engine/jobs/due-job.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Message } from '../../../ports/messages.port.js';
import { type PublicationEvent, publications, type SitePublication } from './publication.record.js';

export const publishRequests = 'site-publishes';

export interface PublishMessage extends JsonObject {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly deploymentId: string;
}

type Started = Extract<PublicationEvent, { type: 'PublishStarted' }>;

export const publishJob = dueJob<Started>()<SitePublication, PublishMessage, 'publishingSince'>({
  topic: publishRequests,
  // Number of sites that a process prepares, renders and stores at once. The bundling itself is limited by the site
  // builder.
  concurrency: 4,
  accepted: {
    saga: 'started-publishes-are-handed-to-builders',
    category: publications.category,
    reads: ['PublishStarted'],
    message: ({ workspaceId, streamId: projectId, data: { deploymentId } }) =>
      publishMessage({ workspaceId, projectId, deploymentId }),
  },
  collection: 'publications',
  due: 'publishingSince',
  everyMs: 30_000,
  lateAfterMs: 60_000,
  message: ({ workspaceId, projectId, publishing }) =>
    publishing === null ? undefined : publishMessage({ workspaceId, projectId, deploymentId: publishing.deploymentId }),
});

/**
 * Messages with the same key are handled one after the other, so a project builds one deployment at a time. The key
 * begins with the workspace, so that each workspace gets a fair share of the builders.
 */
export function publishMessage(value: PublishMessage): Message {
  return { id: value.deploymentId, key: `${value.workspaceId}/${value.projectId}`, value };
}

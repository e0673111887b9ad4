import type { JsonObject } from '../../../kernel/json/json.js';
import type { Message } from '../../../ports/messages.port.js';

/** The topic of publishes that are to be built. */
export const publishRequests = 'site-publishes';

export interface PublishMessage extends JsonObject {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly deploymentId: string;
}

/** One build of a project at a time. Workspaces take turns. */
export function publishMessage(value: PublishMessage): Message {
  return { id: value.deploymentId, key: `${value.workspaceId}/${value.projectId}`, value };
}

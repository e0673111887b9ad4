import type { JsonObject } from '../../kernel/json/json.js';
import type { Message } from '../../ports/messages.port.js';

export interface StepMessage extends JsonObject {
  readonly workspaceId: string;
  readonly runId: string;
}

/**
 * Returns a message that asks a worker to continue a run at this revision. A later revision has another message. Runs
 * do not wait for one another, and workspaces share fairly.
 */
export function stepMessage(workspaceId: string, runId: string, revision: number): Message {
  const value: StepMessage = { workspaceId, runId };
  return { id: `${runId}/${revision}`, key: `${workspaceId}/${runId}`, value };
}

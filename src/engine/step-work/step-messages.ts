import type { JsonObject } from '../../kernel/json/json.js';
import type { Message } from '../../ports/messages.port.js';

export interface StepMessage extends JsonObject {
  readonly workspaceId: string;
  readonly runId: string;
}

/**
 * Each revision has its own message id. Each run has its own key, so runs do not wait for each other and workspaces get
 * fair shares.
 */
export function stepMessage(workspaceId: string, runId: string, revision: number): Message {
  const value: StepMessage = { workspaceId, runId };
  return { id: `${runId}/${revision}`, key: `${workspaceId}/${runId}`, value };
}

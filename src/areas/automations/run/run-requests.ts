import type { JsonObject } from '../../../kernel/json.js';
import type { Message } from '../../../ports/messages.port.js';

/** The topic of accepted runs, from whoever accepted them to whoever runs them. */
export const runRequests = 'run-requests';

export interface RunMessage extends JsonObject {
  readonly workspaceId: string;
  readonly functionId: string;
  readonly runId: string;
  /** Where in the log it was accepted: read models that are not there yet do not know it. */
  readonly position: number;
}

/** Runs of one function keep their order; functions do not wait for one another, and workspaces take turns. */
export function runMessage(workspaceId: string, functionId: string, runId: string, position: number): Message {
  const value: RunMessage = { workspaceId, functionId, runId, position };
  return { id: runId, key: `${workspaceId}/${functionId}`, value };
}

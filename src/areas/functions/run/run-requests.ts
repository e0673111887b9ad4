import type { JsonObject } from '../../../kernel/json.js';
import type { Starter } from '../../../kernel/starter.js';
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

interface Accepted {
  readonly workspaceId: string;
  readonly functionId: string;
  readonly runId: string;
  readonly position: number;
  readonly starter: Starter;
}

/**
 * Runs of one function keep their order, and those that events start the order of each trigger (settled question Q-E28);
 * functions do not wait for one another, and workspaces take turns.
 */
export function runMessage({ workspaceId, functionId, runId, position, starter }: Accepted): Message {
  const value: RunMessage = { workspaceId, functionId, runId, position };
  const order = starter.kind === 'event' ? `/${starter.id}` : '';
  return { id: runId, key: `${workspaceId}/${functionId}${order}`, value };
}

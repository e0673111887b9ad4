import type { Starter } from '../../../kernel/callers/starter.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Message } from '../../../ports/messages.port.js';

/** The topic of accepted runs, from the process that accepted them to the one that runs them. */
export const runRequests = 'run-requests';

export interface RunMessage extends JsonObject {
  readonly workspaceId: string;
  readonly functionId: string;
  readonly runId: string;
  /** The log position of the acceptance. Read models that have not reached it do not know the run yet. */
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
 * Runs of one function keep their order; runs started by events keep the order of each trigger (settled question
 * Q-E28). Functions do not wait for one another, and workspaces take turns.
 */
export function runMessage({ workspaceId, functionId, runId, position, starter }: Accepted): Message {
  const value: RunMessage = { workspaceId, functionId, runId, position };
  const order = starter.kind === 'event' ? `/${starter.id}` : '';
  return { id: runId, key: `${workspaceId}/${functionId}${order}`, value };
}

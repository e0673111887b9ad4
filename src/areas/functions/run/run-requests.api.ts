import { type ShownMessage, shownJob } from '../../../engine/jobs/shown-job.js';
import type { Starter } from '../../../kernel/callers/starter.js';
import type { Message } from '../../../ports/messages.port.js';
import { type Run, type RunEvent, runCategory } from './run.record.js';

export const runRequests = 'run-requests';

interface RunMessage extends ShownMessage {
  readonly functionId: string;
  readonly runId: string;
}

interface AcceptedRun {
  readonly workspaceId: string;
  readonly functionId: string;
  readonly runId: string;
  readonly position: number;
  readonly starter: Starter;
}

export const runJob = shownJob<Extract<RunEvent, { type: 'RunAccepted' }>>()<Run, RunMessage, 'createdAt'>({
  topic: runRequests,
  // Two runs per sandbox process: while one computes, the start or end of the other is written to the log.
  concurrency: ({ sandboxProcesses = 16 }) => 2 * sandboxProcesses,
  accepted: {
    saga: 'accepted-runs-are-handed-to-runners',
    category: runCategory,
    reads: ['RunAccepted'],
    message: ({ data, workspaceId, streamId, position }) =>
      runMessage({ ...data, workspaceId, functionId: streamId, position }),
  },
  collection: 'runs',
  waits: { status: 'queued', accepted: true },
  begun: { status: 'running', accepted: true },
  since: 'createdAt',
  notifiedAt: ({ retryAt }) => retryAt,
  id: 'runId',
  orderedBy: 'functionId',
  isClaimed: true,
  lease: 'open-runs',
  message: (run) => runMessage({ ...run, runId: run.id }),
});

/**
 * The message key orders the runs of one function, or those that one event trigger starts (settled question Q-E28).
 * Functions do not block each other, and each workspace gets a fair share of the concurrent runs.
 */
function runMessage({ workspaceId, functionId, runId, position, starter }: AcceptedRun): Message {
  const value: RunMessage = { workspaceId, functionId, runId, position };
  const order = starter.kind === 'event' ? `/${starter.id}` : '';
  return { id: runId, key: `${workspaceId}/${functionId}${order}`, value };
}

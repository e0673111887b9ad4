import type { CallingRun, SandboxJob, SandboxOutcome } from '../../../ports/offloaded/sandbox.port.js';
import type { Queued } from '../../turns/fair-queue.js';
import type { SlotRequest } from './process-slots.js';

export interface WaitingRun extends Queued, SlotRequest {
  readonly job: SandboxJob;
  /** Time of the request, by performance.now(). */
  readonly since: number;
  /** Set if the run's first process ended before it sent a frame. */
  again: boolean;
  readonly ending: AbortController;
  resolve(outcome: SandboxOutcome): void;
  reject(error: Error): void;
}

type Answers = Pick<WaitingRun, 'resolve' | 'reject'>;

export function waitingFor(job: SandboxJob, answers: Answers): WaitingRun {
  const ending = new AbortController();
  const depth = job.calledBy ? job.calledBy.depth + 1 : 0;
  const self: CallingRun = { depth, ended: ending.signal };
  const { calledBy } = job;
  const workspace = sharedBy(job);
  return { job, workspace, depth, self, calledBy, since: performance.now(), again: false, ending, ...answers };
}

/** The isolate key begins with the workspace's id. The workspace's visitors have a share of their own. */
function sharedBy({ isolateKey, byVisitors = false }: SandboxJob): string {
  const [workspace = ''] = isolateKey.split('/', 1);
  return byVisitors ? `${workspace}/visitors` : workspace;
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Message } from '../../ports/messages.port.js';
import type { Job } from '../jobs/job.js';
import { Jobs } from '../jobs/jobs.js';
import { StepAttempts } from './step-attempts.js';
import type { AnyStepKind } from './step-kind.js';
import { StepKinds } from './step-kinds.js';
import { type StepMessage, stepMessage } from './step-messages.js';
import { StepWorker } from './step-worker.js';

export const stepJob = ({ topic, concurrency, category }: AnyStepKind): Omit<Job<never>, 'queue'> => ({
  topic,
  concurrency,
  accepted: {
    saga: 'accepted-step-runs-are-handed-to-workers',
    category,
    reads: ['StepRunAccepted'],
    message: ({ workspaceId, streamId, revision }) => stepMessage(workspaceId, streamId, revision),
  },
});

/** When this process stops, another one continues its runs with their next steps. */
@Injectable()
export class StepWork implements OnModuleInit {
  constructor(
    private readonly kinds: StepKinds,
    private readonly jobs: Jobs,
    private readonly worker: StepWorker,
    private readonly attempts: StepAttempts,
  ) {}

  onModuleInit(): void {
    for (const kind of this.kinds.all) {
      const resume = ({ workspaceId, runId }: StepMessage) => this.worker.resume(kind, workspaceId, runId);
      const queue = {
        begin: async () => this.attempts.begin(),
        handle: ({ value }: Message) => resume(value as StepMessage),
        end: async () => this.attempts.stop(),
      };
      this.jobs.add({ ...stepJob(kind), queue: () => queue }, undefined);
    }
  }
}

import type { Environment } from '../../../src/config/environment.js';
import type { Job, JobParts } from '../../../src/engine/jobs/job.js';
import { Jobs } from '../../../src/engine/jobs/jobs.js';
import type { Saga } from '../../../src/engine/sagas/saga.js';
import type { DomainEvent } from '../../../src/kernel/event/event.js';
import type { Messages } from '../../../src/ports/messages.port.js';
import type { Stage } from './given-saga.js';

/** Returns the saga that hands over the work of these jobs. The work itself is not done. */
export function sagaOf<Work, Event extends DomainEvent>(
  stage: Stage,
  ...some: readonly Omit<Job<Work, Event>, 'queue'>[]
): Saga {
  const messages = stage.noting<Messages>({ publish: 'publishes' });
  const jobs = new Jobs({ messages } as JobParts, { roles: ['runner'] } as unknown as Environment);
  const queue = { handle: async () => undefined };
  for (const job of some) jobs.add({ ...job, concurrency: 1, queue: () => queue }, {} as Work);
  const [saga] = jobs.sagas;
  if (saga === undefined) throw new Error('These jobs have no saga.');
  return saga;
}

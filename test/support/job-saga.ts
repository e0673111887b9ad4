import type { Job } from '../../src/engine/jobs/job.js';
import { Jobs } from '../../src/engine/jobs/jobs.js';
import type { Saga } from '../../src/engine/saga.js';
import type { DomainEvent } from '../../src/kernel/event.js';
import type { Messages } from '../../src/ports/messages.port.js';
import type { Stage } from './given-saga.js';

/** What hands over the work of these jobs, which share a saga. */
export function sagaOf<Work, Event extends DomainEvent>(stage: Stage, ...jobs: readonly Job<Work, Event>[]): Saga {
  const none = {} as never;
  const all = new Jobs(
    stage.noting<Messages>({ publish: 'publishes' }),
    none,
    none,
    none,
    none,
    none,
    none,
    none,
    none,
  );
  for (const job of jobs) all.add({ ...job, queue: () => ({ handle: async () => undefined }) }, none);
  const [saga] = all.sagas;
  if (saga === undefined) throw new Error('These jobs have no saga.');
  return saga;
}

import type { ServiceRole } from '../../config/environment.js';
import type { Duty } from './lease-keeper.js';

/**
 * Stage of the shutdown in which a worker stops. `work` and `entrance` stop first, `reads` and `seals` when the leases
 * are released.
 */
export type Stage = 'reads' | 'work' | 'seals' | 'entrance';

interface Kind {
  readonly stage: Stage;
  /** Role of the processes in which this kind of worker runs. */
  readonly role: ServiceRole;
  /** Whether it runs in only one process at a time, the one that has the lease with the worker's name. */
  readonly isSole: boolean;
  /** Set if it sends or receives messages. If these are only in memory, all such workers run in one process. */
  readonly isTied?: true;
}

/** All kinds of worker, in the order in which they start. Workers of one kind start together. */
export const workerKinds: Readonly<Record<WorkerKind, Kind>> = {
  'read-model': { stage: 'reads', role: 'projections', isSole: true },
  scheduler: { stage: 'work', role: 'scheduler', isSole: true },
  // Recovers the work of dead processes. It starts before the consumers, which must know about that work.
  settling: { stage: 'work', role: 'runner', isSole: true, isTied: true },
  consumer: { stage: 'work', role: 'runner', isSole: false, isTied: true },
  // Runs in several processes, which divide the work by claiming parts of it.
  sharer: { stage: 'work', role: 'runner', isSole: false },
  saga: { stage: 'work', role: 'sagas', isSole: true, isTied: true },
  feed: { stage: 'work', role: 'sagas', isSole: true },
  // Seals the audit log. It stops after everything that records events, so that the last events are sealed too.
  seal: { stage: 'seals', role: 'sagas', isSole: true },
  // Receives broadcasts of other processes, for processes that serve requests.
  listener: { stage: 'entrance', role: 'api', isSole: false },
  // Accepts incoming mail. It starts last, when everything that processes the mail is running.
  entrance: { stage: 'entrance', role: 'mail-in', isSole: false },
};

export type WorkerKind =
  | 'read-model'
  | 'scheduler'
  | 'settling'
  | 'consumer'
  | 'sharer'
  | 'saga'
  | 'feed'
  | 'seal'
  | 'listener'
  | 'entrance';

/**
 * Work that a process does for as long as it runs. A worker that only one process may run has a lease with its name.
 */
export interface Worker extends Duty {
  readonly kind: WorkerKind;
}

/**
 * Provides workers, which the service starts and stops. Every provider of this class in the container is found and
 * used.
 */
export abstract class WorkerSource {
  /**
   * Returns the workers. A worker that only one process may run calls `lost` when it finds another process doing its
   * work.
   */
  abstract workers(lost: (worker: string) => void): readonly Worker[];
}

import type { ServiceRole } from '../../config/environment.js';
import type { Duty } from './lease-keeper.js';

/**
 * During a stop, workers of the stages `work` and `entrance` stop first, and those of `reads` and `seals` when the
 * leases are released.
 */
export type Stage = 'reads' | 'work' | 'seals' | 'entrance';

interface Kind {
  readonly stage: Stage;
  readonly role: ServiceRole;
  readonly isSole: boolean;
  /**
   * Set if the worker sends or receives messages. If messages are only in memory, all such workers run in one process.
   */
  readonly isTied?: true;
}

/** Workers start in the order of this list. Workers of one kind start together. */
export const workerKinds: Readonly<Record<WorkerKind, Kind>> = {
  'read-model': { stage: 'reads', role: 'projections', isSole: true },
  scheduler: { stage: 'work', role: 'scheduler', isSole: true },
  // Ends or requeues the work that dead processes left unfinished. Starts before the consumers, so that they find this
  // work ended or queued.
  settling: { stage: 'work', role: 'runner', isSole: true, isTied: true },
  consumer: { stage: 'work', role: 'runner', isSole: false, isTied: true },
  sharer: { stage: 'work', role: 'runner', isSole: false },
  saga: { stage: 'work', role: 'sagas', isSole: true, isTied: true },
  feed: { stage: 'work', role: 'sagas', isSole: true },
  // Signs the audit chain. Stops after everything that records events, so that the last events are signed too.
  seal: { stage: 'seals', role: 'sagas', isSole: true },
  listener: { stage: 'entrance', role: 'api', isSole: false },
  // Starts last, when everything that processes incoming mail is running.
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

export interface Worker extends Duty {
  readonly kind: WorkerKind;
}

/** Every provider of this class in the container is found and used. */
export abstract class WorkerSource {
  /** A worker that only one process may run calls `lost` when it finds another process doing the same work. */
  abstract workers(lost: (worker: string) => void): readonly Worker[];
}

import type { ServiceRole } from '../../config/environment.js';
import type { Duty } from './lease-keeper.js';

/** Stages of the shutdown: `work` and `entrance` stop first; `reads` and `seals` stop when the leases are released. */
export type Stage = 'reads' | 'work' | 'seals' | 'entrance';

interface Kind {
  readonly stage: Stage;
  /** Role of the processes that run this kind of worker. */
  readonly role: ServiceRole;
  /** Whether only one of these processes runs it: the holder of the lease named after the worker. */
  readonly isSole: boolean;
  /** Whether it sends or receives messages. */
  readonly isTied?: true;
}

/** All kinds of worker, in the order in which they start. Workers of one kind start together. */
export const workerKinds: Readonly<Record<WorkerKind, Kind>> = {
  'read-model': { stage: 'reads', role: 'projections', isSole: true },
  scheduler: { stage: 'work', role: 'scheduler', isSole: true },
  // Starts before the consumers, which must know what work a dead process left unfinished.
  settling: { stage: 'work', role: 'runner', isSole: true, isTied: true },
  consumer: { stage: 'work', role: 'runner', isSole: false, isTied: true },
  // Shares work with those of the other processes by claims.
  sharer: { stage: 'work', role: 'runner', isSole: false },
  saga: { stage: 'work', role: 'sagas', isSole: true, isTied: true },
  feed: { stage: 'work', role: 'sagas', isSole: true },
  // Stops after everything that records events, so it seals the last events too.
  seal: { stage: 'seals', role: 'sagas', isSole: true },
  // Receives broadcasts of other processes for the processes that serve calls.
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

/** Work that a process does for as long as it runs. A sole worker is a duty whose lease has the worker's name. */
export interface Worker extends Duty {
  readonly kind: WorkerKind;
}

/** Provides workers that the service starts and stops. Sources are found in the container; there is no list of them. */
export abstract class WorkerSource {
  /** A sole worker calls `lost` when it finds another process doing its work. */
  abstract workers(lost: (worker: string) => void): readonly Worker[];
}

import type { ServiceRole } from '../../config/environment.js';
import type { Duty } from './lease-keeper.js';

/** `work` and `entrance` stop first at shutdown; `reads` and `seals` stop with the leases. */
export type Stage = 'reads' | 'work' | 'seals' | 'entrance';

interface Kind {
  readonly stage: Stage;
  /** Processes with this role do it. */
  readonly role: ServiceRole;
  /** Of these processes, only the holder of the lease named after the worker. */
  readonly isSole: boolean;
  /** It sends or receives messages. */
  readonly isTied?: true;
}

/** All kinds of worker, in start order. Workers of one kind start together. */
export const workerKinds: Readonly<Record<WorkerKind, Kind>> = {
  'read-model': { stage: 'reads', role: 'projections', isSole: true },
  scheduler: { stage: 'work', role: 'scheduler', isSole: true },
  // Before the consumers: what a dead process left unfinished must be known first.
  settling: { stage: 'work', role: 'runner', isSole: true, isTied: true },
  consumer: { stage: 'work', role: 'runner', isSole: false, isTied: true },
  // Shares work with those of the other processes by claims.
  sharer: { stage: 'work', role: 'runner', isSole: false },
  saga: { stage: 'work', role: 'sagas', isSole: true, isTied: true },
  feed: { stage: 'work', role: 'sagas', isSole: true },
  // Stops after everything that records, so that it seals the last events too.
  seal: { stage: 'seals', role: 'sagas', isSole: true },
  // Receives what other processes broadcast to those that serve calls.
  listener: { stage: 'entrance', role: 'api', isSole: false },
  // Last: everything that processes incoming mail runs by then.
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

/** Work that a process does as long as it runs. A sole worker is a duty, and its name is the name of its lease. */
export interface Worker extends Duty {
  readonly kind: WorkerKind;
}

/** A provider of workers that the service starts and stops. The container is searched for them; there is no list. */
export abstract class WorkerSource {
  /** A sole worker calls `lost` when it finds another process doing its work. */
  abstract workers(lost: (worker: string) => void): readonly Worker[];
}

import type { ServiceRole } from '../../config/environment.js';
import type { Duty } from './lease-keeper.js';

/** `work` and `entrance` end as soon as the service is to stop; `reads` and `seals` end with its leases. */
export type Stage = 'reads' | 'work' | 'seals' | 'entrance';

interface Kind {
  readonly stage: Stage;
  /** Processes with this role do it. */
  readonly role: ServiceRole;
  /** Of these, only the one that holds the lease of the worker's name. */
  readonly isSole: boolean;
  /** It writes or reads messages. */
  readonly isTied?: true;
}

/** Every kind of worker, in the order of their start. Those of one kind start together. */
export const workerKinds: Readonly<Record<WorkerKind, Kind>> = {
  'read-model': { stage: 'reads', role: 'projections', isSole: true },
  scheduler: { stage: 'work', role: 'scheduler', isSole: true },
  // Before the work itself: what a dead process left is to be known by then.
  settling: { stage: 'work', role: 'runner', isSole: true, isTied: true },
  consumer: { stage: 'work', role: 'runner', isSole: false, isTied: true },
  saga: { stage: 'work', role: 'sagas', isSole: true, isTied: true },
  feed: { stage: 'work', role: 'sagas', isSole: true },
  // Ends after all that records, and seals what was recorded last.
  seal: { stage: 'seals', role: 'sagas', isSole: true },
  // Hears what other processes tell those that serve calls.
  listener: { stage: 'entrance', role: 'api', isSole: false },
  // Last: what comes in is worked on from here on.
  entrance: { stage: 'entrance', role: 'mail-in', isSole: false },
};

export type WorkerKind =
  | 'read-model'
  | 'scheduler'
  | 'settling'
  | 'consumer'
  | 'saga'
  | 'feed'
  | 'seal'
  | 'listener'
  | 'entrance';

/** What a process does as long as it runs. A sole one is a duty: its name is that of its lease. */
export interface Worker extends Duty {
  readonly kind: WorkerKind;
}

/** A provider with work that the service starts and stops. The container is searched for them; no list names them. */
export abstract class WorkerSource {
  /** A sole worker that finds another process at its work calls `lost`. */
  abstract workers(lost: (worker: string) => void): readonly Worker[];
}

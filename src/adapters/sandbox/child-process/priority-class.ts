/**
 * Priority class of a process. The operating system prefers processes in `front` to those in `back`. A process that was
 * moved to `back` stays there until it ends, because only root may raise a process's priority.
 */
export type PriorityClass = 'front' | 'back';

/** Niceness as for `setPriority`, where a higher value means a lower priority. The service itself has 0. */
export const nicenessOf: Readonly<Record<PriorityClass, number>> = { front: 5, back: 19 };

/**
 * Niceness while a child starts and runs only our own code. It is lower than that of runs in `back`, so that a start
 * makes progress even if they compute endlessly.
 */
export const startingNicenessOf: Readonly<Record<PriorityClass, number>> = { front: nicenessOf.front, back: 10 };

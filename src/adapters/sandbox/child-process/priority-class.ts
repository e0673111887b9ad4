/**
 * Priority class of a process. The operating system prefers processes in `front` to those in `back`. A process that was
 * moved to `back` stays there until it ends, because only root may raise a process's priority.
 */
export type PriorityClass = 'front' | 'back';

/** Niceness as for `setPriority`, where a higher value means a lower priority. The service itself has 0. */
export const nicenessOf: Readonly<Record<PriorityClass, number>> = { front: 5, back: 19 };

/**
 * Niceness of a child that starts, while it runs only code of the service. Runs in `back` have a higher niceness, so a
 * start makes progress even if they compute endlessly.
 */
export const startingNicenessOf: Readonly<Record<PriorityClass, number>> = { front: nicenessOf.front, back: 10 };

/**
 * The operating system prefers processes in `front`. A process in `back` stays there, because only root can raise a
 * process's priority.
 */
export type PriorityClass = 'front' | 'back';

/** As for `setPriority`: a higher value means a lower priority. The service itself has 0. */
export const nicenessOf: Readonly<Record<PriorityClass, number>> = { front: 5, back: 19 };

/** Applies while a process starts. Runs in `back` have a higher niceness, so they cannot hold up a start. */
export const startingNicenessOf: Readonly<Record<PriorityClass, number>> = { front: nicenessOf.front, back: 10 };

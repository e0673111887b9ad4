/**
 * Priority class. Runs in front get the processor before those in the back. A process moved to the back stays there,
 * because only root could raise its priority again; it serves runs of that class until it retires.
 */
export type PriorityClass = 'front' | 'back';

/** Values for setPriority: higher means lower priority. The service itself has 0. */
export const nicenessOf: Readonly<Record<PriorityClass, number>> = { front: 5, back: 19 };

/**
 * Priority of our own code until the child is ready, so that a start makes progress while runs in the back compute
 * endlessly.
 */
export const startingNicenessOf: Readonly<Record<PriorityClass, number>> = { front: nicenessOf.front, back: 10 };

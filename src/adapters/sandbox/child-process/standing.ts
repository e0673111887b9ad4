/**
 * Runs in front have the processor before those in the back. A process that has been put back stays there, because the
 * system lets nobody but root take that back: it serves runs that belong in the back until it retires.
 */
export type Standing = 'front' | 'back';

/** As setPriority takes it: the higher, the later. The service itself stands at 0. */
export const nicenessOf: Readonly<Record<Standing, number>> = { front: 5, back: 19 };

/** Our own code, until it is ready: it gets on beside runs in the back that compute without end. */
export const startingNicenessOf: Readonly<Record<Standing, number>> = { front: nicenessOf.front, back: 10 };

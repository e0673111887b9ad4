import { setTimeout } from 'node:timers/promises';

// These delays are part of what a test simulates. To wait for a result, tests use `eventually`.

/** Simulates work of a handler, a server or a caller that takes this long. */
export const takes = (ms: number) => setTimeout(ms);

/** Waits for a random time, so that a kill or a cut connection interrupts arbitrary work. */
export const randomMoment = (fromMs: number, toMs: number) => setTimeout(fromMs + Math.random() * (toMs - fromMs));

/** Waits until the machine's clock shows this time. For processes that use the machine's clock. */
export const untilTime = (time: number) => setTimeout(Math.max(0, time - Date.now()));

import { setTimeout } from 'node:timers/promises';

// A test waits for facts (`eventually`), and these are none of its waits: they are part of what it plays.

/** How long the work of a handler, a server or a caller takes that the test plays. */
export const takes = (ms: number) => setTimeout(ms);

/** Until an instant at random, at which a kill or a cut meets whatever is under way. */
export const randomMoment = (fromMs: number, toMs: number) => setTimeout(fromMs + Math.random() * (toMs - fromMs));

/** Until the machine's clock shows this time, where processes of their own go by it. */
export const untilTime = (time: number) => setTimeout(Math.max(0, time - Date.now()));

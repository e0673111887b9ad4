import type { Duty } from './lease-keeper.js';

/** What happens by the clock happens in one process: its own timers ask whether it is the one. */
export const schedulerDuty: Duty = {
  name: 'scheduler',
  start: async () => undefined,
  stop: async () => undefined,
};

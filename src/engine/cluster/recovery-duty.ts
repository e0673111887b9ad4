import { Logger } from '@nestjs/common';
import { reasonOf } from '../../kernel/reason.js';
import type { Clock } from '../../ports/clock.port.js';
import type { Leases } from '../../ports/leases.port.js';
import type { Duty } from './lease-keeper.js';

interface Settling {
  readonly name: string;
  readonly clock: Clock;
  readonly leases: Leases;
  /** Recovers the work of dead processes. It also runs at start, and the duty counts as started once it is done. */
  look?(): Promise<void>;
  /** Redelivers lost messages. Does not run at start, because it may wait for the message broker. */
  publishAgain(): Promise<void>;
}

/** Returns a duty that repeats recovery at an interval, in one process at a time. */
export function recoveryDuty({ name, clock, leases, look = async () => {}, publishAgain }: Settling): Duty {
  const log = new Logger('Settling');
  let callOff = () => {};
  let stopped = false;
  const next = () => {
    if (stopped) return;
    callOff = clock.after(leases.settleEveryMs, () => {
      look()
        .then(publishAgain)
        .catch((error: unknown) => log.warn(`The look of ${name} failed and is repeated: ${reasonOf(error)}`))
        .finally(next);
    });
  };
  return {
    name,
    start: async () => {
      stopped = false;
      await look();
      next();
    },
    stop: async () => {
      stopped = true;
      callOff();
    },
  };
}

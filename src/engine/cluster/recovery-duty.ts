import { Logger } from '@nestjs/common';
import { reasonOf } from '../../kernel/reason.js';
import type { Clock } from '../../ports/clock.port.js';
import type { Leases } from '../../ports/leases.port.js';
import type { Duty } from './lease-keeper.js';

interface Settling {
  readonly name: string;
  readonly clock: Clock;
  readonly leases: Leases;
  /** Runs at every interval, and once when the duty starts, before `start` resolves. */
  look?(): Promise<void>;
  /**
   * Runs after `look` at every interval. Does not run when the duty starts, because it might have to wait for the
   * message broker.
   */
  publishAgain(): Promise<void>;
}

export function recoveryDuty({ name, clock, leases, look = async () => {}, publishAgain }: Settling): Duty {
  const log = new Logger('Settling');
  let callOff = () => {};
  let stopped = false;
  const next = () => {
    if (stopped) return;
    callOff = clock.after(leases.settleEveryMs, () => {
      look()
        .then(publishAgain)
        .catch((error: unknown) => log.warn(`The recovery check of ${name} failed and is retried: ${reasonOf(error)}`))
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

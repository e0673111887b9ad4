import type { Clock } from '../../../ports/clock.port.js';
import type { Leases } from '../../../ports/leases.port.js';
import { ServiceLock } from '../../../ports/service-lock.port.js';

/**
 * Acquired only if no other process sends heartbeats. It does not stop a process that starts later, but the leases then
 * prevent both from doing the same work.
 */
export class LeasedServiceLock extends ServiceLock {
  constructor(
    private readonly leases: Leases,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async acquire(): Promise<void> {
    const end = this.clock.now() + 2 * this.leases.silenceMs;
    for (;;) {
      const living = (await this.leases.processes()).filter(({ silent }) => !silent);
      if (living.length === 0) return;
      if (this.clock.now() > end) {
        const names = living.map(({ name }) => name).join(', ');
        throw new Error(`The service is running on these engines (${names}); stop all of its processes first.`);
      }
      await new Promise<void>((resolve) => this.clock.after(500, resolve));
    }
  }

  override release(): void {}
}

import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { LeaseKeeper, schedulerDuty } from '../../../engine/cluster/lease-keeper.js';
import { SoleSweep } from '../../../engine/cluster/sole-sweep.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { proveAgain } from './custom-domain.js';
import type { CustomDomain } from './custom-domain.record.js';
import { CustomDomainChanges } from './custom-domain-changes.js';

/** How many servers are waited for at once. */
const atOnce = 20;

/**
 * Proves the domains of sites again every day, in the process that holds the scheduler's lease. Should two believe that
 * they hold it, the decision still lets only one of them record a look that is due.
 */
@Injectable()
export class DomainWatch {
  private readonly log = new Logger('Domains');
  private readonly timed = new SoleSweep(
    () => this.sweep(),
    (reason) => this.log.warn(`Custom domains could not be proved again: ${reason}`),
  );

  constructor(
    private readonly store: ReadStore,
    private readonly changes: CustomDomainChanges,
    private readonly calls: Calls,
    private readonly keeper: LeaseKeeper,
    private readonly clock: Clock,
  ) {}

  @Interval('custom-domain-watch', 60_000)
  everyMinute(): Promise<void> {
    return this.timed.begin(this.keeper.holds(schedulerDuty.name));
  }

  /** All that are due. */
  async sweep(): Promise<void> {
    const now = new Date(this.clock.now()).toISOString();
    const tried = new Set<string>();
    for (;;) {
      const due = await this.store.find<CustomDomain>('customDomains', {
        where: { nextCheckAt: { lte: now } },
        sort: [['nextCheckAt', 'asc']],
        limit: atOnce,
      });
      const fresh = due.filter(({ workspaceId, id }) => !tried.has(`${workspaceId}/${id}`));
      if (fresh.length === 0) return;
      for (const { workspaceId, id } of fresh) tried.add(`${workspaceId}/${id}`);
      await Promise.all(fresh.map((domain) => this.look(domain)));
    }
  }

  private async look(seen: CustomDomain): Promise<void> {
    const { workspaceId } = seen;
    const call = this.calls.once(workspaceId, systemActor('custom-domain-watch'), 'custom-domain-watch');
    try {
      await this.changes.look(call, seen, proveAgain);
    } catch (error) {
      // It was changed or removed while the look was taken.
      if (!(error instanceof Refusal)) throw error;
    }
  }
}

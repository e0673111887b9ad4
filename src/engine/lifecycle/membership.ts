import { Injectable } from '@nestjs/common';
import { ServiceLock } from '../../ports/service-lock.port.js';
import { ClusterMembership } from '../cluster/cluster-membership.js';
import { LeaseKeeper } from '../cluster/lease-keeper.js';
import { Freshness } from '../read-models/freshness.js';

@Injectable()
export class Membership {
  constructor(
    private readonly lock: ServiceLock,
    private readonly joining: ClusterMembership,
    private readonly freshness: Freshness,
    private readonly keeper: LeaseKeeper,
  ) {}

  /** @throws Error if another process uses stores that cannot be shared, or has different settings */
  async join(settings: Readonly<Record<string, string>>, isAlone: boolean): Promise<void> {
    if (isAlone) await this.lock.acquire();
    await this.joining.join(settings, () => this.freshness.note());
    this.freshness.start();
  }

  /**
   * Waits until the read models are current that other processes build, or that this process takes over from them
   * during the wait. Must be called after `Workers.startReads`, which waits for the other read models.
   */
  readsCurrent(): Promise<void> {
    return this.freshness.allCurrent();
  }

  /** Releases the remaining leases, so other processes can take over at once. */
  async leave(): Promise<void> {
    this.freshness.stop();
    await this.keeper.stop();
  }

  /** Must be called after the stores are closed. */
  release(): void {
    this.lock.release();
  }
}

import { Injectable } from '@nestjs/common';
import { ServiceLock } from '../../ports/service-lock.port.js';
import { ClusterMembership } from '../cluster/cluster-membership.js';
import { LeaseKeeper } from '../cluster/lease-keeper.js';
import { Freshness } from '../read-models/freshness.js';

/** This process among those that share its stores. With embedded stores it is alone. */
@Injectable()
export class Membership {
  constructor(
    private readonly lock: ServiceLock,
    private readonly joining: ClusterMembership,
    private readonly freshness: Freshness,
    private readonly keeper: LeaseKeeper,
  ) {}

  /** @throws Error when another process uses stores that cannot be shared, or has different settings */
  async join(settings: Readonly<Record<string, string>>, isAlone: boolean): Promise<void> {
    if (isAlone) await this.lock.hold();
    await this.joining.join(settings, () => this.freshness.note());
    this.freshness.start();
  }

  /** Resolves when every read model is current, whichever process builds it. */
  readsCurrent(): Promise<void> {
    return this.freshness.allCurrent();
  }

  /** Releases the remaining leases, so that other processes take over at once. */
  async leave(): Promise<void> {
    this.freshness.stop();
    await this.keeper.stop();
  }

  /** Once the stores are closed: lets the next process use them. */
  release(): void {
    this.lock.release();
  }
}

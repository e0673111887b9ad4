import { Injectable } from '@nestjs/common';
import { ServiceLock } from '../../ports/service-lock.port.js';
import { Joining } from '../cluster/joining.js';
import { LeaseKeeper } from '../cluster/lease-keeper.js';
import { Freshness } from '../read-models/freshness.js';

/** This process among those that share its stores; where the stores are its own, it is alone there. */
@Injectable()
export class Membership {
  constructor(
    private readonly lock: ServiceLock,
    private readonly joining: Joining,
    private readonly freshness: Freshness,
    private readonly keeper: LeaseKeeper,
  ) {}

  /** @throws Error when another process is there and must not be, or has other settings */
  async join(settings: Readonly<Record<string, string>>, isAlone: boolean): Promise<void> {
    if (isAlone) await this.lock.hold();
    await this.joining.join(settings, () => this.freshness.note());
    this.freshness.start();
  }

  /** Resolves when every read model is current, wherever it is built. */
  readsCurrent(): Promise<void> {
    return this.freshness.allCurrent();
  }

  /** Gives up the leases that are left, so that others take over at once. */
  async leave(): Promise<void> {
    this.freshness.stop();
    await this.keeper.stop();
  }

  /** For the next process on these stores, when they are closed. */
  release(): void {
    this.lock.release();
  }
}

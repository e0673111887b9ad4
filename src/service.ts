import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { FirstStart } from './areas/workspace/workspace/first-start.js';
import { Environment } from './config/environment.js';
import { sharedSettings } from './config/settings/shared-settings.js';
import { Readiness } from './engine/health/readiness.js';
import { Closables } from './engine/lifecycle/closables.js';
import { Membership } from './engine/lifecycle/membership.js';
import { Workers } from './engine/lifecycle/workers.js';

/** Starts the components of this process in the order of their dependencies, and stops them in the opposite order. */
@Injectable()
export class Service implements OnApplicationShutdown {
  private readonly log = new Logger('Service');
  private left: Promise<void> | undefined;

  constructor(
    private readonly environment: Environment,
    private readonly membership: Membership,
    private readonly workers: Workers,
    private readonly ports: Closables,
    private readonly firstStart: FirstStart,
    private readonly readiness: Readiness,
  ) {}

  /**
   * Resolves when the read models are up to date and the process has begun its work. Returns the Owner key if this
   * start created the first workspace. `given` means that the operator chose the key.
   */
  async start(): Promise<{ readonly ownerKey: string; readonly given: boolean } | undefined> {
    const { shared, roles, bootstrapOwnerKey } = this.environment;
    await this.membership.join(sharedSettings(this.environment), !shared);
    await this.workers.startReads();
    await this.membership.readsCurrent();
    const founded = roles.includes('api') ? await this.firstStart.run(bootstrapOwnerKey) : undefined;
    await this.workers.startWork();
    this.readiness.mark(true);
    return founded;
  }

  /**
   * Marks the process as not ready, and gives up work that other processes can take over. Calls are still served. `by`
   * is the time by which everything must have ended, in milliseconds since 1970.
   */
  leave(by: number): Promise<void> {
    this.ports.hurry(by);
    this.readiness.leave();
    this.left ??= this.giveUp();
    return this.left;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.leave(Number.POSITIVE_INFINITY);
    this.readiness.mark(false);
    await this.ports.close('runs');
    await this.ports.close('tools');
    await this.membership.leave();
    await this.ports.close('stores');
    this.membership.release();
    this.log.log('Stopped; everything acknowledged is on disk.');
  }

  private async giveUp(): Promise<void> {
    await this.workers.leave();
    await this.ports.close('messages');
  }
}

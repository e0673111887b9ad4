import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { faultReason } from '../../../engine/cluster/fault-reason.js';

/**
 * Runs work after the answer was sent, so that its duration reveals nothing to the caller. The work is lost if the
 * process is killed.
 */
@Injectable()
export class AfterAnswer implements BeforeApplicationShutdown {
  private readonly log = new Logger('SignIn');
  private readonly going = new Set<Promise<void>>();

  soon(what: string, work: () => Promise<void>): void {
    const begun = new Promise((resolve) => setImmediate(resolve)).then(work).catch((error: unknown) => {
      this.log.warn(`${what} failed: ${faultReason(error)}`);
    });
    const going = begun.finally(() => this.going.delete(going));
    this.going.add(going);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.going);
  }
}

import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { faultReason } from '../../../engine/cluster/fault-reason.js';

/** Work that nobody waits for, so that how long it takes tells a caller nothing. Lost if the process is killed. */
@Injectable()
export class AfterAnswer implements BeforeApplicationShutdown {
  private readonly log = new Logger('SignIn');
  private readonly going = new Set<Promise<void>>();

  /** `what` stands in the log line if it fails. */
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

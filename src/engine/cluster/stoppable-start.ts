/**
 * The start of a duty, which a stop aborts and then waits for. Otherwise the start could go on after the stop, for
 * example with a subscription that nothing ends.
 */
export class StoppableStart {
  private stopping = new AbortController();
  private starting: Promise<void> = Promise.resolve();

  /** @param start must leave nothing running, such as a subscription, if the signal is aborted */
  begin(start: (stopping: AbortSignal) => Promise<void>): Promise<void> {
    this.stopping = new AbortController();
    this.starting = start(this.stopping.signal);
    return this.starting;
  }

  /** Resolves when the start has ended, also if it has failed. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.starting.catch(() => undefined);
  }
}

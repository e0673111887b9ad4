import { reasonOf } from '../../kernel/reason.js';

/**
 * Runs work at each tick of a timer, unless the previous run is still in progress. After a failure, the next tick tries
 * again.
 */
export class SingleFlightSweep {
  private running: Promise<void> | undefined;

  constructor(
    private readonly sweep: () => Promise<void>,
    private readonly failed: (reason: string) => void,
  ) {}

  /**
   * Starts a run and resolves when it has ended. Does nothing if one is in progress or if this process does not have
   * the duty. Never rejects.
   */
  async begin(isOurs: boolean): Promise<void> {
    if (!isOurs || this.running !== undefined) return;
    this.running = this.sweep().catch((error: unknown) => this.failed(reasonOf(error)));
    await this.running;
    this.running = undefined;
  }

  /** Resolves when the run in progress, if any, has ended. */
  async ended(): Promise<void> {
    await this.running;
  }
}

import { reasonOf } from '../../kernel/reason.js';

export class SingleFlightSweep {
  private running: Promise<void> | undefined;

  constructor(
    private readonly sweep: () => Promise<void>,
    private readonly failed: (reason: string) => void,
  ) {}

  /** Does nothing if a run is in progress or if this process does not have the duty. Never rejects. */
  async begin(isOurs: boolean): Promise<void> {
    if (!isOurs || this.running !== undefined) return;
    this.running = this.sweep().catch((error: unknown) => this.failed(reasonOf(error)));
    await this.running;
    this.running = undefined;
  }

  async ended(): Promise<void> {
    await this.running;
  }
}

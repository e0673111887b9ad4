import { reasonOf } from '../../kernel/reason.js';

/** Work that a timer begins now and then. It never runs twice at a time, and a failure leaves it to the next time. */
export class SoleSweep {
  private going: Promise<void> | undefined;

  constructor(
    private readonly sweep: () => Promise<void>,
    private readonly failed: (reason: string) => void,
  ) {}

  /** Nothing is begun while one is going, or where it is not this process's to do. Never rejects. */
  async begin(isOurs: boolean): Promise<void> {
    if (!isOurs || this.going !== undefined) return;
    this.going = this.sweep().catch((error: unknown) => this.failed(reasonOf(error)));
    await this.going;
    this.going = undefined;
  }

  /** Resolves when none is going. */
  async ended(): Promise<void> {
    await this.going;
  }
}

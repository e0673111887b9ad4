import { WATCH_EVERY_MS } from './options.js';

/** The timer that ends idle children is unreferenced, so it does not keep this process alive. */
export class PoolWatch {
  private running: NodeJS.Timeout | undefined;
  private idle: NodeJS.Timeout | undefined;
  private ticks = 0;

  constructor(
    private readonly idleMs: number,
    private readonly tick: (count: number) => void,
    private readonly retire: () => void,
  ) {}

  follow(anythingRuns: boolean): void {
    this.idle ??= setInterval(this.retire, Math.max(10, this.idleMs / 4)).unref();
    if (anythingRuns)
      this.running ??= setInterval(() => {
        this.ticks += 1;
        this.tick(this.ticks);
      }, WATCH_EVERY_MS);
    else {
      clearInterval(this.running);
      this.running = undefined;
    }
  }

  stop(): void {
    clearInterval(this.running);
    clearInterval(this.idle);
  }
}

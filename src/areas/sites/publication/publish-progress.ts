import type { Clock } from '../../../ports/clock.port.js';
import type { PublishStage } from './publication.record.js';

/** Progress at which each stage begins and ends, in percent of the whole publish. */
const spans: Readonly<Record<PublishStage, readonly [from: number, to: number]>> = {
  queued: [0, 0],
  checking: [0, 10],
  bundling: [10, 50],
  styling: [50, 75],
  deploying: [75, 99],
};

/**
 * Within a stage, progress is recorded only after an advance of this many percent and this many milliseconds, so a
 * publish of two minutes records only a few more events than a short one.
 */
const leastPercent = 10;
const leastMs = 2_000;

export class PublishProgress {
  private stage: PublishStage = 'queued';
  private pct = 0;
  private at: number;
  private recording: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly clock: Clock,
    private readonly record: (stage: PublishStage, pct: number) => Promise<unknown>,
  ) {
    this.at = clock.now();
  }

  /** @param done completed share of the stage, from 0 to 1 */
  reached(stage: PublishStage, done: number): void {
    const [from, to] = spans[stage];
    const pct = Math.floor(from + (to - from) * Math.min(Math.max(done, 0), 1));
    const now = this.clock.now();
    const isWorthIt = stage !== this.stage || (pct >= this.pct + leastPercent && now >= this.at + leastMs);
    if (pct <= this.pct || !isWorthIt) return;
    [this.stage, this.pct, this.at] = [stage, pct, now];
    // The end of the publish is recorded separately, so a failure to record progress is ignored.
    this.recording = this.recording.then(() => this.record(stage, pct)).catch(() => undefined);
  }

  async recorded(): Promise<void> {
    await this.recording;
  }
}

import type { Clock } from '../../../ports/clock.port.js';
import type { PublishStage } from './publication.record.js';

/** Percentages of the whole publish at which each stage begins and ends. */
const spans: Readonly<Record<PublishStage, readonly [from: number, to: number]>> = {
  queued: [0, 0],
  checking: [0, 10],
  bundling: [10, 50],
  styling: [50, 75],
  deploying: [75, 99],
};

/**
 * Within a stage, progress is recorded only after at least this many percent and milliseconds. A short publish
 * therefore records about five events, and a publish of two minutes a few more.
 */
const leastPercent = 10;
const leastMs = 2_000;

/** Records the progress of a publish. The records are written one after the other and do not delay the build. */
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
    // A failure to record progress is ignored, because the end of the publish is recorded separately.
    this.recording = this.recording.then(() => this.record(stage, pct)).catch(() => undefined);
  }

  /** Resolves when all reported progress is recorded. */
  async recorded(): Promise<void> {
    await this.recording;
  }
}

import type { Clock } from '../../../ports/clock.port.js';

interface Heard {
  readonly beat: string;
  readonly at: number;
}

/** For how long nothing new was heard of each process, by the clock of whoever listens. */
export class Silences {
  private last = new Map<string, Heard>();
  private listenedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly silenceMs: number,
  ) {}

  /** Takes in what stands there now; answers who is silent. */
  heard(beats: ReadonlyMap<string, string>): ReadonlySet<string> {
    const now = this.clock.now();
    // Who did not listen for a while, because it was held up itself, has not heard a silence.
    if (now - this.listenedAt > this.silenceMs / 2) this.deaf();
    this.listenedAt = now;
    const before = this.last;
    this.last = new Map(
      [...beats].map(([name, beat]) => {
        const known = before.get(name);
        return [name, known?.beat === beat ? known : { beat, at: now }];
      }),
    );
    return new Set([...this.last].filter(([, { at }]) => now - at >= this.silenceMs).map(([name]) => name));
  }

  lastBeat(process: string): string | undefined {
    return this.last.get(process)?.beat;
  }

  /** What was heard counts no more. */
  deaf(): void {
    this.last.clear();
  }
}

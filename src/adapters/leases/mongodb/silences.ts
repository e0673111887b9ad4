import type { Clock } from '../../../ports/clock.port.js';

interface Heartbeat {
  readonly beat: string;
  readonly at: number;
}

/** Finds processes whose heartbeat has not changed for `silenceMs`, measured by this process's own clock. */
export class Silences {
  private last = new Map<string, Heartbeat>();
  private listenedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly silenceMs: number,
  ) {}

  observe(beats: ReadonlyMap<string, string>): ReadonlySet<string> {
    const now = this.clock.now();
    // If this process itself was paused, it missed heartbeats, so the measurement restarts.
    if (now - this.listenedAt > this.silenceMs / 2) this.restart();
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

  restart(): void {
    this.last.clear();
  }
}

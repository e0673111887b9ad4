import { PerDryRun } from '../../../engine/dry-run/dry-run.js';

/** Maximum number of cached answers, of about 200 bytes each. The oldest are evicted first. */
const mostCached = 20_000;

interface CachedAnswer {
  readonly answer: boolean;
  readonly until: number;
}

/**
 * A key contains everything that its answer depends on, so entries expire but are never invalidated. Concurrent calls
 * with the same key share one run (single-flight).
 */
export class AnswerCache {
  private readonly answers = new Map<string, CachedAnswer>();
  private readonly inProgress = new PerDryRun(() => new Map<string, Promise<boolean | 'failed'>>());

  constructor(
    private readonly lifetimeMs: number,
    private readonly now: () => number,
  ) {}

  /** Failures are not cached. */
  async of(key: string, ask: () => Promise<boolean | 'failed'>): Promise<boolean | 'failed'> {
    const cached = this.answers.get(key);
    if (cached !== undefined && this.now() < cached.until) return cached.answer;
    const open = this.inProgress.now.get(key);
    if (open !== undefined) return open;
    const running = ask();
    this.inProgress.now.set(key, running);
    try {
      const answer = await running;
      if (answer !== 'failed') this.put(key, answer);
      return answer;
    } finally {
      this.inProgress.now.delete(key);
    }
  }

  private put(key: string, answer: boolean): void {
    this.answers.delete(key);
    this.answers.set(key, { answer, until: this.now() + this.lifetimeMs });
    for (const oldest of this.answers.keys()) {
      if (this.answers.size <= mostCached) return;
      this.answers.delete(oldest);
    }
  }
}

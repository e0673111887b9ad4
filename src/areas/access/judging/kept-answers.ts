import { PerTrial } from '../../../engine/dry-run/trial.js';

/** How many answers are kept, the newest used. One takes about 200 bytes. */
const mostKept = 20_000;

interface Kept {
  readonly answer: boolean;
  readonly until: number;
}

/**
 * Answers of functions for a short time, in this process alone: a key names all that an answer depends on, so there is
 * nothing to be dropped in another process. Those who ask the same at the same time wait for one run.
 */
export class KeptAnswers {
  private readonly kept = new Map<string, Kept>();
  private readonly asked = new PerTrial(() => new Map<string, Promise<boolean | 'failed'>>());

  constructor(
    private readonly keptMs: number,
    private readonly now: () => number,
  ) {}

  /** What `ask` answers, or has answered for this key. Failures are not kept. */
  async of(key: string, ask: () => Promise<boolean | 'failed'>): Promise<boolean | 'failed'> {
    const kept = this.kept.get(key);
    if (kept !== undefined && this.now() < kept.until) return kept.answer;
    const open = this.asked.now.get(key);
    if (open !== undefined) return open;
    const asking = ask();
    this.asked.now.set(key, asking);
    try {
      const answer = await asking;
      if (answer !== 'failed') this.keep(key, answer);
      return answer;
    } finally {
      this.asked.now.delete(key);
    }
  }

  private keep(key: string, answer: boolean): void {
    this.kept.delete(key);
    this.kept.set(key, { answer, until: this.now() + this.keptMs });
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= mostKept) return;
      this.kept.delete(oldest);
    }
  }
}

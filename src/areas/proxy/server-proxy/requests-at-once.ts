import { refuse } from '../../../kernel/refusals/refusal.js';

/** Who shares the requests that may be on their way at once, and how many those are. */
export interface Share {
  readonly name: string;
  readonly most: number;
}

/** Bounds what is on its way at once, because each request may hold 20 MB for a minute. Each process counts for itself. */
export class RequestsAtOnce {
  private readonly counts = new Map<string, number>();

  /** @throws Refusal proxy-busy, when one of the shares is used up */
  async within<T>(shares: readonly Share[], work: () => Promise<T>): Promise<T> {
    const full = shares.find(({ name, most }) => this.countOf(name) >= most);
    if (full !== undefined) refuse('proxy-busy', { most: full.most }, { retryAfterSeconds: 1 });
    for (const { name } of shares) this.counts.set(name, this.countOf(name) + 1);
    try {
      return await work();
    } finally {
      for (const { name } of shares) this.leave(name);
    }
  }

  private leave(name: string): void {
    const left = this.countOf(name) - 1;
    if (left === 0) this.counts.delete(name);
    else this.counts.set(name, left);
  }

  private countOf(name: string): number {
    return this.counts.get(name) ?? 0;
  }
}

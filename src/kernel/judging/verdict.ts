import type { Rule } from '../condition/condition.js';
import type { Value } from './value.js';

/** A reason names the requirement, never values of the caller or the row. */
export interface Reason {
  /** Path in the condition after references are replaced by their policies. Empty for the whole condition. */
  readonly path: string;
  readonly outcome: Value;
  readonly sentence: string;
  readonly rule?: Rule;
}

export class Verdict {
  private reasons: readonly Reason[] | undefined;

  constructor(
    readonly outcome: Value,
    private readonly why: () => readonly Reason[],
    private readonly each: () => string | undefined = () => undefined,
  ) {}

  get isAllowed(): boolean {
    return this.outcome === 'allowed';
  }

  /**
   * Returns at most a hundred reasons, in the order of the condition. Computed on first use, from the facts of the
   * evaluation.
   */
  explain(): readonly Reason[] {
    this.reasons ??= this.reasonsOrNone();
    return this.reasons;
  }

  /** Returns the outcomes in the format of `outcomesIn`, or undefined if no rule was evaluated. Not cached. */
  outcomes(): string | undefined {
    try {
      return this.each();
    } catch {
      return undefined;
    }
  }

  private reasonsOrNone(): readonly Reason[] {
    try {
      return this.why();
    } catch {
      const sentence = 'The facts of this decision have changed since and cannot be read.';
      return [{ path: '', outcome: this.outcome, sentence }];
    }
  }

  /**
   * Returns the ids of functions on whose results the verdict depends, or none unless the verdict is `open`. Call only
   * the first, add its result to new facts and evaluate again. This calls the fewest functions, and a function that is
   * not called cannot fail.
   */
  functionsToAsk(): readonly string[] {
    if (this.outcome !== 'open') return [];
    const ids = this.explain().map(({ rule }) => (rule?.type === 'function' ? rule.functionId : ''));
    return [...new Set(ids)];
  }
}

export function cannotBeJudged(why: string): Verdict {
  const sentence = `The condition cannot be evaluated, so only the owner has access: ${why.trim()}.`;
  return new Verdict('fault', () => [{ path: '', outcome: 'fault', sentence }]);
}

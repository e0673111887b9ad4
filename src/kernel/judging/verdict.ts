import type { Rule } from '../condition/condition.js';
import type { Value } from './value.js';

/** A part that decided, and why. Names what was required, never the caller's or the row's values. */
export interface Reason {
  /** The path in the condition, with policies in place of their references; empty for the whole. */
  readonly path: string;
  readonly outcome: Value;
  readonly sentence: string;
  readonly rule?: Rule;
}

/** The result of a condition for one caller. */
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
   * The parts that decided, in order, at most a hundred. Computed on the first call, from the facts given to the
   * evaluation.
   */
  explain(): readonly Reason[] {
    this.reasons ??= this.reasonsOrNone();
    return this.reasons;
  }

  /** What each different rule came to, as `outcomesIn` writes it; undefined where nothing was judged. Computed anew. */
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
      const sentence = 'What this was judged on has changed meanwhile and cannot be read.';
      return [{ path: '', outcome: this.outcome, sentence }];
    }
  }

  /**
   * The functions that an open verdict depends on, in order. Ask the first, add its answer to new facts and evaluate again:
   * that asks the fewest functions, and a function that is not asked cannot fail.
   */
  functionsToAsk(): readonly string[] {
    if (this.outcome !== 'open') return [];
    const ids = this.explain().map(({ rule }) => (rule?.type === 'function' ? rule.functionId : ''));
    return [...new Set(ids)];
  }
}

export function cannotBeJudged(why: string): Verdict {
  const sentence = `The condition cannot be judged, so nobody is let in but the owner: ${why.trim()}.`;
  return new Verdict('fault', () => [{ path: '', outcome: 'fault', sentence }]);
}

import type { Rule } from '../condition/condition.js';
import type { Value } from './value.js';

/** A part that decided, and why. Names what was required, never values of the caller or the row. */
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
   * The parts that decided, in order, at most a hundred. Computed on first use, from the facts given to the evaluation.
   */
  explain(): readonly Reason[] {
    this.reasons ??= this.reasonsOrNone();
    return this.reasons;
  }

  /** The outcome of each distinct rule, as `outcomesIn` writes it; undefined if none was evaluated. Not cached. */
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
   * The functions that an open verdict depends on, in order. Call the first, add its result to new facts and evaluate
   * again: this calls the fewest functions, and a function that is not called cannot fail.
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

import type { EventMetadata } from '../kernel/event.js';

/** A piece of work that costs one credit, and the command that asks for it. */
export interface CreditUse {
  /** Identifies the work. A repeated command uses the same id and pays once. */
  readonly id: string;
  readonly by: EventMetadata;
  /** The command may have been tried before and interrupted by a crash. */
  readonly mayComeAgain: boolean;
}

/** What a workspace pays with for the work of language models. */
export abstract class AiCredits {
  /**
   * Does the work for one credit, or answers `used-up` and does nothing. The credit is reserved first, so that only one
   * of several callers gets the last one. It is charged when the work resolves and given back when it rejects. If a
   * crash comes in between, the reservation lapses after ten minutes. The result is answered only once it is charged.
   * @throws Refusal ai-credit-lapsed when the work took longer than that; and whatever the work throws
   */
  abstract spend<Made>(use: CreditUse, work: () => Promise<Made>): Promise<{ readonly made: Made } | 'used-up'>;

  /** The sentence for a caller who got `used-up`: the credits are used up, and who can have more added. */
  abstract usedUp(workspaceId: string): Promise<string>;
}

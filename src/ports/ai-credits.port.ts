import type { EventMetadata } from '../kernel/event.js';

/** One thing that is paid for with one credit, and the command that asks for it. */
export interface CreditUse {
  /** Names the thing. A command that comes again names the same, and pays for it once. */
  readonly id: string;
  readonly by: EventMetadata;
  /** The command may have come before, and been cut off by a crash. */
  readonly mayComeAgain: boolean;
}

/** What a workspace pays for the work of models with. */
export abstract class AiCredits {
  /**
   * Does the work for one credit, or answers `used-up` and does nothing. The credit is set aside first, so that of many
   * who want the last one a single one gets it; it is charged when the work resolves, and given back when it rejects.
   * After a crash in between it counts again ten minutes after it was set aside. What the work made is answered only
   * when it is charged.
   * @throws Refusal ai-credit-lapsed when the work took longer than that; whatever the work throws
   */
  abstract spend<Made>(use: CreditUse, work: () => Promise<Made>): Promise<{ readonly made: Made } | 'used-up'>;

  /** A sentence for whoever got nothing: that the credits are used up, and who can have more added. */
  abstract usedUp(workspaceId: string): Promise<string>;
}

import type { AccountEventFacts } from './account-event/account-event.record.js';

/** Counts how many of a workspace's current triggers an event fires. */
export abstract class MatchingTriggers {
  /** Includes all triggers recorded by now, by any process. */
  abstract count(workspaceId: string, event: AccountEventFacts): Promise<number>;
}

import type { AccountEventFacts } from './account-event/account-event.record.js';

/** What triggers a workspace has now, for those who only want to know how many of them an event fires. */
export abstract class MatchingTriggers {
  /** Counted among all that were recorded by now, by whatever process. */
  abstract count(workspaceId: string, event: AccountEventFacts): Promise<number>;
}

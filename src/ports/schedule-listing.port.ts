import type { Target } from '../kernel/target.js';

/** Automations API, Schedule trigger; `overlap`, `keepInput` and `missed` are additions of this service. */
export interface ListedSchedule {
  readonly id: string;
  readonly cronExpression: string;
  readonly timezone: string;
  readonly isActive: boolean;
  readonly lastTriggered: string | null;
  readonly nextTrigger: string | null;
  readonly overlap: 'allow' | 'skip';
  readonly keepInput: boolean;
  readonly missed: { readonly count: number; readonly lastAt: string } | null;
}

/** Which schedules start a target. */
export abstract class ScheduleListing {
  /** Oldest first. `isActive` is the target's: while it is off, `nextTrigger` is null. */
  abstract of(workspaceId: string, target: Target & { readonly isActive: boolean }): Promise<readonly ListedSchedule[]>;
}

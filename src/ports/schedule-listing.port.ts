import type { Target } from '../kernel/target.js';

/** Automations API, Schedule trigger; with overlap and missed. */
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

/** Which schedules start something. */
export abstract class ScheduleListing {
  /** Oldest first. `isActive` is the target's: while it is off, nothing is due next. */
  abstract of(workspaceId: string, target: Target & { readonly isActive: boolean }): Promise<readonly ListedSchedule[]>;
}

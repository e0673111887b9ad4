import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Target } from '../../../kernel/callers/target.js';
import { Clock } from '../../../ports/clock.port.js';
import type { OccurrenceLedger } from './occurrence.record.js';
import type { Schedule } from './schedule.record.js';
import { ScheduleBlocks } from './schedule-blocks.js';
import { Timetable } from './timetable.js';

/**
 * The schedule trigger of the Automations API with four more fields: `blocked`, `overlap`, `keepInput` and `missed`.
 */
export interface ListedSchedule {
  readonly id: string;
  readonly cronExpression: string;
  readonly timezone: string;
  readonly isActive: boolean;
  readonly lastTriggered: string | null;
  readonly nextTrigger: string | null;
  readonly blocked: string | null;
  readonly overlap: 'allow' | 'skip';
  readonly keepInput: boolean;
  readonly missed: { readonly count: number; readonly lastAt: string } | null;
}

@Injectable()
export class ScheduleListing {
  constructor(
    private readonly reads: Reads,
    private readonly blocks: ScheduleBlocks,
    private readonly clock: Clock,
  ) {}

  /**
   * Oldest first.
   * @param isActive whether the target is active. If not, `nextTrigger` is null, because no run will be started.
   */
  async of(
    workspaceId: string,
    { kind: targetKind, ref: targetRef, isActive }: Target & { readonly isActive: boolean },
  ): Promise<readonly ListedSchedule[]> {
    const found = await this.reads.find<Schedule>(workspaceId, 'schedules', {
      where: { targetRef, targetKind },
      sort: [['createdAt', 'asc']],
    });
    return Promise.all(found.map((schedule) => this.listed(schedule, isActive)));
  }

  private async listed(schedule: Schedule, targetIsActive: boolean): Promise<ListedSchedule> {
    const { workspaceId, id, cronExpression, timezone, isActive, overlap, keepInput } = schedule;
    const ledger = await this.reads.get<OccurrenceLedger>(workspaceId, 'occurrences', id);
    const blocked = await this.blocks.reasonFor(schedule);
    const next =
      isActive && targetIsActive && blocked === null
        ? new Timetable(schedule, ledger).next(this.clock.now())
        : undefined;
    return {
      id,
      cronExpression,
      timezone,
      isActive,
      lastTriggered: ledger?.lastTriggered ?? null,
      nextTrigger: next === undefined ? null : new Date(next.at).toISOString(),
      blocked,
      overlap,
      keepInput,
      missed: ledger?.missed ?? null,
    };
  }
}

import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/reads.js';
import type { Target } from '../../../kernel/target.js';
import { Clock } from '../../../ports/clock.port.js';
import { type ListedSchedule, ScheduleListing } from '../../../ports/schedule-listing.port.js';
import type { OccurrenceLedger } from './occurrence.record.js';
import type { Schedule } from './schedule.record.js';
import { Timetable } from './timetable.js';

@Injectable()
export class RecordedSchedules extends ScheduleListing {
  constructor(
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async of(
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
    const next = isActive && targetIsActive ? new Timetable(schedule, ledger).next(this.clock.now()) : undefined;
    return {
      id,
      cronExpression,
      timezone,
      isActive,
      lastTriggered: ledger?.lastTriggered ?? null,
      nextTrigger: next === undefined ? null : new Date(next.at).toISOString(),
      overlap,
      keepInput,
      missed: ledger?.missed ?? null,
    };
  }
}

import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Target } from '../../../kernel/callers/target.js';
import { Clock } from '../../../ports/clock.port.js';
import type { OccurrenceLedger } from './occurrence.record.js';
import type { Schedule } from './schedule.record.js';
import { ScheduleBlocks } from './schedule-blocks.js';
import { type ScheduleTrigger, scheduleTrigger } from './schedule-trigger.api.js';

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
  ): Promise<readonly ScheduleTrigger[]> {
    const found = await this.reads.find<Schedule>(workspaceId, 'schedules', {
      where: { targetRef, targetKind },
      sort: [['createdAt', 'asc']],
    });
    return Promise.all(found.map((schedule) => this.listed(schedule, isActive)));
  }

  private async listed(schedule: Schedule, targetIsActive: boolean): Promise<ScheduleTrigger> {
    const ledger = await this.reads.get<OccurrenceLedger>(schedule.workspaceId, 'occurrences', schedule.id);
    const blocked = await this.blocks.reasonFor(schedule);
    return scheduleTrigger(schedule, { ledger, blocked, targetIsActive, now: this.clock.now() });
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Metrics } from '../../../engine/health/metrics.js';
import { Targets } from '../../../engine/scopes/targets.js';
import { Clock } from '../../../ports/clock.port.js';
import { settleOccurrences } from './occurrence.js';
import type { OccurrenceEvent } from './occurrence.record.js';
import { type LedgerState, OccurrenceJournal } from './occurrence-journal.js';
import { scheduleName } from './schedule.js';
import { type Schedule, schedules } from './schedule.record.js';
import { ScheduleBlocks } from './schedule-blocks.js';

export interface SettledSchedule {
  readonly schedule: Schedule | undefined;
  readonly state: LedgerState;
}

/** If a run that was just fired cannot be found yet, it is treated as running for this long. */
const visibleWithinMs = 10 * 60_000;
const mostAttempts = 10;

@Injectable()
export class ScheduleSettling {
  private readonly log = new Logger('Schedules');

  constructor(
    private readonly runner: CommandRunner,
    private readonly journal: OccurrenceJournal,
    private readonly targets: Targets,
    private readonly blocks: ScheduleBlocks,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Records which due occurrences have fired, were skipped or were missed. If other processes write to the journal, up
   * to ten attempts are made. Occurrences that are not settled then remain due.
   * @throws EventStoreUnavailable, after which the caller can safely call this again
   */
  async settle(known: Schedule, from: LedgerState): Promise<SettledSchedule> {
    let state = from;
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      // A schedule that was just switched off must not fire, so the schedule is read from its stream.
      const schedule = await this.runner.find(schedules, known.workspaceId, known.id);
      if (!schedule?.isActive) return { schedule: undefined, state };
      const name = scheduleName(schedule, await this.targetName(schedule));
      const events = settleOccurrences(schedule, state.ledger, {
        now: this.clock.now(),
        name,
        isGoing: await this.isGoing(schedule, state),
        isBlocked: (await this.blocks.reasonFor(schedule)) !== null,
        runIdOf: (dueAt) => this.journal.runIdOf(schedule, dueAt),
      });
      if (events.length === 0) return { schedule, state };
      const written = await this.journal.write(schedule, state, events, name);
      if (written === undefined) {
        state = await this.journal.read(schedule);
        continue;
      }
      this.report(events);
      await this.pruned(schedule, state, written);
      return { schedule, state: written };
    }
    return { schedule: known, state };
  }

  private async targetName({ workspaceId, targetKind: kind, targetRef: ref }: Schedule): Promise<string | undefined> {
    return (await this.targets.find(workspaceId, { kind, ref }).catch(() => undefined))?.name;
  }

  private async isGoing(schedule: Schedule, { ledger }: LedgerState): Promise<boolean> {
    if (schedule.overlap === 'allow' || ledger?.lastRunId == null || ledger.lastTriggered === null) return false;
    const { workspaceId, targetKind: kind, targetRef: ref } = schedule;
    const isGoing = await this.targets.isGoing(workspaceId, { kind, ref }, ledger.lastRunId);
    return isGoing ?? this.clock.now() - Date.parse(ledger.lastTriggered) < visibleWithinMs;
  }

  private report(events: readonly OccurrenceEvent[]): void {
    for (const { type, data } of events) {
      switch (type) {
        case 'OccurrenceFired':
          this.metrics.occurrenceFired(data.lateMs / 1_000);
          break;
        case 'OccurrenceSkipped':
          this.metrics.occurrencesLeft('skipped', 1);
          break;
        case 'OccurrencesMissed':
          this.metrics.occurrencesLeft('missed', data.count);
          this.log.warn(
            `The schedule ${data.name} missed ${data.count} occurrences from ${data.from} to ${data.to}, because no process was running to fire it.`,
          );
          break;
      }
    }
  }

  /** Failures are ignored, because the next pruning includes the same events. */
  private async pruned(schedule: Schedule, before: LedgerState, after: LedgerState): Promise<void> {
    await this.journal.prune(schedule, before, after).catch(() => undefined);
  }
}

import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/command-runner.js';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { refuseInput } from '../../../engine/operation/validation.js';
import { StartableTargets } from '../../../engine/startable-targets.js';
import type { KnownTarget } from '../../../engine/targets.js';
import { readCron } from '../../../kernel/cron/cron.js';
import { Zone } from '../../../kernel/cron/zone.js';
import { type InvalidField, refuse } from '../../../kernel/refusal.js';
import { type Target, targetKindOf } from '../../../kernel/target.js';
import { Clock } from '../../../ports/clock.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { createSchedule } from './schedule.js';
import { CreateSchedule } from './schedule.operations.js';
import { type Schedule, schedules } from './schedule.record.js';
import { Timetable } from './timetable.js';

/** Protects the schedule clockwork. Simultaneous calls may exceed it by a few, which does no harm. */
const mostSchedules = 1_000;

/**
 * The target must exist, and the caller must be allowed to start it. It may be inactive: its runs then fail with that
 * reason.
 */
@CommandHandler(CreateSchedule)
export class CreateScheduleHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly store: ReadStore,
    private readonly targets: StartableTargets,
    private readonly clock: Clock,
  ) {}

  async execute(input: CreateSchedule): Promise<{ id: string; nextTrigger: string | null }> {
    const call = callOf(input);
    const { workspaceId } = call;
    const { cronExpression, timezone = 'UTC', overlap = 'allow' } = input;
    const wrong = [...wrongTarget(input), ...wrongTimes(cronExpression, timezone)];
    if (wrong.length > 0) refuseInput(wrong);
    const target = await this.targetOf(call, input);
    if ((await this.store.count('schedules', { workspaceId })) >= mostSchedules) {
      refuse('schedules-full', { limit: mostSchedules });
    }
    const id = call.newId('sch');
    const facts = { targetKind: target.kind, targetRef: target.ref, cronExpression, timezone, overlap };
    const decide = () => createSchedule(facts);
    const schedule = await this.runner.change(call, { aggregate: schedules, id, begins: true, decide });
    return { id, nextTrigger: target.isActive && schedule?.isActive ? this.nextOf(schedule) : null };
  }

  private nextOf(schedule: Schedule): string | null {
    const next = new Timetable(schedule, undefined).next(this.clock.now());
    return next === undefined ? null : new Date(next.at).toISOString();
  }

  private async targetOf(call: Call, input: CreateSchedule): Promise<Target & KnownTarget> {
    const { functionId, targetKind = 'account_function', targetRef = '' } = input;
    const kind = targetKindOf(targetKind);
    const target: Target = { kind, ref: functionId ?? targetRef };
    return { ...target, ...(await this.targets.require(call, target)) };
  }
}

/** Exactly one target, named in one of the two ways (settled question Q-A43). */
function wrongTarget({ functionId, targetKind, targetRef }: CreateSchedule): readonly InvalidField[] {
  const isOther = targetKind !== undefined || targetRef !== undefined;
  if (functionId === undefined && !isOther) {
    return [{ path: 'functionId', message: 'is required, or targetKind with targetRef instead' }];
  }
  if (functionId !== undefined && isOther) {
    return [{ path: 'functionId', message: 'cannot be sent beside targetKind and targetRef: a schedule starts one' }];
  }
  if (isOther && targetKind === undefined) return [{ path: 'targetKind', message: 'is required beside targetRef' }];
  if (isOther && targetRef === undefined) return [{ path: 'targetRef', message: 'is required beside targetKind' }];
  return [];
}

function wrongTimes(cronExpression: string, timezone: string): readonly InvalidField[] {
  const read = readCron(cronExpression);
  const isKnown = Zone.named(timezone) !== undefined;
  return [
    ...('wrong' in read ? [{ path: 'cronExpression', message: read.wrong }] : []),
    ...(isKnown
      ? []
      : [{ path: 'timezone', message: "must be a time zone of the IANA database, e.g. 'Europe/Berlin'" }]),
  ];
}

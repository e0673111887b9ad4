import { Injectable, Logger } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { type Duty, schedulerDuty } from '../../../engine/cluster/lease-keeper.js';
import { type Worker, WorkerSource } from '../../../engine/cluster/worker.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { throttledLog } from '../../../kernel/throttled-log.js';
import { Clock } from '../../../ports/clock.port.js';
import { EventStore, type Subscription } from '../../../ports/event-store.port.js';
import { ActiveSchedules } from './active-schedules.js';
import { DueQueue } from './due-queue.js';
import { emptyLedger, type LedgerState } from './occurrence-journal.js';
import { type Schedule, schedules } from './schedule.record.js';
import { ScheduleSettling } from './schedule-settling.js';
import { Timetable } from './timetable.js';

/**
 * The timer never waits longer than this. Otherwise, schedules would fire too late if the clock was set forward or the
 * machine slept.
 */
const longestPauseMs = 1_000;
/** Number of schedules that are fired concurrently, so that they can share disk writes. */
const mostConcurrent = 1_000;

/**
 * The type of the jobs in Nest's registry. The schedules are registered without a timer of their own, because this
 * class has one timer for all.
 */
type RegisteredJob = Parameters<SchedulerRegistry['addCronJob']>[1];

interface Job {
  schedule: Schedule;
  state: LedgerState;
  /** Time at which the schedule is next due. Queue entries of this job with another time are outdated and ignored. */
  nextAt: number | undefined;
}

/**
 * Fires schedules in the process that has the scheduler's lease. If two processes believe that they have it, each
 * occurrence is still fired only once, because only one of them can record it in the occurrence's journal.
 */
@Injectable()
export class ScheduleClockwork extends WorkerSource {
  private readonly log = new Logger('Schedules');
  /** Throttled, because every due schedule fails while the store is unavailable. */
  private readonly warn = throttledLog((sentence) => this.log.warn(sentence));
  private readonly jobs = new Map<string, Job>();
  private readonly queue = new DueQueue<Job>();
  private subscription: Subscription | undefined;
  private callOff = () => {};
  /** Increases with each start and stop. Work that began under an earlier number stops. */
  private turn = 0;
  private round: Promise<void> = Promise.resolve();

  constructor(
    private readonly events: EventStore,
    private readonly runner: CommandRunner,
    private readonly active: ActiveSchedules,
    private readonly settling: ScheduleSettling,
    private readonly registry: SchedulerRegistry,
    private readonly clock: Clock,
  ) {
    super();
  }

  override workers(): readonly Worker[] {
    return [{ ...this.duty(), kind: 'scheduler' }];
  }

  duty(): Duty {
    return { ...schedulerDuty, start: () => this.start(), stop: () => this.stop() };
  }

  private async start(): Promise<void> {
    const turn = ++this.turn;
    // The position is read before the schedules, so that the subscription delivers changes made while they are read.
    const after = await this.active.position();
    for await (const { schedule, state } of this.active.all()) {
      if (turn !== this.turn) return;
      this.put(schedule, state);
    }
    if (turn !== this.turn) return;
    this.subscription = this.events.subscribe({
      types: schedules.types,
      after,
      handle: async (changes) => {
        for (const change of changes) await this.follow(change);
      },
    });
    this.next(turn);
  }

  private async stop(): Promise<void> {
    this.turn += 1;
    this.callOff();
    await this.subscription?.stop();
    this.subscription = undefined;
    await this.round;
    for (const id of [...this.jobs.keys()]) this.remove(id);
    this.queue.clear();
  }

  private async follow({ stream }: RecordedEvent): Promise<void> {
    const { workspaceId, id } = parseStream(stream);
    const schedule = await this.runner.find(schedules, workspaceId, id).catch(quarantinedOrThrow);
    if (schedule === 'set aside') return;
    if (schedule?.isActive) this.put(schedule, this.jobs.get(id)?.state ?? emptyLedger);
    else this.remove(id);
  }

  private put(schedule: Schedule, state: LedgerState): void {
    const known = this.jobs.get(schedule.id);
    const job: Job = known ?? { schedule, state, nextAt: undefined };
    job.schedule = schedule;
    job.state = state;
    if (known === undefined) {
      this.jobs.set(schedule.id, job);
      const registered = { fireOnTick: () => this.fire(job), stop: () => undefined };
      this.registry.addCronJob(jobName(schedule.id), registered as unknown as RegisteredJob);
    }
    this.enqueue(job);
  }

  private remove(id: string): void {
    const job = this.jobs.get(id);
    if (job === undefined) return;
    job.nextAt = undefined;
    this.jobs.delete(id);
    // Nest may already have cleared the registry during shutdown.
    if (this.registry.doesExist('cron', jobName(id))) this.registry.deleteCronJob(jobName(id));
  }

  private enqueue(job: Job): void {
    const nextAt = new Timetable(job.schedule, job.state.ledger).next()?.at;
    if (nextAt === job.nextAt) return;
    job.nextAt = nextAt;
    if (nextAt !== undefined) this.queue.push(nextAt, job);
  }

  private next(turn: number): void {
    if (turn !== this.turn) return;
    const untilDue = (this.queue.nextAt ?? Number.POSITIVE_INFINITY) - this.clock.now();
    this.callOff = this.clock.after(Math.max(0, Math.min(longestPauseMs, untilDue)), () => {
      this.round = this.settleDue(turn).finally(() => this.next(turn));
    });
  }

  private async settleDue(turn: number): Promise<void> {
    const taken = this.queue.takeDue(this.clock.now());
    const due = taken.filter(({ at, item }) => item.nextAt === at).map(({ item }) => item);
    let nextJob = 0;
    const work = async () => {
      for (let job = due[nextJob++]; job !== undefined && turn === this.turn; job = due[nextJob++])
        await this.fire(job);
    };
    await Promise.all(Array.from({ length: Math.min(mostConcurrent, due.length) }, work));
  }

  private async fire(job: Job): Promise<void> {
    const { schedule: known, state: from } = job;
    job.nextAt = undefined;
    try {
      const { schedule, state } = await this.settling.settle(known, from);
      if (this.jobs.get(known.id) !== job) return;
      // A change was followed since, so the settled schedule may be the older one. Later changes are followed too.
      if (job.schedule !== known) return this.put(job.schedule, state);
      if (schedule === undefined) return this.remove(known.id);
      this.put(schedule, state);
    } catch (error) {
      this.warn(`A schedule could not be fired and will be retried: ${reasonOf(error)}`);
      if (this.jobs.get(known.id) !== job) return;
      job.nextAt = this.clock.now() + longestPauseMs;
      this.queue.push(job.nextAt, job);
    }
  }
}

const jobName = (id: string) => `schedule/${id}`;

/**
 * `set aside` means that the schedule is quarantined and cannot be read.
 * @throws any other error
 */
function quarantinedOrThrow(error: unknown): 'set aside' {
  if (error instanceof Refusal && error.code === 'record-set-aside') return 'set aside';
  throw error;
}

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
import { notBegun, type Standing } from './occurrence-journal.js';
import { type Schedule, schedules } from './schedule.record.js';
import { ScheduleSettling } from './schedule-settling.js';
import { Timetable } from './timetable.js';

/** The clock may be set and the machine may sleep, so due schedules are checked at least this often. */
const longestPauseMs = 1_000;
/** How many schedules are settled concurrently. The more, the more of them share one disk write. */
const atOnce = 1_000;

/** The type that Nest's registry holds for a schedule. The clockwork needs no timer per schedule. */
type RegisteredJob = Parameters<SchedulerRegistry['addCronJob']>[1];

interface Job {
  schedule: Schedule;
  standing: Standing;
  /** When it is due next. Other entries in the queue are out of date. */
  nextAt: number | undefined;
}

/**
 * Fires schedules, in the one process that holds the scheduler's lease. If two processes believe they hold it, the
 * journals of occurrences still let only one of them have each occurrence.
 */
@Injectable()
export class ScheduleClockwork extends WorkerSource {
  private readonly log = new Logger('Schedules');
  /** When a store is unavailable, no schedule can be fired, so warnings are limited. */
  private readonly warn = throttledLog((sentence) => this.log.warn(sentence));
  private readonly jobs = new Map<string, Job>();
  private readonly queue = new DueQueue<Job>();
  private subscription: Subscription | undefined;
  private callOff = () => {};
  /** Increases with every start and stop, so that work begun in an earlier turn notices it and ends. */
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
    // Read before the schedules, so that changes made meanwhile are delivered again.
    const after = await this.active.position();
    for await (const { schedule, standing } of this.active.all()) {
      if (turn !== this.turn) return;
      this.put(schedule, standing);
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

  /** The stream has the current state, whatever the event said. */
  private async follow({ stream }: RecordedEvent): Promise<void> {
    const { workspaceId, id } = parseStream(stream);
    const schedule = await this.runner.find(schedules, workspaceId, id).catch(isSetAside);
    if (schedule === 'set aside') return;
    if (schedule?.isActive) this.put(schedule, this.jobs.get(id)?.standing ?? notBegun);
    else this.remove(id);
  }

  private put(schedule: Schedule, standing: Standing): void {
    const known = this.jobs.get(schedule.id);
    const job: Job = known ?? { schedule, standing, nextAt: undefined };
    job.schedule = schedule;
    job.standing = standing;
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
    // When the process shuts down, the registry may already be empty.
    if (this.registry.doesExist('cron', jobName(id))) this.registry.deleteCronJob(jobName(id));
  }

  private enqueue(job: Job): void {
    const nextAt = new Timetable(job.schedule, job.standing.ledger).next()?.at;
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
    const taken = this.queue.take(this.clock.now());
    const due = taken.filter(({ at, item }) => item.nextAt === at).map(({ item }) => item);
    let nextJob = 0;
    const work = async () => {
      for (let job = due[nextJob++]; job !== undefined && turn === this.turn; job = due[nextJob++])
        await this.fire(job);
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, due.length) }, work));
  }

  private async fire(job: Job): Promise<void> {
    const { schedule: known, standing: from } = job;
    job.nextAt = undefined;
    try {
      const { schedule, standing } = await this.settling.settle(known, from);
      if (this.jobs.get(known.id) !== job) return;
      if (schedule === undefined) return this.remove(known.id);
      this.put(schedule, standing);
    } catch (error) {
      this.warn(`A schedule could not be fired and is tried again: ${reasonOf(error)}`);
      if (this.jobs.get(known.id) !== job) return;
      job.nextAt = this.clock.now() + longestPauseMs;
      this.queue.push(job.nextAt, job);
    }
  }
}

const jobName = (id: string) => `schedule/${id}`;

/** Of such a schedule nothing is known any more; it stops none of the others. @throws any other error */
function isSetAside(error: unknown): 'set aside' {
  if (error instanceof Refusal && error.code === 'record-set-aside') return 'set aside';
  throw error;
}

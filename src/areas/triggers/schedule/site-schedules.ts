import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { showsAs } from '../../../engine/records/record-views.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { StartableTargets } from '../../../engine/scopes/startable-targets.js';
import { Targets } from '../../../engine/scopes/targets.js';
import type { Target } from '../../../kernel/callers/target.js';
import { Field } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Document } from '../../../kernel/record/projection.js';
import { Clock } from '../../../ports/clock.port.js';
import { ownerRules } from '../../functions/function/function-owner.api.js';
import { refuse } from '../triggers.refusals.js';
import { MissedOccurrences } from './missed-occurrences.api.js';
import type { OccurrenceLedger } from './occurrence.record.js';
import { type Schedule, type ScheduleFacts, schedules, scheduleTarget } from './schedule.record.js';
import { ScheduleBlocks } from './schedule-blocks.js';
import { Timetable } from './timetable.js';

const nullableTime = { type: 'string', format: 'date-time', nullable: true } as const;
const nullableText = { type: 'string', nullable: true } as const;

export class SiteScheduleRecord {
  @Field({ type: 'string' }) id!: string;
  @Field(nullableText) name!: string | null;
  @Field({
    ...nullableText,
    description:
      "The id of the site's function. null if the function was deleted, or if the target is an account function.",
  })
  functionId!: string | null;
  @Field({ ...nullableText, description: 'Name of the function, or its last name if it was deleted.' })
  functionName!: string | null;
  @Field({ type: 'string', enum: ['site_function', 'account_function'] }) targetKind!: string;
  @Field({ type: 'string' }) targetRef!: string;
  @Field({ type: 'string' }) cronExpression!: string;
  @Field({ type: 'string' }) timezone!: string;
  @Field({ type: 'object' }) params!: JsonObject;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field(nullableTime) lastRunAt!: string | null;
  @Field({
    ...nullableTime,
    description: 'null while the schedule or its function is inactive, or the plan includes no schedules.',
  })
  nextRunAt!: string | null;
  @Field({ ...nullableText, description: 'Why an active schedule starts nothing. null if it is not blocked.' })
  blocked!: string | null;
  @Field({ type: 'string', enum: ['allow', 'skip'] }) overlap!: string;
  @Field({ type: 'object', shape: () => MissedOccurrences, nullable: true }) missed!: MissedOccurrences | null;
}

export type SiteTarget = Required<Pick<ScheduleFacts, 'targetKind' | 'targetRef' | 'targetName'>>;

interface Named extends Document {
  readonly name: string;
}

showsAs(schedules, ({ workspaceId: _, ...schedule }) =>
  schedule.isOfSite ? { ...schedule, name: schedule.name ?? null, params: schedule.params ?? {} } : schedule,
);

@Injectable()
export class SiteSchedules {
  constructor(
    private readonly reads: Reads,
    private readonly targets: Targets,
    private readonly startable: StartableTargets,
    private readonly blocks: ScheduleBlocks,
    private readonly clock: Clock,
  ) {}

  /** Oldest first, including schedules of the site's functions. */
  async listed(workspaceId: string, projectId: string): Promise<readonly SiteScheduleRecord[]> {
    const where = { projectId };
    const found = await this.reads.find<Schedule>(workspaceId, 'schedules', { where, sort: [['createdAt', 'asc']] });
    return Promise.all(found.map((schedule) => this.shown(schedule)));
  }

  async shown(schedule: Schedule): Promise<SiteScheduleRecord> {
    const {
      workspaceId,
      id,
      name = null,
      targetKind,
      targetRef,
      cronExpression,
      timezone,
      isActive,
      overlap,
    } = schedule;
    const [target, ledger, blocked] = await Promise.all([
      this.targets.find(workspaceId, scheduleTarget(schedule)),
      this.reads.get<OccurrenceLedger>(workspaceId, 'occurrences', id),
      this.blocks.reasonFor(schedule),
    ]);
    const fires = isActive && blocked === null && target?.isActive !== false;
    const next = fires ? new Timetable(schedule, ledger).next(this.clock.now()) : undefined;
    return {
      id,
      name,
      functionId: targetKind === 'site_function' && target !== undefined ? targetRef : null,
      functionName: target?.name ?? schedule.targetName ?? null,
      targetKind,
      targetRef,
      cronExpression,
      timezone,
      params: schedule.params ?? {},
      isActive,
      lastRunAt: ledger?.lastTriggered ?? null,
      nextRunAt: next === undefined ? null : new Date(next.at).toISOString(),
      blocked,
      overlap,
      missed: ledger?.missed ?? null,
    };
  }

  /**
   * If the target is a site's function, it must belong to the site `projectId`.
   * @throws Refusal target-not-found, or the reason why the caller may not start it
   */
  async targetFor(call: OperationContext, target: Target, projectId: string): Promise<SiteTarget> {
    const known = await this.targets.find(call.workspaceId, target);
    const isHere = known !== undefined && (target.kind !== 'site_function' || known.projectId === projectId);
    if (!isHere) return refuse('target-not-found', { kind: target.kind });
    await this.startable.check(call, target);
    return { targetKind: target.kind, targetRef: target.ref, targetName: known.name };
  }

  /**
   * Finds the function with this name. The name of a site's function is unique in its site, and the name of an account
   * function in the workspace.
   * @throws Refusal target-not-found
   */
  async named(
    workspaceId: string,
    kind: 'site_function' | 'account_function',
    projectId: string,
    name: string,
  ): Promise<Target> {
    const owner = kind === 'site_function' ? 'project' : 'workspace';
    const where = { name, ...(owner === 'project' ? { projectId } : {}) };
    const fn = await this.reads.first<Named>(workspaceId, ownerRules[owner].collection, where);
    return fn === undefined ? refuse('target-not-found', { kind }) : { kind, ref: fn.id };
  }

  mustBeOf(projectId: string, schedule: Schedule | undefined): Schedule {
    return schedule?.projectId === projectId ? schedule : schedules.missing();
  }
}

import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Targets } from '../../../engine/scopes/targets.js';
import { type Refusal } from '../../../kernel/refusals/refusal.js';
import { termsOf } from '../../workspace/workspace/workspace-settings.api.js';
import { refusalOf } from '../triggers.refusals.js';
import type { ScheduleFacts } from './schedule.record.js';

type BlockableSchedule = Pick<ScheduleFacts, 'targetKind' | 'projectId' | 'isOfSite'> & {
  readonly workspaceId: string;
};

/**
 * Decides whether a schedule is blocked, which means that it stays active and listed but does not fire. Only a schedule
 * with a `projectId` can be blocked: by the free plan, or by a workspace setting that does not allow schedules for its
 * kind of target.
 */
@Injectable()
export class ScheduleBlocks {
  constructor(
    private readonly reads: Reads,
    private readonly targets: Targets,
    private readonly environment: Environment,
  ) {}

  async reasonFor(schedule: BlockableSchedule): Promise<string | null> {
    return (await this.refusalFor(schedule))?.message ?? null;
  }

  /** @throws Refusal plan-limit, account-schedules-off, site-targets-off */
  async mustNotBlock(schedule: BlockableSchedule): Promise<void> {
    const refusal = await this.refusalFor(schedule);
    if (refusal !== undefined) throw refusal;
  }

  private async refusalFor({
    workspaceId,
    targetKind,
    projectId,
    isOfSite,
  }: BlockableSchedule): Promise<Refusal | undefined> {
    if (projectId === undefined) return undefined;
    const { plan, settings } = await termsOf(this.reads, workspaceId);
    const { upgradeUrl } = this.environment;
    if (plan === 'free')
      return refusalOf('plan-limit', { plan, what: 'no schedules of sites', upgradeUrl }, { upgradeUrl });
    if (!isOfSite)
      return (await this.targets.isOn(workspaceId, targetKind)) ? undefined : refusalOf('site-targets-off');
    const isOff = targetKind === 'account_function' && !settings.accountFunctionScheduleTargets;
    return isOff ? refusalOf('account-schedules-off') : undefined;
  }
}

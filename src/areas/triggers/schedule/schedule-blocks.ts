import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Targets } from '../../../engine/scopes/targets.js';
import { type Refusal } from '../../../kernel/refusals/refusal.js';
import { termsOf } from '../../workspace/workspace/workspace-settings.api.js';
import { refusalOf } from '../triggers.refusals.js';
import type { ScheduleFacts } from './schedule.record.js';

type Which = Pick<ScheduleFacts, 'targetKind' | 'projectId' | 'isOfSite'> & { readonly workspaceId: string };

/**
 * Determines whether an active schedule is blocked, so it does not fire. Only schedules in a site's list can be
 * blocked: by the free plan, or by a workspace setting that does not allow schedules for their kind of target. Blocked
 * schedules stay listed.
 */
@Injectable()
export class ScheduleBlocks {
  constructor(
    private readonly reads: Reads,
    private readonly targets: Targets,
    private readonly environment: Environment,
  ) {}

  /** Returns the reason why the schedule is blocked, as a sentence, or null if it is not. */
  async of(schedule: Which): Promise<string | null> {
    return (await this.refusalFor(schedule))?.message ?? null;
  }

  /**
   * Refuses a new schedule that would be blocked.
   * @throws Refusal plan-limit, account-schedules-off, site-targets-off
   */
  async mustNotBlock(schedule: Which): Promise<void> {
    const refusal = await this.refusalFor(schedule);
    if (refusal !== undefined) throw refusal;
  }

  private async refusalFor({ workspaceId, targetKind, projectId, isOfSite }: Which): Promise<Refusal | undefined> {
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

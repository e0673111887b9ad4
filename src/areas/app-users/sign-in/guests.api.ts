import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { RateLimit } from '../../../engine/quotas/rate-limit.js';
import { Clock } from '../../../ports/clock.port.js';
import { Ids } from '../../../ports/ids.port.js';
import { SavedSiteRules } from '../../access/site-rules/site-rules.api.js';
import type { Project } from '../../sites/project/project.record.js';
import { refusalOf, refuse } from '../app-users.refusals.js';
import { type IssuedPass, SitePasses } from '../site-pass/site-passes.api.js';

/**
 * Rate of new guests per network address and site. It is limited because each guest is stored in the vault until the
 * session ends.
 */
const rate = { burst: 600, fillMs: 3_600_000 };

@Injectable()
export class Guests {
  private readonly limit: RateLimit;

  constructor(
    private readonly rules: SavedSiteRules,
    private readonly passes: SitePasses,
    private readonly ids: Ids,
    clock: Clock,
  ) {
    this.limit = new RateLimit(rate, clock);
  }

  /**
   * @param address network address of the visitor
   * @throws Refusal guests-off, guest-rate
   */
  async begin(
    call: OperationContext,
    { workspaceId, id: projectId }: Project,
    address: string,
  ): Promise<{ readonly guestId: string; readonly session: IssuedPass }> {
    const { guestAccess } = await this.rules.of(workspaceId, projectId);
    if (!guestAccess) refuse('guests-off');
    this.limit.enforce(`${projectId} ${address}`, () => refusalOf('guest-rate'));
    const guestId = this.ids.newId('guest');
    return { guestId, session: await this.passes.issue(call, { projectId, guestId }) };
  }
}

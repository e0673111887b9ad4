import { Injectable } from '@nestjs/common';
import type { Call } from '../../../engine/operation/call.js';
import { Rates } from '../../../engine/quotas/rates.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { Ids } from '../../../ports/ids.port.js';
import { SavedSiteRules } from '../../access/site-rules/site-rules.api.js';
import type { Project } from '../../sites/project/project.record.js';
import { type IssuedPass, SitePasses } from '../site-pass/site-passes.api.js';

/** New guests from one address at one site. Each is kept for as long as a session lasts. */
const rate = { burst: 600, fillMs: 3_600_000 };

/** Visitors whom the site knows again without their having signed in. Nothing of them is recorded. */
@Injectable()
export class Guests {
  private readonly rates: Rates;

  constructor(
    private readonly rules: SavedSiteRules,
    private readonly passes: SitePasses,
    private readonly ids: Ids,
    clock: Clock,
  ) {
    this.rates = new Rates(rate, clock);
  }

  /** `address`: of the visitor. @throws Refusal guests-off, guest-rate */
  async begin(
    call: Call,
    { workspaceId, id: projectId }: Project,
    address: string,
  ): Promise<{ readonly guestId: string; readonly session: IssuedPass }> {
    const { guestAccess } = await this.rules.of(workspaceId, projectId);
    if (!guestAccess) refuse('guests-off');
    const waitMs = this.rates.take(`${projectId} ${address}`);
    if (waitMs > 0) refuse('guest-rate', undefined, { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
    const guestId = this.ids.newId('guest');
    return { guestId, session: await this.passes.issue(call, { projectId, guestId }) };
  }
}

import { Injectable } from '@nestjs/common';
import type { Call } from '../../../engine/operation/call.js';
import { refuse } from '../../../kernel/refusal.js';
import { Ids } from '../../../ports/ids.port.js';
import { SavedSiteRules } from '../../access/site-rules/site-rules.api.js';
import type { Project } from '../../sites/project/project.record.js';
import { type IssuedPass, SitePasses } from '../site-pass/site-passes.api.js';

/** Visitors whom the site knows again without their having signed in. Nothing of them is recorded. */
@Injectable()
export class Guests {
  constructor(
    private readonly rules: SavedSiteRules,
    private readonly passes: SitePasses,
    private readonly ids: Ids,
  ) {}

  /** @throws Refusal guests-off */
  async begin(
    call: Call,
    { workspaceId, id: projectId }: Project,
  ): Promise<{ readonly guestId: string; readonly session: IssuedPass }> {
    const { guestAccess } = await this.rules.of(workspaceId, projectId);
    if (!guestAccess) refuse('guests-off');
    const guestId = this.ids.newId('guest');
    return { guestId, session: await this.passes.issue(call, { projectId, guestId }) };
  }
}

import { Injectable } from '@nestjs/common';
import { Journal } from '../../../engine/journal/journal.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { visitorActor } from '../../../kernel/actors/visitor-actor.js';
import type { AppUser } from '../app-user/app-user.record.js';
import { type IssuedPass, SitePasses } from '../site-pass/site-passes.api.js';
import { type SiteSignInEvent, siteSignInStream } from './sign-in.record.js';

/**
 * Minimum number of each user's latest sign-ins that stay in the log, because readers of the log might not have read
 * them yet.
 */
const retained = 100;

@Injectable()
export class SignIns {
  constructor(
    private readonly passes: SitePasses,
    private readonly journal: Journal,
  ) {}

  /**
   * The user must be as loaded when the identity was proved. If a ban has increased `passGeneration` since then, the
   * new session is invalid.
   */
  async begin(call: OperationContext, { id, projectId, passGeneration: generation }: AppUser): Promise<IssuedPass> {
    const session = await this.passes.issue(call, { projectId, userId: id, generation });
    const { workspaceId, operation } = call;
    const stream = siteSignInStream(workspaceId, id);
    const actor = visitorActor({ kind: 'user', id });
    const events: readonly SiteSignInEvent[] = [{ type: 'AppUserSignedIn', data: { projectId } }];
    const by = { workspaceId, actor, operation };
    const { revision } = await this.journal.append({ stream, by, events, visitedSite: projectId });
    // Pruning needs another write, so it is done only at every hundredth sign-in.
    if (revision % retained === retained - 1) await this.journal.prune(stream, revision - retained);
    return session;
  }
}

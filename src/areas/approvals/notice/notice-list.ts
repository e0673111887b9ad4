import { Injectable } from '@nestjs/common';
import { ChangeTargets } from '../../../engine/approvals/change-targets.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { newestOpen, type PageInput } from '../../../engine/records/newest-first.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { RecordScopes } from '../../../engine/scopes/record-scopes.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { Clock } from '../../../ports/clock.port.js';
import { maySee } from '../../audit/audit-visibility.api.js';
import { refuse } from '../approvals.refusals.js';
import { shownActor } from '../card-actor.js';
import type { Notice, NoticeKind } from './notice.record.js';
import type { NoticeRecord } from './notice-answers.api.js';
import { isTaken, lostWith, TakenAway } from './taken-away.js';

interface NoticeQuery extends PageInput {
  readonly kind?: NoticeKind;
}

@Injectable()
export class NoticeList {
  constructor(
    private readonly reads: Reads,
    private readonly targets: ChangeTargets,
    private readonly clock: Clock,
    private readonly scopes: RecordScopes,
    private readonly taken: TakenAway,
  ) {}

  async page(call: OperationContext, query: NoticeQuery): Promise<readonly NoticeRecord[]> {
    const open = await this.visibleTo(call, query);
    return Promise.all(open.map((notice) => this.recordOf(notice, call)));
  }

  private visibleTo(call: OperationContext, query: NoticeQuery): Promise<readonly Notice[]> {
    const isOpen = this.scopes.judge(call);
    return newestOpen<Notice, Notice>(this.reads, call.workspaceId, 'notices', query, {
      where: query.kind === undefined ? {} : { kind: query.kind },
      by: 'createdAt',
      missing: () => refuse('notice-not-found'),
      open: async (page) => {
        const news = page.filter((notice) => isNewsTo(notice, call.caller));
        const verdicts = await Promise.all(news.map(({ target }) => isOpen(target)));
        return news.filter((_, index) => verdicts[index]);
      },
    });
  }

  private async recordOf(notice: Notice, { caller }: OperationContext): Promise<NoticeRecord> {
    const { id, workspaceId, kind, summary, target, createdAt, expiresAt } = notice;
    if (isTaken(notice) && caller !== undefined) {
      const { by, approvedBy, count } = notice.taking;
      const whyNot = await this.taken.whyNot(notice, caller);
      return {
        id,
        kind,
        summary: `${summary}${count > 1 ? `; ${count - 1} more` : ''}.${lostWith(notice)}`,
        target,
        createdAt,
        by: shownActor(by),
        ...(approvedBy === undefined ? {} : { approvedBy: shownActor(approvedBy) }),
        undo: { available: whyNot === undefined, expiresAt, ...(whyNot === undefined ? {} : { why: whyNot }) },
      };
    }
    const open = notice.undoneAt === null && Date.parse(expiresAt) > this.clock.now();
    const available = open && (await this.targets.isAvailable(workspaceId, target, id));
    return { id, kind, summary, target, createdAt, undo: { available, expiresAt } };
  }
}

/**
 * Returns false for deletions that the caller made or approved, and for deletions of a kind of record whose audit
 * events the caller may not see.
 */
function isNewsTo(notice: Notice, caller: Caller | undefined): boolean {
  if (!isTaken(notice)) return true;
  const { by, approvedBy } = notice.taking;
  return maySee(caller, notice.target.kind) && ![by.id, approvedBy?.id].includes(caller?.id);
}

import { Injectable } from '@nestjs/common';
import { ChangeTargets } from '../../../engine/approvals/change-targets.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { defaultPage, newestFirst } from '../../../engine/records/newest-first.js';
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

const mostReads = 10;

interface NoticeQuery {
  readonly kind?: NoticeKind;
  readonly limit?: number;
  readonly before?: string;
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

  private async visibleTo(
    call: OperationContext,
    { kind, limit = defaultPage, before }: NoticeQuery,
  ): Promise<readonly Notice[]> {
    const isOpen = this.scopes.judge(call);
    const missing = () => refuse('notice-not-found');
    const where = kind === undefined ? {} : { kind };
    const open: Notice[] = [];
    let oldest = before;
    for (let read = 0; read < mostReads && open.length < limit; read += 1) {
      const page = { limit, ...(oldest === undefined ? {} : { before: oldest }) };
      const by = 'createdAt';
      const found = await newestFirst<Notice>(this.reads, call.workspaceId, 'notices', page, { where, by, missing });
      for (const notice of found) {
        if (isNewsTo(notice, call.caller) && (await isOpen(notice.target))) open.push(notice);
      }
      if (found.length < limit) break;
      oldest = found.at(-1)?.id;
    }
    return open.slice(0, limit);
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

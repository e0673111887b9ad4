import { CommandHandler, QueryHandler } from '@nestjs/cqrs';
import { ChangeTargets } from '../../../engine/approvals/change-targets.js';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { defaultPage, newestFirst } from '../../../engine/records/record-operations.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { RecordScopes } from '../../../engine/scopes/record-scopes.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { maySee } from '../../audit/audit-visibility.api.js';
import { shownActor } from '../card-actor.js';
import { ListNotices, type NoticeRecord, UndoNotice } from './notice.operations.js';
import type { Notice } from './notice.record.js';
import { isTaken, lostWith, TakenAway } from './taken-away.js';

/** So many times a page is filled up, where notices are left out of it. */
const mostReads = 10;

@QueryHandler(ListNotices)
export class ListNoticesHandler {
  constructor(
    private readonly reads: Reads,
    private readonly targets: ChangeTargets,
    private readonly clock: Clock,
    private readonly scopes: RecordScopes,
    private readonly taken: TakenAway,
  ) {}

  async execute(input: ListNotices): Promise<{ notices: readonly NoticeRecord[] }> {
    const call = callOf(input);
    const open = await this.openTo(call, input);
    return { notices: await Promise.all(open.map((notice) => this.recordOf(notice, call))) };
  }

  private async openTo(call: Call, { kind, limit = defaultPage, before }: ListNotices): Promise<readonly Notice[]> {
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

  private async recordOf(notice: Notice, { caller }: Call): Promise<NoticeRecord> {
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

/** Of what was taken away: to others than who did it or approved it, if they may see such records. */
function isNewsTo(notice: Notice, caller: Caller | undefined): boolean {
  if (!isTaken(notice)) return true;
  const { by, approvedBy } = notice.taking;
  return maySee(caller, notice.target.kind) && ![by.id, approvedBy?.id].includes(caller?.id);
}

@CommandHandler(UndoNotice)
export class UndoNoticeHandler {
  constructor(
    private readonly reads: Reads,
    private readonly targets: ChangeTargets,
    private readonly clock: Clock,
    private readonly taken: TakenAway,
  ) {}

  async execute(input: UndoNotice): Promise<{ success: true }> {
    const call = callOf(input);
    const notice = await noticeOf(this.reads, call.workspaceId, input.id);
    const { id, target, expiresAt, undoneAt } = notice;
    if (isTaken(notice) && !maySee(call.caller, target.kind)) refuse('notice-not-found');
    if (undoneAt !== null && !call.repeatable) refuse('undo-unavailable', { why: 'it was undone already' });
    if (Date.parse(expiresAt) <= this.clock.now()) refuse('undo-unavailable', { why: 'its time is over' });
    if (isTaken(notice)) await this.taken.undo({ ...call, caller: call.caller ?? refuse('notice-not-found') }, notice);
    else await this.targets.undo(call, target, id);
    return { success: true };
  }
}

async function noticeOf(reads: Reads, workspaceId: string, id: string): Promise<Notice> {
  return (await reads.get<Notice>(workspaceId, 'notices', id)) ?? refuse('notice-not-found');
}

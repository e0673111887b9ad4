import { CommandHandler, QueryHandler } from '@nestjs/cqrs';
import { ChangeTargets } from '../../../engine/change-targets.js';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { newestFirst } from '../../../engine/record-operations.js';
import { RecordScopes } from '../../../engine/record-scopes.js';
import { refuse } from '../../../kernel/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { ListNotices, type NoticeRecord, UndoNotice } from './notice.operations.js';
import type { Notice } from './notice.record.js';

@QueryHandler(ListNotices)
export class ListNoticesHandler {
  constructor(
    private readonly reads: Reads,
    private readonly targets: ChangeTargets,
    private readonly clock: Clock,
    private readonly scopes: RecordScopes,
  ) {}

  async execute(input: ListNotices): Promise<{ notices: readonly NoticeRecord[] }> {
    const call = callOf(input);
    const { workspaceId } = call;
    const isOpen = this.scopes.judge(call);
    const missing = () => refuse('notice-not-found');
    const where = input.kind === undefined ? {} : { kind: input.kind };
    const by = 'createdAt';
    const found = await newestFirst<Notice>(this.reads, workspaceId, 'notices', input, { where, by, missing });
    const verdicts = await Promise.all(found.map(({ target }) => isOpen(target)));
    const open = found.filter((_, index) => verdicts[index]);
    return { notices: await Promise.all(open.map((notice) => this.recordOf(notice))) };
  }

  private async recordOf(notice: Notice): Promise<NoticeRecord> {
    const { id, workspaceId, kind, summary, target, createdAt, expiresAt } = notice;
    const open = notice.undoneAt === null && Date.parse(expiresAt) > this.clock.now();
    const available = open && (await this.targets.isAvailable(workspaceId, target, id));
    return { id, kind, summary, target, createdAt, undo: { available, expiresAt } };
  }
}

@CommandHandler(UndoNotice)
export class UndoNoticeHandler {
  constructor(
    private readonly reads: Reads,
    private readonly targets: ChangeTargets,
    private readonly clock: Clock,
  ) {}

  async execute(input: UndoNotice): Promise<{ success: true }> {
    const call = callOf(input);
    const { id, target, expiresAt, undoneAt } = await noticeOf(this.reads, call.workspaceId, input.id);
    if (undoneAt !== null && !call.repeatable) refuse('undo-unavailable', { why: 'it was undone already' });
    if (Date.parse(expiresAt) <= this.clock.now()) refuse('undo-unavailable', { why: 'its time is over' });
    await this.targets.undo(call, target, id);
    return { success: true };
  }
}

async function noticeOf(reads: Reads, workspaceId: string, id: string): Promise<Notice> {
  return (await reads.get<Notice>(workspaceId, 'notices', id)) ?? refuse('notice-not-found');
}

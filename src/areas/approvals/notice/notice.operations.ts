import { ChangeTargets } from '../../../engine/approvals/change-targets.js';
import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Clock } from '../../../ports/clock.port.js';
import { maySee } from '../../audit/audit-visibility.api.js';
import { takesAwayByCode } from '../../functions/function/rights/taking-code.api.js';
import { refuse } from '../approvals.refusals.js';
import { type Notice, noticeKinds } from './notice.record.js';
import { NoticeRecord } from './notice-answers.api.js';
import { NoticeList } from './notice-list.js';
import { isTaken, TakenAway } from './taken-away.js';

const declared = { source: 'Supplementary, approvals', group: 'notices', tools: 'never' } as const;
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;

export const noticeOperations = [
  query('approvals/listNotices', {
    ...declared,
    summary:
      'Lists notices of failures, of deletions and of changes that were made without a pending change, newest first. Your own deletions are not included.',
    permission: 'functions.read',
    answers: { fields: { notices: { type: 'array', items: () => NoticeRecord } } },
    input: {
      kind: { type: 'string', enum: noticeKinds, optional: true, description: 'Default: both kinds.' },
      limit: { type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 },
      before: { ...id, optional: true, description: 'Id of a notice. Only older ones are returned.' },
    },
    inject: [NoticeList],
    handle: async (asked, call, list) => ({ notices: await list.page(call, asked) }),
  }),
  command('approvals/undoNotice', {
    ...declared,
    summary: 'Undoes the change or deletion of a notice, if the record has not changed since.',
    permission: 'functions.edit',
    callers: ['person'],
    takesAway: takesAwayByCode,
    answers: success,
    input: { id },
    inject: [Reads, ChangeTargets, Clock, TakenAway],
    handle: async ({ id }, call, reads, targets, clock, taken) => {
      const { workspaceId, caller, repeatable } = call;
      const notice = (await reads.get<Notice>(workspaceId, 'notices', id)) ?? refuse('notice-not-found');
      const { target, expiresAt, undoneAt } = notice;
      if (isTaken(notice) && !maySee(caller, target.kind)) refuse('notice-not-found');
      if (undoneAt !== null && !repeatable) refuse('undo-unavailable', { why: 'it was already undone' });
      if (Date.parse(expiresAt) <= clock.now()) refuse('undo-unavailable', { why: 'it has expired' });
      if (isTaken(notice)) await taken.undo({ ...call, caller: caller ?? refuse('notice-not-found') }, notice);
      else await targets.undo(call, target, id);
      return { success: true };
    },
  }),
];

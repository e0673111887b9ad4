import { ChangeTargets } from '../../../engine/approvals/change-targets.js';
import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Clock } from '../../../ports/clock.port.js';
import { maySee } from '../../audit/audit-visibility.api.js';
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
      'Lists what was done at once, and whether it can be undone, and failures; newest first. Not what you deleted yourself.',
    permission: 'functions.read',
    answers: { fields: { notices: { type: 'array', items: () => NoticeRecord } } },
    input: {
      kind: { type: 'string', enum: noticeKinds, optional: true, description: 'Left out: both.' },
      limit: { type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 },
      before: { ...id, optional: true, description: 'The id of the oldest one already held.' },
    },
    inject: [NoticeList],
    handle: async (asked, call, list) => ({ notices: await list.page(call, asked) }),
  }),
  command('approvals/undoNotice', {
    ...declared,
    summary: 'Gives back what was taken away, while nothing else has changed.',
    permission: 'functions.edit',
    callers: ['person'],
    answers: success,
    input: { id },
    inject: [Reads, ChangeTargets, Clock, TakenAway],
    handle: async ({ id }, call, reads, targets, clock, taken) => {
      const { workspaceId, caller, repeatable } = call;
      const notice = (await reads.get<Notice>(workspaceId, 'notices', id)) ?? refuse('notice-not-found');
      const { target, expiresAt, undoneAt } = notice;
      if (isTaken(notice) && !maySee(caller, target.kind)) refuse('notice-not-found');
      if (undoneAt !== null && !repeatable) refuse('undo-unavailable', { why: 'it was undone already' });
      if (Date.parse(expiresAt) <= clock.now()) refuse('undo-unavailable', { why: 'its time is over' });
      if (isTaken(notice)) await taken.undo({ ...call, caller: caller ?? refuse('notice-not-found') }, notice);
      else await targets.undo(call, target, id);
      return { success: true };
    },
  }),
];

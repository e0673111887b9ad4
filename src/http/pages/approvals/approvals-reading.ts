import { Injectable } from '@nestjs/common';
import type { NoticeRecord } from '../../../areas/approvals/notice/notice-answers.api.js';
import { AskingAgain } from '../../../areas/approvals/pending-change/asking-again.api.js';
import { CardApproval } from '../../../areas/approvals/pending-change/card-approval.api.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { PersonsCalls } from '../persons-calls.js';
import type { CardView, ShownCard } from './card-page.js';
import type { Decided } from './decided-page.js';
import type { InboxCard } from './inbox-cards.js';
import type { Inbox } from './inbox-page.js';

const cardsAtOnce = 50;
const noticesAtOnce = 10;

type Cards = { readonly pendingChanges: readonly InboxCard[]; readonly next: string | null };
type Notices = { readonly notices: readonly NoticeRecord[] };

@Injectable()
export class ApprovalsReading {
  constructor(
    private readonly calls: PersonsCalls,
    private readonly approval: CardApproval,
    private readonly asking: AskingAgain,
  ) {}

  async workspaceName(caller: Caller): Promise<string> {
    return (await this.calls.call<{ readonly name: string }>(caller, 'workspace/getWorkspace')).body.name;
  }

  async inbox(caller: Caller, before: string | undefined): Promise<Inbox> {
    const [cards, changes, failures] = [
      await this.cards(caller, 'pending', before),
      await this.notices(caller, 'change'),
      await this.notices(caller, 'failure'),
    ];
    const mayUndo = (await this.calls.whyNot(caller, 'approvals/undoNotice')) === undefined;
    return { ...cards, changes, failures, mayUndo };
  }

  decided(caller: Caller, before: string | undefined): Promise<Decided> {
    return this.cards(caller, 'decided', before);
  }

  async card(caller: Caller, id: string): Promise<Omit<CardView, 'whole'>> {
    const { body: card } = await this.calls.call<ShownCard>(caller, 'approvals/getPendingChange', { id });
    switch (card.status) {
      case 'pending':
        return { card, decision: await this.decisionOn(caller, id) };
      case 'failed':
      case 'expired':
        return { card, askingAgain: { mayNot: await this.mayNotAskAgain(caller, id) } };
      case 'applied':
      case 'rejected':
      case 'replaced':
        return { card };
    }
  }

  private async decisionOn(caller: Caller, id: string): Promise<NonNullable<CardView['decision']>> {
    const { calls, approval } = this;
    const change = await approval.find(caller.workspaceId, id);
    const mayApprove = () => approval.mustBeApprovable(caller, change);
    const mayReject = () => approval.mustBeRejectable(caller, change);
    return {
      isApproved: change.status === 'approved',
      mayNotApprove: await calls.whyNot(caller, 'approvals/approvePendingChange', mayApprove),
      mayNotReject: await calls.whyNot(caller, 'approvals/rejectPendingChange', mayReject),
    };
  }

  private mayNotAskAgain(caller: Caller, id: string): Promise<string | undefined> {
    return this.calls.whyNot(caller, 'approvals/askAgain', () => this.asking.mustBeAskable(caller, id));
  }

  private async cards(caller: Caller, status: 'pending' | 'decided', before: string | undefined) {
    const page = { status, limit: cardsAtOnce, ...(before === undefined ? {} : { before }) };
    const { body, ageSeconds } = await this.calls.call<Cards>(caller, 'approvals/listPendingChanges', page);
    return { cards: body.pendingChanges, more: body.next !== null, ageSeconds };
  }

  private async notices(caller: Caller, kind: NoticeRecord['kind']): Promise<readonly NoticeRecord[]> {
    const input = { kind, limit: noticesAtOnce };
    return (await this.calls.call<Notices>(caller, 'approvals/listNotices', input)).body.notices;
  }
}

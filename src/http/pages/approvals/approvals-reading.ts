import { Injectable } from '@nestjs/common';
import type { NoticeRecord } from '../../../areas/approvals/notice/notice-answers.api.js';
import { mayDecide, mustBeAnother, mustBeVoid } from '../../../areas/approvals/pending-change/deciders.api.js';
import type { SettingsRecord } from '../../../areas/workspace/workspace/workspace.operations.js';
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
  constructor(private readonly calls: PersonsCalls) {}

  async workspaceName(caller: Caller): Promise<string> {
    return (await this.calls.call<{ readonly name: string }>(caller, 'workspace/getWorkspace')).body.name;
  }

  async inbox(caller: Caller, before: string | undefined): Promise<Inbox> {
    const [cards, changes, failures] = [
      await this.cards(caller, 'pending', before),
      await this.notices(caller, 'change'),
      await this.notices(caller, 'failure'),
    ];
    const mayUndo = this.calls.whyNot(caller, 'approvals/undoNotice') === undefined;
    return { ...cards, changes, failures, mayUndo };
  }

  decided(caller: Caller, before: string | undefined): Promise<Decided> {
    return this.cards(caller, 'decided', before);
  }

  async card(caller: Caller, id: string): Promise<Omit<CardView, 'whole'>> {
    const { body: card } = await this.calls.call<ShownCard>(caller, 'approvals/getPendingChange', { id });
    const { body: settings } = await this.calls.call<SettingsRecord>(caller, 'workspace/getSettings');
    return {
      card,
      mayAskAgain: this.calls.whyNot(caller, 'approvals/askAgain', () => mustBeVoid(card)) === undefined,
      mayNotReject: this.calls.whyNot(caller, 'approvals/rejectPendingChange', () => mayDecide(card, caller)),
      mayNotApprove: this.calls.whyNot(caller, 'approvals/approvePendingChange', () => {
        mayDecide(card, caller);
        if (settings.fourEyes) mustBeAnother(card, caller);
      }),
    };
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

import { Injectable } from '@nestjs/common';
import type { NoticeRecord } from '../../../areas/approvals/notice/notice.operations.js';
import { mayDecide, mustBeAnother, mustBeVoid } from '../../../areas/approvals/pending-change/deciders.api.js';
import type { SettingsRecord } from '../../../areas/workspace/workspace/workspace.operations.js';
import type { PendingChangeCard } from '../../../engine/pending-changes.js';
import type { Caller } from '../../../kernel/caller.js';
import { PersonsCalls } from '../persons-calls.js';
import type { CardView } from './card-page.js';
import type { Inbox } from './inbox-page.js';

const cardsAtOnce = 50;
const noticesAtOnce = 10;

type Cards = { readonly pendingChanges: readonly PendingChangeCard[]; readonly next: string | null };

/** What the pages show of cards and notices. */
@Injectable()
export class ApprovalsReading {
  constructor(private readonly calls: PersonsCalls) {}

  async workspaceName(caller: Caller): Promise<string> {
    return (await this.calls.ask<{ readonly name: string }>(caller, 'workspace/getWorkspace')).body.name;
  }

  async inbox(caller: Caller, before: string | undefined): Promise<Inbox> {
    const page = { limit: cardsAtOnce, ...(before === undefined ? {} : { before }) };
    const cards = await this.calls.ask<Cards>(caller, 'approvals/listPendingChanges', page);
    const { notices } = (
      await this.calls.ask<{ readonly notices: readonly NoticeRecord[] }>(caller, 'approvals/listNotices', {
        limit: noticesAtOnce,
      })
    ).body;
    const { pendingChanges, next } = cards.body;
    return {
      cards: pendingChanges,
      more: next !== null,
      notices,
      mayUndo: this.calls.whyNot(caller, 'approvals/undoNotice') === undefined,
      ageSeconds: cards.ageSeconds,
    };
  }

  async card(caller: Caller, id: string): Promise<Omit<CardView, 'whole'>> {
    const { body: card } = await this.calls.ask<PendingChangeCard>(caller, 'approvals/getPendingChange', { id });
    const { body: settings } = await this.calls.ask<SettingsRecord>(caller, 'workspace/getSettings');
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
}

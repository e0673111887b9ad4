import { AskFirst } from '../../engine/approvals/ask-first.js';
import { Gate } from '../../engine/approvals/gate.js';
import { PendingChanges } from '../../engine/approvals/pending-changes.js';
import { type Slice, slice } from '../../engine/records/slice.js';
import { noticeOperations } from './notice/notice.operations.js';
import { NoticeList } from './notice/notice-list.js';
import { TakenAway } from './notice/taken-away.js';
import { ApprovedChanges } from './pending-change/approved-changes.api.js';
import { AskingAgain } from './pending-change/asking-again.api.js';
import { CardApproval } from './pending-change/card-approval.api.js';
import { CardContexts } from './pending-change/card-contexts.js';
import { CardEvents } from './pending-change/card-events.js';
import { CardFeed } from './pending-change/card-feed.api.js';
import { CardList } from './pending-change/card-list.js';
import { CardRisks } from './pending-change/card-risks.js';
import { cardExpiry } from './pending-change/expiry.js';
import { PendingCalls } from './pending-change/pending-calls.api.js';
import { pendingChangeOperations } from './pending-change/pending-change.operations.js';
import { pendingChanges } from './pending-change/pending-change.record.js';
import { ProposedChanges } from './pending-change/proposed-changes.api.js';
import { ShownCards } from './pending-change/shown-cards.js';
import { CardStarts } from './pending-change/target-starts.js';

export const approvalsSlices: readonly Slice[] = [
  slice(pendingChanges, [...pendingChangeOperations, CardList, CardApproval, AskingAgain]),
  ...noticeOperations,
  NoticeList,
  TakenAway,
  ApprovedChanges,
  PendingCalls,
  ProposedChanges,
  cardExpiry,
  CardEvents,
  ShownCards,
  CardContexts,
  CardRisks,
  CardStarts,
  CardFeed,
  Gate,
  AskFirst,
  { provide: PendingChanges, useExisting: ProposedChanges },
];

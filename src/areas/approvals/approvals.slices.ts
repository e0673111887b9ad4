import { AskFirst } from '../../engine/approvals/ask-first.js';
import { Gate } from '../../engine/approvals/gate.js';
import { PendingChanges } from '../../engine/approvals/pending-changes.js';
import { type Slice, slice } from '../../engine/records/slice.js';
import { ListNoticesHandler, UndoNoticeHandler } from './notice/notice.handler.js';
import { TakenAway } from './notice/taken-away.js';
import { ApprovedChanges } from './pending-change/approved-changes.api.js';
import { AskAgainHandler } from './pending-change/ask-again.handler.js';
import { AskedCalls } from './pending-change/asked-calls.api.js';
import { CardContexts } from './pending-change/card-contexts.js';
import { CardEvents } from './pending-change/card-events.js';
import { CardFeed } from './pending-change/card-feed.api.js';
import { CardRisks } from './pending-change/card-risks.js';
import {
  ApprovePendingChangeHandler,
  RejectPendingChangeHandler,
} from './pending-change/decide-pending-change.handler.js';
import { cardExpiry } from './pending-change/expiry.js';
import { GetPendingChangeHandler, ListPendingChangesHandler } from './pending-change/list-pending-changes.handler.js';
import { pendingChanges } from './pending-change/pending-change.record.js';
import { ProposedChanges } from './pending-change/proposed-changes.api.js';
import { ShownCards } from './pending-change/shown-cards.js';
import { TargetStarts } from './pending-change/target-starts.js';

/** Changes that wait for a person's approval, and notices of changes made at once. */
export const approvalsSlices: readonly Slice[] = [
  slice(pendingChanges, [
    ListPendingChangesHandler,
    GetPendingChangeHandler,
    ApprovePendingChangeHandler,
    RejectPendingChangeHandler,
    AskAgainHandler,
  ]),
  ListNoticesHandler,
  UndoNoticeHandler,
  TakenAway,
  ApprovedChanges,
  AskedCalls,
  ProposedChanges,
  cardExpiry,
  CardEvents,
  ShownCards,
  CardContexts,
  CardRisks,
  TargetStarts,
  CardFeed,
  Gate,
  AskFirst,
  { provide: PendingChanges, useExisting: ProposedChanges },
];

import { setImmediate } from 'node:timers/promises';
import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { AnswerPage, stride } from '../../../engine/records/answer-page.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { RecordScopes } from '../../../engine/scopes/record-scopes.js';
import type { Where } from '../../../kernel/record/projection.js';
import { Clock } from '../../../ports/clock.port.js';
import { AskedCalls } from './asked-calls.api.js';
import { CardContexts } from './card-contexts.js';
import { CardRisks } from './card-risks.js';
import { GetPendingChange, type ListedCard, ListPendingChanges, type WholeCard } from './pending-change.operations.js';
import { type PendingChange, pendingChanges } from './pending-change.record.js';
import { ShownCards } from './shown-cards.js';

interface Listed {
  readonly pendingChanges: readonly ListedCard[];
  readonly next: string | null;
}

@QueryHandler(ListPendingChanges)
export class ListPendingChangesHandler {
  constructor(
    private readonly reads: Reads,
    private readonly clock: Clock,
    private readonly cards: ShownCards,
    private readonly scopes: RecordScopes,
    private readonly risks: CardRisks,
  ) {}

  /** A card may hold two versions of code, so cards are read in small batches and a page ends at about a megabyte. */
  async execute(input: ListPendingChanges): Promise<Listed> {
    const call = callOf(input);
    const { workspaceId } = call;
    const isOpen = this.scopes.judge(call);
    const risksOf = this.risks.judge(workspaceId);
    const { status = 'pending', targetId, limit = 50, before } = input;
    const now = this.clock.now();
    const where = { ...whereOf(status, new Date(now).toISOString()), ...(targetId === undefined ? {} : { targetId }) };
    const page = new AnswerPage<ListedCard>(limit);
    let oldest = before === undefined ? undefined : await this.found(workspaceId, before);
    for (;;) {
      const found: readonly PendingChange[] = await this.reads.find<PendingChange>(workspaceId, 'pendingChanges', {
        where,
        sort: [['createdAt', 'desc']],
        limit: stride,
        ...(oldest === undefined ? {} : { after: [oldest.createdAt, oldest.id] }),
      });
      for (const change of found) {
        if (await isOpen(change.target)) {
          const card = await this.cards.card(change, now);
          const isAdded = page.add({ ...card, risks: await risksOf(card) });
          if (!isAdded) return { pendingChanges: page.items, next: oldest?.id ?? null };
        }
        oldest = change;
      }
      if (found.length < stride) return { pendingChanges: page.items, next: null };
      await setImmediate();
    }
  }

  private async found(workspaceId: string, id: string): Promise<PendingChange> {
    return (await this.reads.get<PendingChange>(workspaceId, 'pendingChanges', id)) ?? pendingChanges.missing();
  }
}

/** A card past its time is no longer pending, even before its expiry is recorded. */
function whereOf(status: NonNullable<ListPendingChanges['status']>, now: string): Where {
  switch (status) {
    case 'all':
      return {};
    case 'pending':
      return { status: { in: ['pending', 'approved'] }, expiresAt: { gt: now } };
    case 'decided':
      return { status: { in: ['applied', 'rejected', 'expired', 'replaced', 'failed'] } };
    case 'applied':
    case 'rejected':
    case 'expired':
    case 'replaced':
    case 'failed':
      return { status };
  }
}

@QueryHandler(GetPendingChange)
export class GetPendingChangeHandler {
  constructor(
    private readonly reads: Reads,
    private readonly cards: ShownCards,
    private readonly scopes: RecordScopes,
    private readonly asked: AskedCalls,
    private readonly contexts: CardContexts,
    private readonly risks: CardRisks,
  ) {}

  async execute(input: GetPendingChange): Promise<WholeCard> {
    const call = callOf(input);
    const found = await this.reads.get<PendingChange>(call.workspaceId, 'pendingChanges', input.id);
    const change = found ?? pendingChanges.missing();
    await this.scopes.mustBeOpen(call, change.target);
    const waiting = await this.asked.callOf(change, call.caller);
    const card = await this.cards.card(change);
    const context = card.status === 'pending' ? { context: await this.contexts.of(call, change, card) } : {};
    const risks = await this.risks.judge(call.workspaceId)(card);
    return { ...card, risks, ...(waiting === undefined ? {} : { call: waiting }), ...context };
  }
}

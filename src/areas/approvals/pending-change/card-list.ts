import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { AnswerPage, stride } from '../../../engine/records/answer-page.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { RecordScopes } from '../../../engine/scopes/record-scopes.js';
import type { Where } from '../../../kernel/record/projection.js';
import { Clock } from '../../../ports/clock.port.js';
import { endings, type ListedCard } from './card-answers.api.js';
import { CardRisks } from './card-risks.js';
import { type PendingChange, pendingChanges } from './pending-change.record.js';
import { ShownCards } from './shown-cards.js';

/** `decided` selects all cards that are neither pending nor approved. */
export const listedStatuses = ['pending', ...endings, 'decided', 'all'] as const;
type ListedStatus = (typeof listedStatuses)[number];

interface CardQuery {
  readonly status?: ListedStatus;
  readonly targetId?: string;
  readonly limit?: number;
  readonly before?: string;
}

interface Listed {
  readonly pendingChanges: readonly ListedCard[];
  readonly next: string | null;
}

@Injectable()
export class CardList {
  constructor(
    private readonly reads: Reads,
    private readonly clock: Clock,
    private readonly cards: ShownCards,
    private readonly scopes: RecordScopes,
    private readonly risks: CardRisks,
  ) {}

  /**
   * Lists the newest cards first. A page ends at about a megabyte, because a card can contain two versions of a
   * function's code.
   */
  async page(call: OperationContext, { status = 'pending', targetId, limit = 50, before }: CardQuery): Promise<Listed> {
    const { workspaceId } = call;
    const isOpen = this.scopes.judge(call);
    const risksOf = this.risks.judge(workspaceId);
    const now = this.clock.now();
    const where = { ...whereOf(status, new Date(now).toISOString()), ...(targetId === undefined ? {} : { targetId }) };
    const page = new AnswerPage<ListedCard>(limit);
    let oldest = before === undefined ? undefined : await this.cardOf(workspaceId, before);
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

  private async cardOf(workspaceId: string, id: string): Promise<PendingChange> {
    return (await this.reads.get<PendingChange>(workspaceId, 'pendingChanges', id)) ?? pendingChanges.missing();
  }
}

/** An expired card is not listed as pending, even if its expiry has not been recorded. */
function whereOf(status: ListedStatus, now: string): Where {
  switch (status) {
    case 'all':
      return {};
    case 'pending':
      return { status: { in: ['pending', 'approved'] }, expiresAt: { gt: now } };
    case 'decided':
      return { status: { in: endings } };
    case 'applied':
    case 'rejected':
    case 'expired':
    case 'replaced':
    case 'failed':
      return { status };
  }
}

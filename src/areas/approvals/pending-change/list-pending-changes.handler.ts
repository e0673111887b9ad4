import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import type { PendingChangeCard } from '../../../engine/pending-changes.js';
import { Reads } from '../../../engine/reads.js';
import type { Where } from '../../../kernel/projection.js';
import { Clock } from '../../../ports/clock.port.js';
import { cardOf } from './card.js';
import { type PendingChange, pendingChanges } from './pending-change.events.js';
import { GetPendingChange, ListPendingChanges } from './pending-change.operations.js';

@QueryHandler(ListPendingChanges)
export class ListPendingChangesHandler {
  constructor(
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {}

  async execute(input: ListPendingChanges): Promise<{ pendingChanges: readonly PendingChangeCard[] }> {
    const { workspaceId } = callOf(input);
    const { status = 'pending', targetId, limit = 50, before } = input;
    const now = new Date(this.clock.now()).toISOString();
    const oldest = before === undefined ? undefined : await this.found(workspaceId, before);
    const found = await this.reads.find<PendingChange>(workspaceId, 'pendingChanges', {
      where: { ...whereOf(status, now), ...(targetId === undefined ? {} : { targetId }) },
      sort: [['createdAt', 'desc']],
      limit,
      ...(oldest === undefined ? {} : { after: [oldest.createdAt, oldest.id] }),
    });
    return { pendingChanges: found.map((change) => cardOf(change, this.clock.now())) };
  }

  private async found(workspaceId: string, id: string): Promise<PendingChange> {
    return (await this.reads.get<PendingChange>(workspaceId, 'pendingChanges', id)) ?? pendingChanges.missing();
  }
}

/** One that is past its time and not yet recorded so is no longer pending. */
function whereOf(status: NonNullable<ListPendingChanges['status']>, now: string): Where {
  switch (status) {
    case 'all':
      return {};
    case 'pending':
      return { status: { in: ['pending', 'approved'] }, expiresAt: { gt: now } };
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
    private readonly clock: Clock,
  ) {}

  async execute(input: GetPendingChange): Promise<PendingChangeCard> {
    const { workspaceId } = callOf(input);
    const change = await this.reads.get<PendingChange>(workspaceId, 'pendingChanges', input.id);
    return cardOf(change ?? pendingChanges.missing(), this.clock.now());
  }
}

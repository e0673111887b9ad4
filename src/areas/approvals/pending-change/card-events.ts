import { Injectable, Logger } from '@nestjs/common';
import type { Recorded, RecordedEvent } from '../../../kernel/event/event.js';
import { UnreadableEvent } from '../../../kernel/event/unreadable-event.js';
import { fold } from '../../../kernel/record/aggregate.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { type PendingChange, type PendingChangeEvent, pendingChanges } from './pending-change.record.js';
import { ShownCards } from './shown-cards.js';

export interface CardEvent {
  readonly position: number;
  readonly workspaceId: string;
  readonly type: string;
  readonly target: PendingChange['target'];
  /** The card as it was after this event, as JSON, even if the event is sent much later. */
  readonly card: string;
}

/** `null` means that the event is not sent: an approval is followed at once by the result of applying the change. */
const sentTypes: Readonly<Record<PendingChangeEvent['type'], string | null>> = {
  PendingChangeProposed: 'pending-change.proposed',
  PendingChangeApproved: null,
  PendingChangeApplied: 'pending-change.applied',
  PendingChangeFailed: 'pending-change.failed',
  PendingChangeRejected: 'pending-change.rejected',
  PendingChangeExpired: 'pending-change.expired',
  PendingChangeReplaced: 'pending-change.replaced',
};

@Injectable()
export class CardEvents {
  private readonly log = new Logger('Approvals');

  constructor(
    private readonly events: EventStore,
    private readonly cards: ShownCards,
  ) {}

  async of(events: readonly RecordedEvent[]): Promise<readonly CardEvent[]> {
    const cards: CardEvent[] = [];
    for (const event of events) {
      const card = await this.cardEventOf(event as unknown as Recorded<PendingChangeEvent>).catch((error: unknown) =>
        this.skip(event, error),
      );
      if (card !== undefined) cards.push(card);
    }
    return cards;
  }

  private skip({ type, stream, position }: RecordedEvent, error: unknown): undefined {
    if (!(error instanceof UnreadableEvent)) throw error;
    this.log.error(`${type} of ${stream} at ${position} cannot be sent to subscribers. ${error.message}`);
  }

  private async cardEventOf(event: Recorded<PendingChangeEvent>): Promise<CardEvent | undefined> {
    const type = sentTypes[event.type];
    if (type === null) return undefined;
    const change = pendingChanges.begin(event) ?? (await this.stateAfter(event));
    if (change === undefined) return undefined;
    const card = JSON.stringify(await this.cards.card(change, Date.parse(event.metadata.at)));
    const { workspaceId, target } = change;
    return { position: event.position, workspaceId, type, target, card };
  }

  private async stateAfter({ stream, revision }: Recorded<PendingChangeEvent>) {
    const all = (await this.events.readStream(stream)) as unknown as readonly Recorded<PendingChangeEvent>[];
    const until = all.filter((event) => event.revision <= revision);
    return fold(pendingChanges, pendingChanges.initial, until);
  }
}

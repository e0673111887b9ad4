import { Injectable, Logger } from '@nestjs/common';
import type { Recorded, RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import { UnreadableEvent } from '../../../kernel/event/unreadable-event.js';
import { fold } from '../../../kernel/record/aggregate.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { type PendingChangeEvent, pendingChanges } from './pending-change.record.js';
import { ShownCards } from './shown-cards.js';

/** A change of a card, as sent to those who follow a workspace's cards. */
export interface CardEvent {
  readonly position: number;
  readonly workspaceId: string;
  readonly type: string;
  /** The card after this event, as JSON. It is the same however late the event is delivered. */
  readonly card: string;
}

/** The approval itself is not sent, because its result follows at once. */
const told: Readonly<Record<PendingChangeEvent['type'], string | null>> = {
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

  /** In log order. Events that nobody is told about are left out. */
  async of(events: readonly RecordedEvent[]): Promise<readonly CardEvent[]> {
    const cards: CardEvent[] = [];
    for (const event of events) {
      const card = await this.toldOf(event as unknown as Recorded<PendingChangeEvent>).catch((error: unknown) =>
        this.passOver(event, error),
      );
      if (card !== undefined) cards.push(card);
    }
    return cards;
  }

  /** One card that cannot be read keeps nobody from hearing of the others. */
  private passOver({ type, stream, position }: RecordedEvent, error: unknown): undefined {
    if (!(error instanceof UnreadableEvent)) throw error;
    this.log.error(`Nobody is told of ${type} of ${stream} at ${position}. ${error.message}`);
  }

  private async toldOf(event: Recorded<PendingChangeEvent>): Promise<CardEvent | undefined> {
    const type = told[event.type];
    if (type === null) return undefined;
    const change = pendingChanges.begin(event) ?? (await this.after(event));
    if (change === undefined) return undefined;
    const card = JSON.stringify(await this.cards.card(change, Date.parse(event.metadata.at)));
    return { position: event.position, workspaceId: parseStream(event.stream).workspaceId, type, card };
  }

  private async after({ stream, revision }: Recorded<PendingChangeEvent>) {
    const all = (await this.events.readStream(stream)) as unknown as readonly Recorded<PendingChangeEvent>[];
    const until = all.filter((event) => event.revision <= revision);
    return fold(pendingChanges, pendingChanges.initial, until);
  }
}

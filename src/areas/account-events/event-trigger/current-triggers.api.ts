import { Injectable } from '@nestjs/common';
import { PerTrial } from '../../../engine/dry-run/trial.js';
import { EventStore } from '../../../ports/event-store.port.js';
import type { AccountEventFacts } from '../account-event/account-event.record.js';
import { TriggerHistory } from './trigger-history.api.js';
import type { TriggerIndex } from './trigger-index.js';
import { TriggerSnapshot } from './trigger-snapshot.api.js';

/**
 * The current triggers, for answering calls. Reads the log from where it last stopped, so that it sees every answered
 * change, whichever process made it.
 */
@Injectable()
export class CurrentTriggers {
  /** A trial has its own: what it reads is not what others may wait for. */
  private readonly books: PerTrial<CurrentBook>;

  constructor(history: TriggerHistory, events: EventStore) {
    this.books = new PerTrial(() => new CurrentBook(history, events));
  }

  /** How many triggers this event fires. */
  async count(workspaceId: string, event: AccountEventFacts): Promise<number> {
    return (await this.of(workspaceId)).matching(event).length;
  }

  of(workspaceId: string): Promise<TriggerIndex> {
    return this.books.now.of(workspaceId);
  }
}

class CurrentBook {
  private readonly book: TriggerSnapshot;
  private upTo: number | undefined;
  private catchingUp: Promise<void> = Promise.resolve();
  /** A read that has not begun yet, so that it will see everything recorded by now. */
  private next: Promise<void> | undefined;

  constructor(
    private readonly history: TriggerHistory,
    private readonly events: EventStore,
  ) {
    this.book = new TriggerSnapshot(history);
  }

  async of(workspaceId: string): Promise<TriggerIndex> {
    await this.current();
    const loaded = this.catchingUp.then(() => this.book.of(workspaceId, this.upTo ?? -1));
    // Triggers are loaded as of one position, which must not move meanwhile.
    this.catchingUp = loaded.then(
      () => undefined,
      () => undefined,
    );
    return loaded;
  }

  private current(): Promise<void> {
    if (this.next !== undefined) return this.next;
    const look = this.catchingUp.then(() => {
      this.next = undefined;
      return this.catchUp();
    });
    this.next = look;
    this.catchingUp = look.catch(() => undefined);
    return look;
  }

  private async catchUp(): Promise<void> {
    const head = await this.events.head();
    if (this.upTo !== undefined && head > this.upTo) {
      const events = await this.history.after(this.upTo);
      for (const event of events) this.book.apply(event);
      this.upTo = Math.max(head, events.at(-1)?.position ?? -1);
    }
    this.upTo ??= head;
  }
}

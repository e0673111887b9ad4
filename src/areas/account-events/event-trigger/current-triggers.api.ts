import { Injectable } from '@nestjs/common';
import { PerDryRun } from '../../../engine/dry-run/dry-run.js';
import { EventStore } from '../../../ports/event-store.port.js';
import type { AccountEventFacts } from '../account-event/account-event.record.js';
import { TriggerHistory } from './trigger-history.api.js';
import type { TriggerIndex } from './trigger-index.js';
import { TriggerSnapshots } from './trigger-snapshots.api.js';

/** Each call first reads the log to its end, so it sees every change that any process has acknowledged. */
@Injectable()
export class CurrentTriggers {
  /** A dry run has its own reader, because it reads its own events as well. */
  private readonly readers: PerDryRun<LogOfTriggers>;

  constructor(
    private readonly snapshots: TriggerSnapshots,
    history: TriggerHistory,
    events: EventStore,
  ) {
    this.readers = new PerDryRun(() => new LogOfTriggers(snapshots, history, events));
  }

  async count(workspaceId: string, event: AccountEventFacts): Promise<number> {
    return (await this.triggersOf(workspaceId)).matching(event).length;
  }

  async triggersOf(workspaceId: string): Promise<TriggerIndex> {
    return this.snapshots.latest(workspaceId, await this.readers.now.end());
  }
}

class LogOfTriggers {
  private upTo: number | undefined;
  private catchingUp: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;

  constructor(
    private readonly snapshots: TriggerSnapshots,
    private readonly history: TriggerHistory,
    private readonly events: EventStore,
  ) {}

  async end(): Promise<number> {
    await this.current();
    return this.upTo ?? -1;
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
    if (this.upTo === undefined) {
      this.upTo = head;
      // The saga that fires triggers shares the snapshots and may be further behind in the log. Snapshots that it
      // loaded can lack events up to `head`, so they are discarded.
      this.snapshots.clear();
    } else if (head > this.upTo) {
      const events = await this.history.after(this.upTo);
      for (const event of events) this.snapshots.apply(event);
      this.upTo = Math.max(head, events.at(-1)?.position ?? -1);
    }
  }
}

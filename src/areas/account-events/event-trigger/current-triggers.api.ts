import { Injectable } from '@nestjs/common';
import { PerDryRun } from '../../../engine/dry-run/dry-run.js';
import { EventStore } from '../../../ports/event-store.port.js';
import type { AccountEventFacts } from '../account-event/account-event.record.js';
import { TriggerHistory } from './trigger-history.api.js';
import type { TriggerIndex } from './trigger-index.js';
import { TriggerSnapshot } from './trigger-snapshot.api.js';

/**
 * The present triggers, for answering calls. Reads the log from its last position, so it includes every acknowledged
 * change by any process.
 */
@Injectable()
export class CurrentTriggers {
  /** A dry run has its own snapshot, because its reads must not affect others. */
  private readonly snapshots: PerDryRun<FollowedSnapshot>;

  constructor(history: TriggerHistory, events: EventStore) {
    this.snapshots = new PerDryRun(() => new FollowedSnapshot(history, events));
  }

  /** Number of triggers that this event fires. */
  async count(workspaceId: string, event: AccountEventFacts): Promise<number> {
    return (await this.of(workspaceId)).matching(event).length;
  }

  of(workspaceId: string): Promise<TriggerIndex> {
    return this.snapshots.now.of(workspaceId);
  }
}

class FollowedSnapshot {
  private readonly snapshot: TriggerSnapshot;
  private upTo: number | undefined;
  private catchingUp: Promise<void> = Promise.resolve();
  /** A read that has not begun yet, so it will include everything recorded before it begins. */
  private next: Promise<void> | undefined;

  constructor(
    private readonly history: TriggerHistory,
    private readonly events: EventStore,
  ) {
    this.snapshot = new TriggerSnapshot(history);
  }

  async of(workspaceId: string): Promise<TriggerIndex> {
    await this.current();
    const loaded = this.catchingUp.then(() => this.snapshot.of(workspaceId, this.upTo ?? -1));
    // Triggers are loaded as of one position, which must not change during the load.
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
      for (const event of events) this.snapshot.apply(event);
      this.upTo = Math.max(head, events.at(-1)?.position ?? -1);
    }
    this.upTo ??= head;
  }
}

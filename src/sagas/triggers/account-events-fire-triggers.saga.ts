import { Injectable } from '@nestjs/common';
import {
  type AccountEventEvent,
  type AccountEventFacts,
  accountEvents,
} from '../../areas/account-events/account-event/account-event.record.js';
import { builtinsOn } from '../../areas/account-events/builtin/builtin.api.js';
import { BuiltinEventMapper } from '../../areas/account-events/builtin/builtin-event-mapper.api.js';
import { eventTriggers } from '../../areas/account-events/event-trigger/event-trigger.record.js';
import { TriggerSnapshots } from '../../areas/account-events/event-trigger/trigger-snapshots.api.js';
import { FanOut, type MatchedEvent } from '../../areas/account-events/trigger-run/fan-out.api.js';
import type { Saga } from '../../engine/sagas/saga.js';
import type { Recorded, RecordedEvent } from '../../kernel/event/event.js';

/**
 * Handles changes of triggers and account events in log order, so an event fires exactly the triggers that exist at its
 * position.
 */
@Injectable()
export class AccountEventsFireTriggers implements Saga {
  readonly name = 'account-events-fire-triggers';
  readonly reads = [...eventTriggers.types, ...accountEvents.types, ...builtinsOn.keys()];
  readonly skipsHistory = true;
  /**
   * Triggers that match an event, keyed by the event's position, until the event was handled successfully. They are
   * stored because the event may be delivered again, and triggers that were added after it must not match then.
   */
  private readonly matchedAt = new Map<number, MatchedEvent | undefined>();

  constructor(
    private readonly triggers: TriggerSnapshots,
    private readonly builtins: BuiltinEventMapper,
    private readonly fanOut: FanOut,
  ) {}

  begins(): void {
    this.triggers.clear();
    this.matchedAt.clear();
    this.fanOut.begins();
  }

  /**
   * Events with the same subject are handled in order. Account events do not depend on each other, so each is a subject
   * of its own.
   */
  subjectOf({ id }: RecordedEvent): string {
    return id;
  }

  async react(event: RecordedEvent): Promise<void> {
    await this.reactToAll([event]);
  }

  async reactToAll(events: readonly RecordedEvent[]): Promise<void> {
    const occurrences: MatchedEvent[] = [];
    for (const event of events) {
      const occurrence = await this.matchOf(event);
      if (occurrence !== undefined) occurrences.push(occurrence);
    }
    await this.fanOut.run(this.name, occurrences);
    for (const { position } of events) this.matchedAt.delete(position);
  }

  private async matchOf(event: RecordedEvent): Promise<MatchedEvent | undefined> {
    if (eventTriggers.types.some((type) => type === event.type)) {
      this.triggers.apply(event);
      return undefined;
    }
    if (this.matchedAt.has(event.position)) return this.matchedAt.get(event.position);
    const index = await this.triggers.asOf(event.metadata.workspaceId, event.position);
    const facts = await this.facts(event, (name) => index.asksFor(name));
    const matched = facts === undefined ? [] : index.matching(facts);
    const occurrence = facts === undefined || matched.length === 0 ? undefined : { event, facts, matched };
    this.matchedAt.set(event.position, occurrence);
    return occurrence;
  }

  private async facts(
    event: RecordedEvent,
    isAskedFor: (name: string) => boolean,
  ): Promise<AccountEventFacts | undefined> {
    if (event.type === 'AccountEventRecorded') {
      const { data } = event as unknown as Recorded<AccountEventEvent>;
      return isAskedFor(data.name) ? data : undefined;
    }
    const line = this.builtins.lineOf(event);
    return line !== undefined && isAskedFor(line.name) ? this.builtins.factsOf(event, line) : undefined;
  }
}

import { Injectable } from '@nestjs/common';
import {
  type AccountEventEvent,
  type AccountEventFacts,
  accountEvents,
} from '../areas/account-events/account-event/account-event.record.js';
import { builtinsOn } from '../areas/account-events/builtin/builtin.api.js';
import { BuiltinEventMapper } from '../areas/account-events/builtin/builtin-event-mapper.api.js';
import { eventTriggers } from '../areas/account-events/event-trigger/event-trigger.record.js';
import { TriggerHistory } from '../areas/account-events/event-trigger/trigger-history.api.js';
import { TriggerSnapshot } from '../areas/account-events/event-trigger/trigger-snapshot.api.js';
import { FanOut, type MatchedEvent } from '../areas/account-events/trigger-run/fan-out.api.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { Recorded, RecordedEvent } from '../kernel/event/event.js';

/**
 * Runs the triggers that match account events. It reads changes of triggers and the events they wait for in log order:
 * an event sees triggers added before it, and none removed before it.
 */
@Injectable()
export class AccountEventsFireTriggers implements Saga {
  readonly name = 'account-events-fire-triggers';
  readonly reads = [...eventTriggers.types, ...accountEvents.types, ...builtinsOn.keys()];
  private readonly book: TriggerSnapshot;
  /** The matches of events under way. If an event is delivered again, it must not match triggers added after it. */
  private readonly met = new Map<number, MatchedEvent | undefined>();

  constructor(
    history: TriggerHistory,
    private readonly occurrences: BuiltinEventMapper,
    private readonly fanOut: FanOut,
  ) {
    this.book = new TriggerSnapshot(history);
  }

  begins(): void {
    this.book.clear();
    this.met.clear();
    this.fanOut.begins();
  }

  /** Each account event fires its triggers whatever the others do. */
  subjectOf({ id }: RecordedEvent): string {
    return id;
  }

  async react(event: RecordedEvent): Promise<void> {
    await this.reactToAll([event]);
  }

  async reactToAll(events: readonly RecordedEvent[]): Promise<void> {
    const occurrences: MatchedEvent[] = [];
    for (const event of events) {
      const occurrence = await this.meet(event);
      if (occurrence !== undefined) occurrences.push(occurrence);
    }
    await this.fanOut.run(this.name, occurrences);
    for (const { position } of events) this.met.delete(position);
  }

  /** The account event in this recorded event, with the triggers it matches. Undefined when it has no effect. */
  private async meet(event: RecordedEvent): Promise<MatchedEvent | undefined> {
    if (eventTriggers.types.some((type) => type === event.type)) {
      this.book.apply(event);
      return undefined;
    }
    if (this.met.has(event.position)) return this.met.get(event.position);
    const index = await this.book.of(event.metadata.workspaceId, event.position);
    const facts = await this.facts(event, (name) => index.asksFor(name));
    const matched = facts === undefined ? [] : index.matching(facts);
    const occurrence = facts === undefined || matched.length === 0 ? undefined : { event, facts, matched };
    this.met.set(event.position, occurrence);
    return occurrence;
  }

  /** Undefined when no trigger asks for events of this name. Its subject is then not looked up. */
  private async facts(
    event: RecordedEvent,
    isAskedFor: (name: string) => boolean,
  ): Promise<AccountEventFacts | undefined> {
    if (event.type === 'AccountEventRecorded') {
      const { data } = event as unknown as Recorded<AccountEventEvent>;
      return isAskedFor(data.name) ? data : undefined;
    }
    const line = this.occurrences.lineOf(event);
    return line !== undefined && isAskedFor(line.name) ? this.occurrences.factsOf(event, line) : undefined;
  }
}

import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import type { TargetStart } from '../../../engine/scopes/targets.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { type Appended, EventStore } from '../../../ports/event-store.port.js';
import { type AccountEventFacts, sourceOf } from '../account-event/account-event.record.js';
import { type EventTrigger, targetKindFor } from '../event-trigger/event-trigger.record.js';
import { runEndOf } from './run-ends.api.js';
import { TargetAvailability } from './target-availability.js';
import { FiredStarts, type NotStarted } from './target-starts.js';
import { TriggerChains } from './trigger-chains.js';
import { type ChainPosition, depthAfter, fire } from './trigger-run.js';
import { type FiredEvent, type TriggerRunEvent, triggerRunId } from './trigger-run.record.js';
import { type TriggerJournalEntry, TriggerRunJournal } from './trigger-run-journal.api.js';

export interface MatchedEvent {
  readonly event: RecordedEvent;
  readonly facts: AccountEventFacts;
  readonly matched: readonly EventTrigger[];
}

/**
 * For each event, records the runs to start before it starts any. After a crash, it repeats the recorded starts under
 * the same ids.
 */
@Injectable()
export class FanOut {
  private since = -1;
  private isKnown = false;

  constructor(
    private readonly journal: TriggerRunJournal,
    private readonly chains: TriggerChains,
    private readonly availability: TargetAvailability,
    private readonly starts: FiredStarts,
    private readonly store: EventStore,
    private readonly environment: Environment,
    private readonly personal: PersonalData,
  ) {}

  /**
   * Must be called when this process takes over the saga that fires triggers, because another process might have
   * written journal entries before that.
   */
  begins(): void {
    this.isKnown = false;
  }

  /** Resolves when each run has durably been started or is recorded as not started. Idempotent. */
  async run(saga: string, occurrences: readonly MatchedEvent[]): Promise<void> {
    if (occurrences.length === 0) return;
    if (!this.isKnown) this.since = await this.store.head();
    this.isKnown = true;
    const availabilityOf = await this.availability.of(occurrences.flatMap(({ matched }) => matched));
    const entries: TriggerJournalEntry[] = [];
    const begun = new Map<string, number>();
    for (const occurrence of occurrences) {
      const { event, facts, matched } = occurrence;
      const ready = matched.map((trigger) => ({ id: trigger.id, availability: availabilityOf(trigger) }));
      const place = await this.placeOf(event, facts.depth);
      const room = this.environment.eventFanOutLimit - (await this.startedIn(event, place, begun));
      const decided = fire(firedEvent(event, facts), place, ready, Math.max(0, room));
      begun.set(place.root, (begun.get(place.root) ?? 0) + decided.data.started.length);
      entries.push(entryOf(saga, event, decided));
    }
    const before = this.since;
    const written = await this.journal.write(entries);
    this.since = Math.max(before, ...written.map(({ position }) => position));
    const starts = await Promise.all(
      occurrences.map(async (one, at) => startsOf(one, await this.startedOf(entries[at], written[at], before))),
    );
    const not = await this.starts.start(await Promise.all(starts.flat().map((start) => this.withOpenInput(start))));
    await this.journal.write(notStartedEntries(saga, not));
  }

  /**
   * Decrypts the personal data in the input, because code, models and mails need it. The input of an event about a row
   * does not get the row's values here, because the input is stored.
   */
  private async withOpenInput(start: TargetStart): Promise<TargetStart> {
    return { ...start, input: await this.personal.opened(start.workspaceId, start.input) };
  }

  private async placeOf(event: RecordedEvent, depth: number): Promise<ChainPosition> {
    const cause = runEndOf(event)?.runId ?? event.metadata.causationId;
    const { id, position, metadata } = event;
    const { workspaceId } = metadata;
    return { depth, cause, root: await this.chains.rootOf({ workspaceId, id, position }, depth, cause) };
  }

  private async startedIn(
    { id, metadata }: RecordedEvent,
    { root }: ChainPosition,
    begun: ReadonlyMap<string, number>,
  ): Promise<number> {
    if (root === id) return 0;
    return (await this.chains.started(metadata.workspaceId, root, this.since)) + (begun.get(root) ?? 0);
  }

  /**
   * Returns the triggers that the entry lists as started. If another process wrote the entry first, its version
   * applies.
   */
  private async startedOf(
    entry: TriggerJournalEntry | undefined,
    written: Appended | undefined,
    before: number,
  ): Promise<readonly string[]> {
    if (entry === undefined || written === undefined) return [];
    const isOurs = !this.environment.shared && written.position > before;
    const recorded = isOurs ? entry.event : await this.journal.at(entry.workspaceId, written.revision);
    return recorded?.type === 'TriggersFired' ? recorded.data.started : [];
  }
}

function firedEvent(
  { id, metadata }: RecordedEvent,
  { name, origin, subject, properties }: AccountEventFacts,
): FiredEvent {
  return { id, name, source: sourceOf(name), origin, subject, properties, occurredAt: metadata.at };
}

function entryOf(saga: string, { id, metadata }: RecordedEvent, event: TriggerRunEvent): TriggerJournalEntry {
  const { workspaceId, correlationId } = metadata;
  return { workspaceId, once: `${saga}/${id}`, event, operation: saga, correlationId, causationId: id };
}

function startsOf({ event, facts, matched }: MatchedEvent, started: readonly string[]): readonly TargetStart[] {
  const startedIds = new Set(started);
  const { workspaceId, correlationId } = event.metadata;
  const fired = firedEvent(event, facts);
  return matched
    .filter(({ id }) => startedIds.has(id))
    .map(({ id, name, targetKind, targetRef, config }) => ({
      workspaceId,
      target: { kind: targetKindFor(targetKind), ref: targetRef },
      runId: triggerRunId(event.id, id),
      input: { ...config.params, event: fired, trigger: { id, name } },
      source: 'event',
      starter: { kind: 'event', id, name },
      actor: { kind: 'event', id, name },
      correlationId,
      causationId: event.id,
      eventDepth: depthAfter(facts.depth),
      neverDeletes: facts.neverDeletes,
    }));
}

function notStartedEntries(saga: string, not: readonly NotStarted[]): readonly TriggerJournalEntry[] {
  const byWorkspace = Map.groupBy(not, ({ start }) => start.workspaceId);
  return [...byWorkspace].map(([workspaceId, ofWorkspace]): TriggerJournalEntry => {
    const runs = ofWorkspace.map(({ start, reason }) => ({ runId: start.runId, triggerId: start.starter.id, reason }));
    const once = `${saga}/not-started/${runs.map(({ runId }) => runId).join('/')}`;
    const event: TriggerRunEvent = { type: 'TriggerRunsNotStarted', data: { runs } };
    return { workspaceId, once, event, operation: saga };
  });
}

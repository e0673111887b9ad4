import { expect } from '@jest/globals';
import { reads } from '../../../src/engine/read-models/read-models.js';
import type { DomainEvent, EventMetadata, RecordedEvent } from '../../../src/kernel/event/event.js';
import type { Projection } from '../../../src/kernel/record/projection.js';
import { documentsOf } from '../../histories/folds.js';
import { of } from './given-saga.js';

/** By collection: for each document, ordered by id, the fields that the spec checks. */
type Shown = Readonly<Record<string, readonly object[]>>;

/** A log with positions 0, 1, … Revisions are counted separately for each stream. */
export class SpecLog {
  private readonly log: RecordedEvent[] = [];
  private readonly revisions = new Map<string, number>();

  add(category: string, id: string, event: DomainEvent, metadata: Partial<EventMetadata> = {}): this {
    const key = `${category}/${id}`;
    const revision = this.revisions.get(key) ?? 0;
    this.revisions.set(key, revision + 1);
    this.log.push({ ...of(category, id, event, { revision, metadata }), position: this.log.length });
    return this;
  }

  get events(): readonly RecordedEvent[] {
    return this.log;
  }
}

/**
 * Checks that a projection of the log results in exactly these documents: `givenProjection(projection, log).shows({
 * runs: [{ id: 'run_1' }] })`.
 */
export function givenProjection(projection: Projection, { events }: SpecLog) {
  const shows = (expected: Shown): void => {
    const replay = documentsOf(projection);
    let shown: unknown = {};
    for (const event of events) {
      const isRead = reads(projection.reads, event);
      if (isRead) shown = replay(event);
    }
    const empty = Object.fromEntries(Object.keys(projection.collections).map((name) => [name, []]));
    const documents = Object.entries(expected).map(([name, list]) => [
      name,
      list.map((one) => expect.objectContaining({ workspaceId: 'ws_spec', ...one })),
    ]);
    expect({ ...empty, ...(shown as object) }).toEqual({ ...empty, ...Object.fromEntries(documents) });
  };
  return { shows, showsNothing: () => shows({}) };
}

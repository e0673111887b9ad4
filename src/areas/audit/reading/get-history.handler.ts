import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { type Difference, differences } from '../../../kernel/difference.js';
import type { DomainEvent, Recorded, RecordedEvent } from '../../../kernel/event.js';
import type { Document } from '../../../kernel/projection.js';
import { type RecordAggregate, recordKind } from '../../../kernel/record.js';
import { refuse } from '../../../kernel/refusal.js';
import { streamOf } from '../../../kernel/stream-name.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { GetHistory } from './audit.operations.js';
import { AuditReading } from './audit-reading.js';
import { maySee } from './audit-visibility.js';

/** Straight from the log: what is shown is what was recorded. */
@QueryHandler(GetHistory)
export class GetHistoryHandler {
  constructor(
    private readonly store: EventStore,
    private readonly reading: AuditReading,
  ) {}

  async execute(input: GetHistory): Promise<{ events: readonly object[] }> {
    const call = callOf(input);
    const aggregate = recordKind(input.kind);
    if (aggregate === undefined || !maySee(call.caller, input.kind)) return refuse('resource-not-found');
    const events = await this.store.readStream(streamOf(input.kind, call.workspaceId, input.id));
    if (events.length === 0) return refuse('resource-not-found');
    await this.reading.record(call, { ...input });
    return { events: withChanges(aggregate, input, events) };
  }
}

function withChanges(
  aggregate: RecordAggregate<Document, DomainEvent>,
  resource: GetHistory,
  events: readonly RecordedEvent[],
): readonly object[] {
  let state: Document | undefined;
  return events.map((event) => {
    const before = state;
    state = aggregate.evolve(state, event as Recorded<DomainEvent>);
    const { position, id, type, data, metadata } = event;
    const { at, actor, operation: command, correlationId, causationId } = metadata;
    const changes: readonly Difference[] = differences(before ?? {}, state ?? {});
    const about = { kind: resource.kind, id: resource.id };
    return { position, id, type, at, actor, command, resource: about, data, correlationId, causationId, changes };
  });
}

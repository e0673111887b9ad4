import { QueryHandler } from '@nestjs/cqrs';
import type { AuditEntry } from '../../../../projections/audit/audit.projection.js';
import { callOf } from '../../../engine/operation/call.js';
import { refuseInput } from '../../../engine/operation/validation.js';
import { Reads } from '../../../engine/reads.js';
import type { Caller } from '../../../kernel/caller.js';
import type { RecordedEvent } from '../../../kernel/event.js';
import type { Where } from '../../../kernel/projection.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { ListEvents } from './audit.operations.js';
import { AuditReading } from './audit-reading.js';
import { kindsSeen, maySee } from './audit-visibility.js';

@QueryHandler(ListEvents)
export class ListEventsHandler {
  constructor(
    private readonly reads: Reads,
    private readonly store: EventStore,
    private readonly reading: AuditReading,
  ) {}

  async execute(input: ListEvents): Promise<{ events: readonly object[]; next: number | null }> {
    const call = callOf(input);
    if (input.id !== undefined && input.kind === undefined) {
      refuseInput([{ path: 'kind', message: 'is required with id' }]);
    }
    await this.reading.record(call, { ...input });
    const limit = input.limit ?? 50;
    if (input.kind !== undefined && !maySee(call.caller, input.kind)) return { events: [], next: null };
    const found = await this.reads.find<AuditEntry>(call.workspaceId, 'audit', {
      where: whereOf(input, call.caller),
      sort: [['position', 'desc']],
      limit: limit + 1,
    });
    const page = found.slice(0, limit);
    const events = await Promise.all(page.map((entry) => this.whole(entry)));
    return { events, next: found.length > limit ? (page.at(-1)?.position ?? null) : null };
  }

  private async whole(entry: AuditEntry): Promise<object> {
    const [event] = await this.store.readStream(entry.stream, { from: entry.revision, limit: 1 });
    return shown(entry, event?.revision === entry.revision ? event : undefined);
  }
}

function shown(entry: AuditEntry, event: RecordedEvent | undefined): object {
  const { position, id, type, at, actor, command, kind, resourceId, correlationId, causationId } = entry;
  const resource = { kind, id: resourceId };
  return { position, id, type, at, actor, command, resource, data: event?.data ?? null, correlationId, causationId };
}

/** Readings of the audit are listed when they are asked for, so that looking does not fill what one looks at. */
function whereOf(input: ListEvents, caller: Caller | undefined): Where {
  const kinds = kindsSeen(caller);
  const kind = input.kind ?? (kinds === 'all' ? undefined : { in: kinds });
  return {
    ...(kind === undefined ? { listed: true } : { kind }),
    ...(input.id === undefined ? {} : { resourceId: input.id }),
    ...(input.actorId === undefined ? {} : { actorId: input.actorId }),
    ...(input.types === undefined ? {} : { type: { in: input.types } }),
    ...(input.before === undefined ? {} : { position: { lt: input.before } }),
    ...timesOf(input),
  };
}

function timesOf({ from, to }: ListEvents): Where {
  if (from === undefined && to === undefined) return {};
  const iso = (text: string) => new Date(text).toISOString();
  return { at: { ...(from === undefined ? {} : { gte: iso(from) }), ...(to === undefined ? {} : { lt: iso(to) }) } };
}

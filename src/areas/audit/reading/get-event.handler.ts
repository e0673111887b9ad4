import { QueryHandler } from '@nestjs/cqrs';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { RecordScopes } from '../../../engine/scopes/record-scopes.js';
import { recordKind } from '../../../kernel/record/record.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { maySee } from '../audit-visibility.api.js';
import { GetEvent } from './audit.operations.js';
import { AuditReading } from './audit-reading.api.js';
import type { AuditEntry } from './audit-reading.record.js';
import { listedEvent, recordedOf } from './listed-event.js';
import { UndoneEvents } from './undone-events.js';

/** One complete event, including the texts that lists leave out. */
@QueryHandler(GetEvent)
export class GetEventHandler {
  constructor(
    private readonly reads: Reads,
    private readonly store: EventStore,
    private readonly reading: AuditReading,
    private readonly texts: RecordTexts,
    private readonly scopes: RecordScopes,
    private readonly undone: UndoneEvents,
  ) {}

  async execute(input: GetEvent): Promise<object> {
    const call = callOf(input);
    const { position } = input;
    const entry = (await this.at(call, position, true)) ?? (await this.at(call, position, false));
    if (entry === undefined || !maySee(call.caller, entry.kind)) return refuse('resource-not-found');
    await this.scopes.mustBeOpen(call, { kind: entry.kind, id: entry.resourceId });
    await this.reading.record(call, { ...input });
    const data = (await recordedOf(this.store, entry))?.data ?? null;
    const whole = await this.texts.whole(recordKind(entry.kind) ?? {}, call.workspaceId, data);
    const [shown] = await this.undone.shown(call.workspaceId, [listedEvent(entry, whole)]);
    return shown ?? refuse('resource-not-found');
  }

  /** The indexes of positions begin with other fields. */
  private at({ workspaceId }: Call, position: number, listed: boolean): Promise<AuditEntry | undefined> {
    return this.reads.first<AuditEntry>(workspaceId, 'audit', { listed, position });
  }
}

import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { RecordScopes } from '../../../engine/scopes/record-scopes.js';
import { recordKind } from '../../../kernel/record/record.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { maySee } from '../audit-visibility.api.js';
import { GetHistory } from './audit.operations.js';
import { AuditReading } from './audit-reading.api.js';
import { type HistoryPage, HistoryPages } from './history-page.js';
import { UndoneEvents } from './undone-events.js';

@QueryHandler(GetHistory)
export class GetHistoryHandler {
  constructor(
    private readonly pages: HistoryPages,
    private readonly reading: AuditReading,
    private readonly scopes: RecordScopes,
    private readonly undone: UndoneEvents,
  ) {}

  async execute(input: GetHistory): Promise<HistoryPage> {
    const call = callOf(input);
    const { kind, id, limit = 100, after = -1 } = input;
    const aggregate = recordKind(kind);
    if (aggregate === undefined || !maySee(call.caller, kind)) return refuse('resource-not-found');
    if (!(await this.pages.has(call.workspaceId, kind, id))) return refuse('resource-not-found');
    await this.scopes.mustBeOpen(call, { kind, id });
    await this.reading.record(call, { ...input });
    const page = await this.pages.page(call.workspaceId, aggregate, { kind, id, limit, after });
    return { ...page, events: await this.undone.shown(call.workspaceId, page.events) };
  }
}

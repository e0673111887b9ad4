import { Injectable } from '@nestjs/common';
import { auditReadingCategory } from '../../../../projections/audit/audit.projection.js';
import { type Call, metadataOf } from '../../../engine/operation/call.js';
import { Watermark } from '../../../engine/watermark.js';
import { streamOf } from '../../../kernel/stream-name.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { Ids } from '../../../ports/ids.port.js';

/** Who looked at what in the audit is itself on record, before the answer goes out. */
@Injectable()
export class AuditReading {
  constructor(
    private readonly store: EventStore,
    private readonly ids: Ids,
    private readonly watermark: Watermark,
  ) {}

  async record(call: Call, asked: object): Promise<void> {
    const stream = streamOf(auditReadingCategory, call.workspaceId, call.workspaceId);
    const data = { operation: call.operation, asked };
    const event = { id: this.ids.uuid(), type: 'AuditRead', data, metadata: metadataOf(call) };
    const [appended] = await this.store.append([{ stream, expected: 'any', events: [event] }]);
    if (appended !== undefined) this.watermark.appended(appended.position, [{ stream, type: event.type }]);
  }
}

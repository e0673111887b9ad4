import { Module } from '@nestjs/common';
import { AuditReading } from './reading/audit-reading.js';
import { CauseGraph } from './reading/cause-graph.js';
import { CausesOfHandler, EffectsOfHandler } from './reading/effects-of.handler.js';
import { GetEventHandler } from './reading/get-event.handler.js';
import { GetHistoryHandler } from './reading/get-history.handler.js';
import { HistoryPages } from './reading/history-page.js';
import { ListEventsHandler } from './reading/list-events.handler.js';

@Module({
  providers: [
    AuditReading,
    CauseGraph,
    HistoryPages,
    GetEventHandler,
    ListEventsHandler,
    GetHistoryHandler,
    EffectsOfHandler,
    CausesOfHandler,
  ],
})
export class AuditModule {}

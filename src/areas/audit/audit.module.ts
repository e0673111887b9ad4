import { Module } from '@nestjs/common';
import { AuditReading } from './reading/audit-reading.js';
import { GetHistoryHandler } from './reading/get-history.handler.js';
import { ListEventsHandler } from './reading/list-events.handler.js';

@Module({ providers: [AuditReading, ListEventsHandler, GetHistoryHandler] })
export class AuditModule {}

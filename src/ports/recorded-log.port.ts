import { EventStore } from './event-store.port.js';

/**
 * The log exactly as it is recorded, personal data sealed and old events as they were. For what vouches for the log or
 * carries it elsewhere: the audit's seals, exports, outside consumers. Everything else uses `EventStore`.
 */
export abstract class RecordedLog extends EventStore {}

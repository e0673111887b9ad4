import type { Actor } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { recordCategories } from '../../../kernel/record/record.js';

/** An event's position and subject. Its data is only in the log. */
export interface AuditEntry extends Document {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly at: string;
  readonly actor: Actor;
  readonly actorId: string;
  readonly command: string;
  readonly kind: string;
  readonly resourceId: string;
  /** Whether the entry is shown without a filter by kind; false only for readings of the audit. */
  readonly listed: boolean;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** Omitted if the call needed no approval. */
  readonly approvedBy?: Actor;
  /** Omitted if the caller gave no reason. */
  readonly reason?: string;
}

/** The earliest and latest time in a fixed range of log positions, used to turn times into positions. */
export interface AuditStretch extends Document {
  /** The first position, divided by `stretchLength`. */
  readonly number: number;
  readonly earliest: string;
  readonly latest: string;
}

export const stretchLength = 4_096;

/** Readings of the audit: a stream for each caller and hour. Older logs have one for each workspace. */
export const auditReadingCategory = 'auditReading';
export const auditReadTypes: readonly string[] = ['AuditRead', 'AuditReadAgain'];

/**
 * The stream categories that the audit shows: every kind of record, and readings of the audit. Call this late: every
 * kind of record must have been declared.
 */
export const auditedCategories = (): readonly string[] => [...recordCategories(), auditReadingCategory];

import type { Actor } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { recordCategories } from '../../../kernel/record/record.js';

/** An event in the index of the audit. The event's data is only in the log. */
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
  /** Whether lists without a filter by kind contain the entry. False for readings of the audit. */
  readonly listed: boolean;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** The person who approved the call. Omitted if it needed no approval. */
  readonly approvedBy?: Actor;
  /** The reason that the caller gave. */
  readonly reason?: string;
}

/**
 * The earliest and the latest time in a range of `stretchLength` log positions. It is used to find the positions of the
 * events of a time range.
 */
export interface AuditStretch extends Document {
  /** The first position of the range, divided by `stretchLength`. */
  readonly number: number;
  readonly earliest: string;
  readonly latest: string;
}

export const stretchLength = 4_096;

/**
 * Category of the streams with readings of the audit. There is one stream per caller and hour. Logs of older versions
 * of the service have one per workspace.
 */
export const auditReadingCategory = 'auditReading';
export const auditReadTypes: readonly string[] = ['AuditRead', 'AuditReadAgain'];

/**
 * Returns the stream categories of the audit: all kinds of records, and readings of the audit. Call this only after all
 * kinds of records have been declared.
 */
export const auditedCategories = (): readonly string[] => [...recordCategories(), auditReadingCategory];

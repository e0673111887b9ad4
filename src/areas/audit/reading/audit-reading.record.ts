import type { Actor } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { recordCategories } from '../../../kernel/record/record.js';

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
  /** False for kind `auditReading`, which is listed only if the filter names this kind, a type or a resource. */
  readonly listed: boolean;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** Omitted if the call needed no approval. */
  readonly approvedBy?: Actor;
  readonly reason?: string;
}

/** The earliest and the latest time of the events in `stretchLength` consecutive log positions. */
export interface AuditStretch extends Document {
  /** The first position of the range, divided by `stretchLength`. */
  readonly number: number;
  readonly earliest: string;
  readonly latest: string;
}

export const stretchLength = 4_096;

/** There is one stream per caller and hour. Logs of older versions of the service have one per workspace. */
export const auditReadingCategory = 'auditReading';
export const auditReadTypes: readonly string[] = ['AuditRead', 'AuditReadAgain'];

/** Call this only after all kinds of records have been declared. */
export const auditedCategories = (): readonly string[] => [...recordCategories(), auditReadingCategory];

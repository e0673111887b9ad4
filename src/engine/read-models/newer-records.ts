import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/event/event.js';
import type { JsonObject } from '../../kernel/json/json.js';
import { knows } from '../../kernel/record/understanding.js';

/** Maximum number of records. The oldest are forgotten until one of their unknown events is read again. */
const most = 1_000;

/**
 * Records that have an event that this version does not know and must not ignore. A record's document can show the
 * state before that event, so it must not be used for decisions.
 */
@Injectable()
export class NewerRecords {
  private readonly types = new Map<string, string>();

  met({ stream, type }: Pick<RecordedEvent, 'stream' | 'type'>): void {
    this.types.set(stream, type);
    const [oldest] = this.types.keys();
    if (this.types.size > most && oldest !== undefined) this.types.delete(oldest);
  }

  get none(): boolean {
    return this.types.size === 0;
  }

  lacking(stream: string): string | undefined {
    const type = this.types.get(stream);
    return type === undefined || knows(stream, type) ? undefined : type;
  }

  note(): JsonObject {
    return Object.fromEntries(this.types);
  }

  heard(note: unknown): void {
    for (const [stream, type] of Object.entries((note ?? {}) as Readonly<Record<string, string>>)) {
      if (!this.types.has(stream) && !knows(stream, type)) this.met({ stream, type });
    }
  }
}

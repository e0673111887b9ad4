import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/event/event.js';
import type { JsonObject } from '../../kernel/json/json.js';
import { knows } from '../../kernel/record/understanding.js';

/** Beyond this number, the oldest are forgotten until they are seen again. */
const most = 1_000;

/**
 * Records with an event that must be understood but that this version does not know, as far as this or another process
 * has read them. Their documents may show the state before that event, so no decision may be based on them.
 */
@Injectable()
export class NewerRecords {
  /** Event types by stream. */
  private readonly types = new Map<string, string>();

  met({ stream, type }: Pick<RecordedEvent, 'stream' | 'type'>): void {
    this.types.set(stream, type);
    const [oldest] = this.types.keys();
    if (this.types.size > most && oldest !== undefined) this.types.delete(oldest);
  }

  get none(): boolean {
    return this.types.size === 0;
  }

  /**
   * Returns the type of an event in this stream that this version does not know, or undefined if no such event is
   * known.
   */
  lacking(stream: string): string | undefined {
    const type = this.types.get(stream);
    return type === undefined || knows(stream, type) ? undefined : type;
  }

  /** Returns the data that this process's heartbeats report. */
  note(): JsonObject {
    return Object.fromEntries(this.types);
  }

  heard(note: unknown): void {
    for (const [stream, type] of Object.entries((note ?? {}) as Readonly<Record<string, string>>)) {
      if (!this.types.has(stream) && !knows(stream, type)) this.met({ stream, type });
    }
  }
}

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { EventFilter, ReadAllOptions, ReadStreamOptions } from '../../../ports/event-store.port.js';
import { eventOf, textsSize } from './event-texts.js';

/**
 * Number of positions that one read of the log searches at most. Without this limit, a filter with few matches would
 * block the main thread for the length of the log.
 */
const window = 20_000;

const columns = 'e.position, s.name, e.revision, e.event_id, e.type, e.data, e.metadata';
type Row = readonly [number, string, number, string, string, string, string];

interface SizedEvents {
  readonly events: readonly RecordedEvent[];
  readonly size: number;
}

export interface EventRange extends SizedEvents {
  readonly upTo: number;
  readonly live: boolean;
}

/** Never returns an event below its stream's `truncate_before`, even if its row has not been deleted yet. */
export class EventReader {
  private readonly statements = new Map<string, StatementSync>();

  constructor(private readonly database: DatabaseSync) {}

  head(): number {
    return (this.rows('SELECT head FROM log', []) as unknown as readonly [readonly [number]])[0][0];
  }

  stream(name: string, { from, direction = 'forward', limit }: ReadStreamOptions): readonly RecordedEvent[] {
    const forward = direction === 'forward';
    const sql = `SELECT ${columns} FROM streams s CROSS JOIN events e ON e.stream_id = s.id
      WHERE s.name = ? AND e.revision >= s.truncate_before AND e.revision ${forward ? '>=' : '<='} ?
      ORDER BY e.revision ${forward ? 'ASC' : 'DESC'} LIMIT ?`;
    return this.events(sql, [name, from ?? (forward ? 0 : Number.MAX_SAFE_INTEGER), limit ?? -1]).events;
  }

  /** Returns, by stream, the first revision that has not been pruned. Omits streams that were never pruned. */
  keptFrom(workspaceId: string | undefined): ReadonlyMap<string, number> {
    const sql =
      'SELECT name, truncate_before FROM streams WHERE truncate_before > 0 AND ifnull(workspace_id = ?, true)';
    return new Map(this.rows(sql, [workspaceId ?? null]) as unknown as readonly (readonly [string, number])[]);
  }

  async all({ from, direction = 'forward', limit, ...filter }: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    const forward = direction === 'forward';
    const head = this.head();
    const found: RecordedEvent[] = [];
    const start = forward ? Math.max(from ?? -1, -1) : Math.min(from ?? head + 1, head + 1);
    let at = start;
    while (found.length < limit && (forward ? at < head : at > 0)) {
      if (at !== start) await setImmediate();
      const room = limit - found.length;
      const { events, upTo } = forward ? this.after(at, head, filter, room) : this.before(at, filter, room);
      found.push(...events);
      at = upTo;
    }
    return found;
  }

  after(position: number, head: number, filter: EventFilter, limit: number): EventRange {
    const end = Math.min(position + window, head);
    const { events, size } = this.matching('e.position > ? AND e.position <= ?', [position, end], filter, 'ASC', limit);
    return { events, upTo: events.length < limit ? end : (events.at(-1)?.position ?? end), size, live: false };
  }

  private before(position: number, filter: EventFilter, limit: number): EventRange {
    const end = Math.max(position - window, 0);
    const { events, size } = this.matching(
      'e.position < ? AND e.position >= ?',
      [position, end],
      filter,
      'DESC',
      limit,
    );
    return { events, upTo: events.length < limit ? end : (events.at(-1)?.position ?? end), size, live: false };
  }

  private matching(
    range: string,
    bounds: readonly number[],
    { types, andMustUnderstand, categories, workspaceId }: EventFilter,
    order: 'ASC' | 'DESC',
    limit: number,
  ): SizedEvents {
    const conditions = [range, 'e.revision >= s.truncate_before'];
    const parameters: SQLInputValue[] = [...bounds];
    if (types !== undefined) {
      const isOfType = 'e.type IN (SELECT value FROM json_each(?))';
      conditions.push(andMustUnderstand ? `(${isOfType} OR instr(e.metadata, '"mustUnderstand":true') > 0)` : isOfType);
      parameters.push(JSON.stringify(types));
    }
    if (categories !== undefined) {
      conditions.push('s.category IN (SELECT value FROM json_each(?))');
      parameters.push(JSON.stringify(categories));
    }
    if (workspaceId !== undefined) {
      conditions.push('s.workspace_id = ?');
      parameters.push(workspaceId);
    }
    // Without CROSS JOIN, the planner would start with the streams and sort the events afterwards.
    const sql = `SELECT ${columns} FROM events e CROSS JOIN streams s ON s.id = e.stream_id
      WHERE ${conditions.join(' AND ')} ORDER BY e.position ${order} LIMIT ?`;
    return this.events(sql, [...parameters, limit]);
  }

  private events(sql: string, parameters: readonly SQLInputValue[]): SizedEvents {
    const found = (this.rows(sql, parameters) as unknown as readonly Row[]).map(
      ([position, stream, revision, id, type, data, metadata]) => ({
        id,
        stream,
        revision,
        position,
        type,
        data,
        metadata,
      }),
    );
    return { events: found.map(eventOf), size: textsSize(found) };
  }

  private rows(sql: string, parameters: readonly SQLInputValue[]): readonly unknown[] {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.database.prepare(sql);
      statement.setReturnArrays(true);
      this.statements.set(sql, statement);
    }
    return statement.all(...parameters);
  }
}

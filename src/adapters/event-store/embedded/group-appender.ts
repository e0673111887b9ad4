import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Appended, type ExpectedRevision, WrongExpectedRevision } from '../../../ports/event-store.port.js';
import { isSqliteError } from '../../sqlite/sqlite-errors.js';
import type { EventTexts, RequestTexts } from './event-texts.js';
import type { StreamHead, StreamHeads } from './stream-heads.js';

export interface RecordedGroup {
  readonly results: readonly PromiseSettledResult<readonly Appended[]>[];
  readonly head: number;
}

type StoredPosition = readonly [position: number, revision: number];

/** A list contains the requests of one `append` call, which are recorded together or not at all. */
export class GroupAppender {
  private readonly selectPosition: StatementSync;
  private readonly insert: StatementSync;
  private readonly updateHead: StatementSync;
  private readonly savepoint: StatementSync;
  private readonly release: StatementSync;
  private head = -1;

  constructor(
    private readonly database: DatabaseSync,
    private readonly heads: StreamHeads,
  ) {
    this.selectPosition = database.prepare(
      'SELECT position, revision FROM events WHERE stream_id = ? AND event_id = ?',
    );
    this.selectPosition.setReturnArrays(true);
    this.insert = database.prepare(
      'INSERT INTO events (position, stream_id, revision, event_id, type, data, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.updateHead = database.prepare('UPDATE log SET head = ?');
    this.savepoint = database.prepare('SAVEPOINT list');
    this.release = database.prepare('RELEASE list');
  }

  /** @throws database errors only, in which case no list is recorded */
  record(lists: readonly (readonly RequestTexts[])[], head: number): RecordedGroup {
    this.head = head;
    const results = lists.map((list) => this.recordList(list));
    this.heads.writeGroup();
    if (this.head > head) this.updateHead.run(this.head);
    return { results, head: this.head };
  }

  private recordList(list: readonly RequestTexts[]): PromiseSettledResult<readonly Appended[]> {
    const before = this.head;
    // A single request is checked before its first row is written, so it needs no savepoint.
    const guarded = list.length > 1;
    if (guarded) this.savepoint.run();
    try {
      const value = list.map((request) => this.recordRequest(request));
      if (guarded) this.release.run();
      this.heads.applyList();
      return { status: 'fulfilled', value };
    } catch (reason) {
      if (isSqliteError(reason)) throw reason;
      if (guarded) this.database.exec('ROLLBACK TO list; RELEASE list');
      this.heads.dropList();
      this.head = before;
      return { status: 'rejected', reason };
    }
  }

  private recordRequest({ stream, expected, events }: RequestTexts): Appended {
    const found = this.heads.find(stream);
    const positions = found === undefined ? [] : events.map((event) => this.positionOf(found, event));
    const repeated = lastOfRun(positions);
    if (repeated !== undefined) return repeated;
    const actual = found?.revision ?? -1;
    if (!isExpected(expected, actual)) throw new WrongExpectedRevision(stream, expected, actual);
    if (positions.some((place) => place !== undefined)) {
      throw new Error(`An append to stream ${stream} uses the id of an event that is already in it.`);
    }
    const head = found ?? this.heads.create(stream);
    events.forEach((event, index) => {
      this.write(head, actual + 1 + index, event);
    });
    const revision = actual + events.length;
    this.heads.move(stream, { ...head, revision });
    return { revision, position: this.head };
  }

  private write(head: StreamHead, revision: number, event: EventTexts): void {
    const position = this.head + 1;
    this.insert.run(position, head.id, revision, event.id, event.type, event.data, event.metadata);
    this.head = position;
  }

  private positionOf(head: StreamHead, event: EventTexts): StoredPosition | undefined {
    return this.selectPosition.get(head.id, event.id) as unknown as StoredPosition | undefined;
  }
}

function isExpected(expected: ExpectedRevision, actual: number): boolean {
  if (expected === 'any') return true;
  return expected === 'none' ? actual === -1 : actual === expected;
}

function lastOfRun(positions: readonly (StoredPosition | undefined)[]): Appended | undefined {
  const first = positions[0];
  if (first === undefined) return undefined;
  if (!positions.every((place, index) => place !== undefined && place[1] === first[1] + index)) return undefined;
  const [position, revision] = positions.at(-1) ?? first;
  return { revision, position };
}

import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { metadataOf, type OperationContext } from '../../../engine/operation/operation-context.js';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import type { NewEvent } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { KeyedMutex } from '../../../kernel/keyed-mutex.js';
import { EventStore, WrongExpectedRevision } from '../../../ports/event-store.port.js';
import { Ids } from '../../../ports/ids.port.js';
import { refuse } from '../audit.refusals.js';
import { auditReadingCategory } from './audit-reading.record.js';
import { Readings } from './readings.js';

const mostQuestions = 1_000;
const mostCallers = 1_000;
/**
 * Maximum number of attempts to record a reading. An attempt fails if another process has recorded a reading of the
 * same caller at the same time.
 */
const mostAttempts = 20;
/** Fields that select a page of a list. Queries that differ only in these fields count as the same question. */
const paging = new Set(['limit', 'before', 'after']);

/**
 * Records every query of the audit before it is answered. Each caller has one stream per hour, with one `AuditRead`
 * event for each different question. `AuditReadAgain` events count repetitions: one after the first repetition, then
 * one after two more, after four more and so on. At least half of the answers of each process are therefore counted,
 * even if the process is killed.
 */
@Injectable()
export class AuditReading {
  private readonly turns = new KeyedMutex();
  private hour = '';
  private readonly callers = new Map<string, Readings>();

  constructor(
    private readonly store: EventStore,
    private readonly ids: Ids,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  /**
   * @param beside facts that are recorded with the question, such as the times of a resource's states; questions that
   * differ only in these facts are treated as the same
   * @throws Refusal audit-questions-too-many, EventStoreUnavailable
   */
  async record(call: OperationContext, asked: object, beside: object = {}): Promise<void> {
    const hour = call.at.slice(0, 13);
    const stream = streamOf(auditReadingCategory, call.workspaceId, `${call.actor.kind}.${call.actor.id}.${hour}`);
    await this.turns.run(stream, () => this.recordIn(stream, hour, call, asked, beside));
  }

  private async recordIn(
    stream: string,
    hour: string,
    call: OperationContext,
    asked: object,
    beside: object,
  ): Promise<void> {
    const question = digestOf(call.operation, asked);
    const data = { operation: call.operation, asked: summaryOf({ ...asked, ...beside }), question };
    const readings = await this.readingsOf(stream, hour);
    for (let attempt = 1, isCounted = false; attempt <= mostAttempts; attempt++) {
      const isNew = !readings.knows(question);
      if (!isNew && !isCounted) {
        readings.count(question);
        isCounted = true;
      }
      const times = readings.due(question);
      if (!isNew && times === 0) return;
      if (isNew && readings.questions >= mostQuestions) tooMany(hour, call.at);
      const read = isNew ? { type: 'AuditRead', data } : { type: 'AuditReadAgain', data: { ...data, times } };
      const event = { id: this.ids.uuid(), ...read, metadata: metadataOf(call) };
      if (await this.append(stream, readings, event)) return readings.recorded(question);
      readings.learn(await this.store.readStream(stream, { from: readings.revision + 1 }));
    }
    refuse('too-much-contention');
  }

  private async append(stream: string, readings: Readings, event: NewEvent): Promise<boolean> {
    try {
      const [appended] = await this.store.append([{ stream, expected: readings.expected, events: [event] }]);
      if (appended === undefined) return false;
      readings.revision = appended.revision;
      this.readYourWrites.appended(appended.position, [{ stream, type: event.type }]);
      return true;
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return false;
      throw error;
    }
  }

  private async readingsOf(stream: string, hour: string): Promise<Readings> {
    if (hour > this.hour) {
      this.hour = hour;
      this.callers.clear();
    }
    const known = this.callers.get(stream);
    if (known !== undefined) return known;
    const readings = new Readings();
    readings.learn(await this.store.readStream(stream));
    const [oldest] = this.callers.keys();
    if (oldest !== undefined && this.callers.size >= mostCallers) this.callers.delete(oldest);
    this.callers.set(stream, readings);
    return readings;
  }
}

function digestOf(operation: string, question: object): string {
  const members = Object.entries(question).filter(([name]) => !paging.has(name));
  return hash('sha256', JSON.stringify([operation, ...members.sort(([a], [b]) => (a < b ? -1 : 1))]), 'hex');
}

function tooMany(hour: string, at: string): never {
  const ends = Date.parse(`${hour}:00:00.000Z`) + 3_600_000;
  const retryAfterSeconds = Math.max(1, Math.ceil((ends - Date.parse(at)) / 1_000));
  return refuse('audit-questions-too-many', { most: mostQuestions }, { retryAfterSeconds });
}

const longestText = 200;
const mostItems = 10;

function summaryOf(question: object): object {
  return Object.fromEntries(Object.entries(question).map(([name, value]) => [name, shortened(value)]));
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > longestText ? `${value.slice(0, longestText)}…` : value;
  if (!Array.isArray(value)) return value;
  const more = value.length - mostItems;
  return [...value.slice(0, mostItems).map(shortened), ...(more > 0 ? [`and ${more} more`] : [])];
}

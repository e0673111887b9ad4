import { expect } from '@jest/globals';
import { CommandRunner } from '../../../src/engine/commands/command-runner.js';
import { PersonalData } from '../../../src/engine/personal-data/personal-data.js';
import { Reads } from '../../../src/engine/scopes/reads.js';
import type { RecordedEvent } from '../../../src/kernel/event/event.js';
import { parseStream } from '../../../src/kernel/event/stream-name.js';
import { recordCategories, recordKind } from '../../../src/kernel/record/record.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../app.js';
import type { SettableClock } from '../clocks/settable-clock.js';
import { sagasAreDone } from '../stores/sagas-are-done.js';
import { Draw } from './draw.js';
import { liveAnswer, lookedAt } from './live-answers.js';
import { headOf } from './random-commands.js';
import type { Thing } from './world.js';

type Members = Readonly<Record<string, unknown>>;

/** A resource as the service returned it, with the position in the log and the time. */
export interface Recorded {
  readonly kind: string;
  readonly id: string;
  readonly answer: Members | null;
  readonly position: number;
  readonly at: string;
  /** Time of the last event before the response. The state at that time includes all events of the same millisecond. */
  readonly last: string;
}

/**
 * Records what the service returns of resources while commands change them, and compares it with the audit afterwards.
 */
export class RecordedAnswers {
  readonly all: Recorded[] = [];
  /** Facts about each resource, by kind and id, such as its project or table. */
  private readonly known = new Map<string, Thing>();
  private seen = -1;
  private last = '';

  constructor(
    private readonly app: TestApp,
    private readonly workspaceId: string,
    private readonly clock: SettableClock,
  ) {}

  /** Reads the resources that have changed since the last call, and some others. */
  async look(seed: number): Promise<void> {
    const touched = await this.touched();
    const draw = new Draw(seed);
    const others = [...this.known.keys()].filter(() => draw.chance(3 / this.known.size));
    for (const key of new Set([...touched, ...others])) await this.ask(key);
  }

  private async touched(): Promise<readonly string[]> {
    await sagasAreDone(this.app);
    const keys = (await this.newEvents()).flatMap(({ stream, data }) => {
      const { category, id } = parseStream(stream);
      if (!recordCategories().includes(category)) return [];
      const key = `${category} ${id}`;
      // The first event names the project or table of the resource.
      if (!this.known.has(key)) this.known.set(key, { ...data, id });
      return [key];
    });
    return [...new Set(keys)];
  }

  private async newEvents(): Promise<readonly RecordedEvent[]> {
    const { workspaceId, seen: from } = this;
    const store = this.app.app.get(EventStore, { strict: false });
    const events = await store.readAll({ from, limit: 10_000, workspaceId });
    this.seen = events.at(-1)?.position ?? from;
    for (const { metadata } of events) if (metadata.at > this.last) this.last = metadata.at;
    return events;
  }

  /** Reads a resource, and again if an event was recorded meanwhile, so that the position in the log is certain. */
  private async ask(key: string): Promise<void> {
    const [kind = '', id = ''] = key.split(' ');
    const facts = this.known.get(key) ?? { id };
    for (;;) {
      const position = await headOf(this.app);
      // Background work may record events at any time.
      await this.newEvents();
      const answer = await this.answered(kind, facts);
      if (answer === undefined) return;
      const at = this.clock.now();
      if (position !== (await headOf(this.app))) continue;
      this.all.push({ kind, id, answer, position, at: new Date(at).toISOString(), last: this.last });
      // Moves the clock, so that later events have a later time than the response.
      this.clock.set(at + 1);
      return;
    }
  }

  /**
   * Returns the document of a record, for kinds that no operation returns one by one. It is read from the read model
   * or, if there is none, as commands load it.
   */
  private async document(kind: string, id: string): Promise<Members | null> {
    const aggregate = recordKind(kind);
    if (aggregate === undefined) throw new Error(`There are no records of the kind ${kind}.`);
    const collection = aggregate.collection?.name ?? unlisted[kind];
    if (collection === undefined) {
      const runner = this.app.app.get(CommandRunner, { strict: false });
      return this.opened(((await runner.find(aggregate, this.workspaceId, id)) ?? null) as Members | null);
    }
    const reads = this.app.app.get(Reads, { strict: false });
    for (const under of [id, `${this.workspaceId}/${id}`]) {
      const found = await reads.get(this.workspaceId, collection, under);
      if (found !== undefined) return this.opened(found as unknown as Members);
    }
    return null;
  }

  private opened(document: Members | null): Promise<Members | null> {
    return this.app.app.get(PersonalData, { strict: false }).opened(this.workspaceId, document);
  }

  /**
   * Returns a row with its values by field id, as the audit does. Operations return values by the current names of the
   * fields.
   */
  private async answered(kind: string, facts: Thing): Promise<Members | null | undefined> {
    if (!lookedAt.includes(kind)) return this.document(kind, facts.id);
    const answer = (await liveAnswer(this.app, kind, facts)) as Members | null | undefined;
    if (kind !== 'row' || answer === null || answer === undefined) return answer;
    const table = await liveAnswer(this.app, 'table', { id: facts['tableId'] });
    const fields: readonly Thing[] = (table as { readonly fields: readonly Thing[] } | null)?.fields ?? [];
    const { id, createdAt, updatedAt, createdBy } = answer;
    const values = fields.map((field) => [field.id, answer[field['name']]]).filter(([, value]) => value !== null);
    const own = { id, createdAt, updatedAt, createdBy };
    return { ...own, tableId: facts['tableId'], values: Object.fromEntries(values) };
  }

  /** Compares every recorded response with what the audit returns for that position and time. */
  async hold(app = this.app): Promise<void> {
    // The first difference of each kind.
    const wrong = new Map<string, unknown>();
    let asked = 0;
    for (const { kind, id, answer, position, at, last } of this.all) {
      for (const then of [{ position }, { at }, { at: last }]) {
        // The audit answers only a limited number of calls per hour, so the clock is moved forward.
        if (++asked % 700 === 0) this.clock.set(this.clock.now() + 3_600_000);
        const { status, body } = await app.call('audit/getStateAt', { kind, id, ...then });
        const told = status === 200 ? differing(kind, body.state, answer) : `${status} ${body.detail}`;
        if (told !== undefined && !wrong.has(kind)) wrong.set(kind, { id, ...then, told });
      }
    }
    expect(Object.fromEntries(wrong)).toEqual({});
  }
}

/**
 * Members of responses that are derived from other records, from the vault or from the current time. They are not part
 * of a past state.
 */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  apiKey: ['lastUsedAt', 'status'],
  base: ['tables'],
  entitlement: ['status'],
  eventTrigger: ['targetName', 'lastFiredAt', 'fireCount'],
  mailAccount: ['site', 'isDefault', 'sentCount', 'lastError'],
  mailhook: ['receivedCount', 'lastReceivedAt', 'address'],
  project: ['pageCount', 'componentCount', 'pages', 'components', 'linkedBase', 'eventFlowTriggers'],
  schedule: [
    'lastTriggered',
    'nextTrigger',
    'blocked',
    'missed',
    'functionId',
    'functionName',
    'lastRunAt',
    'nextRunAt',
  ],
  siteEnvVar: ['value'],
  siteFunction: ['accessRuleUses', 'keepFixingUntil'],
  table: ['rowCount'],
  webhook: ['token', 'lastTriggered'],
  workspace: ['aiCredits', 'me'],
};

/** Collections of kinds whose read model is not declared with the record. */
const unlisted: Readonly<Record<string, string>> = { appSetting: 'appSettings' };

/** Whether a member of a document is not shown by the audit, or is still sealed here. */
const isInner = (name: string, value: unknown, state: Members) =>
  !Object.hasOwn(state, name) || (typeof value === 'string' && value.startsWith('sealed:'));

/** Kinds whose lists show fewer members than the audit. */
const listedShortly = new Set([
  'apiKey',
  'envVar',
  'eventTrigger',
  'mailAccount',
  'mailhook',
  'schedule',
  'siteEnvVar',
  'webhook',
  'workspace',
]);

/** Texts that replace personal data that was erased since. */
const erased: readonly unknown[] = ['erased', 'A former user', 'A former member'];
const erasedWhole: Readonly<Record<string, string>> = { appUser: 'customFields', row: 'values' };

/** Returns the response as it would be if the personal data erased in `state` were erased in it too. */
function erasedAs(state: unknown, answer: unknown): unknown {
  if (erased.includes(state)) return state;
  if (typeof state !== 'object' || state === null || typeof answer !== 'object' || answer === null) return answer;
  const told = new Map(Object.entries(state));
  const entries = Object.entries(answer).map(([name, value]) => [
    name,
    told.has(name) ? erasedAs(told.get(name), value) : value,
  ]);
  return Array.isArray(answer) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

const isNothing = (value: unknown) => value === null || JSON.stringify(value) === '{}';

function differing(kind: string, state: Members | null, answer: Members | null): string | undefined {
  if (state === null || answer === null) {
    return state === answer ? undefined : `was ${JSON.stringify(answer)}, is told as ${JSON.stringify(state)}`;
  }
  if (!lookedAt.includes(kind) && Object.keys(state).length === 0) return 'is told with nothing in it';
  const isShort = listedShortly.has(kind) || !lookedAt.includes(kind);
  const own = Object.entries(answer)
    .filter(([name]) => !elsewhere[kind]?.includes(name))
    .filter(([name, value]) => lookedAt.includes(kind) || !isInner(name, value, state))
    // Lists include some empty members that the audit leaves out.
    .filter(([name, value]) => !isShort || Object.hasOwn(state, name) || !isNothing(value));
  const whole = erasedWhole[kind];
  const isGone = whole !== undefined && state[whole] === null && (kind === 'row' || state['email'] === 'erased');
  const expected = { ...(erasedAs(state, Object.fromEntries(own)) as Members), ...(isGone ? { [whole]: null } : {}) };
  const told = isShort
    ? Object.fromEntries(Object.entries(state).filter(([name]) => Object.hasOwn(expected, name)))
    : state;
  try {
    expect(told).toEqual(expected);
    return undefined;
  } catch (error) {
    return (error as Error).message.slice(0, 1_500);
  }
}

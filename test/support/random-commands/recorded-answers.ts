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

/** What the product answered of a resource, at a place in the log and in time. */
export interface Recorded {
  readonly kind: string;
  readonly id: string;
  readonly answer: Members | null;
  readonly position: number;
  readonly at: string;
  /** When the last event before the answer was recorded: events of the same millisecond are part of it. */
  readonly last: string;
}

/** Keeps what the product answers of resources while commands change them. */
export class RecordedAnswers {
  readonly all: Recorded[] = [];
  /** What is known of each resource, by kind and id: the project it is in, the table it belongs to. */
  private readonly known = new Map<string, Thing>();
  private seen = -1;
  private last = '';

  constructor(
    private readonly app: TestApp,
    private readonly workspaceId: string,
    private readonly clock: SettableClock,
  ) {}

  /** Asks for what was touched since it last did, and for some others. */
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
      // What something belongs to stands in its first event.
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

  /** The answer and its place in the log: asked again when something was recorded meanwhile. */
  private async ask(key: string): Promise<void> {
    const [kind = '', id = ''] = key.split(' ');
    const facts = this.known.get(key) ?? { id };
    for (;;) {
      const position = await headOf(this.app);
      // Workers record, too, and at any time.
      await this.newEvents();
      const answer = await this.answered(kind, facts);
      if (answer === undefined) return;
      const at = this.clock.now();
      if (position !== (await headOf(this.app))) continue;
      this.all.push({ kind, id, answer, position, at: new Date(at).toISOString(), last: this.last });
      // What is recorded from now on is recorded later than the answer was given.
      this.clock.set(at + 1);
      return;
    }
  }

  /** Kinds that no operation answers one by one are held to what their read model showed, or commands decided on. */
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

  /** Rows are answered by the names that fields have now, and told by the ids that they always had. */
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

  /** Holds all that was answered to what the audit says of those times. */
  async hold(app = this.app): Promise<void> {
    // The first of each kind.
    const wrong = new Map<string, unknown>();
    let asked = 0;
    for (const { kind, id, answer, position, at, last } of this.all) {
      for (const then of [{ position }, { at }, { at: last }]) {
        // So many questions an hour are answered.
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
 * Members of answers that do not come from the resource's own events, but from other records, from the vault or from the
 * present time. They are no part of a past state.
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

/** Collections of read models that are written out by hand. */
const unlisted: Readonly<Record<string, string>> = { appSetting: 'appSettings' };

/** What stands in documents and is nobody's to see; what is sealed there is told opened. */
const isInner = (name: string, value: unknown, state: Members) =>
  !Object.hasOwn(state, name) || (typeof value === 'string' && value.startsWith('sealed:'));

/** Kinds that lists show shortly: the audit tells more of them than the list does. */
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

/** What stands in the place of personal data that was erased since. */
const erased: readonly unknown[] = ['erased', 'A former user', 'A former member'];
const erasedWhole: Readonly<Record<string, string>> = { appUser: 'customFields', row: 'values' };

/** The answer as it would be told when personal data in it was erased since. */
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
    // Lists say of some members that there is nothing.
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

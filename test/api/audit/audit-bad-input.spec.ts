// Second tier.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allOperations } from '../../../src/engine/operation/operation.js';
import type { NewEvent } from '../../../src/kernel/event/event.js';
import { fieldsOf } from '../../../src/kernel/field/field.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { Reply } from '../../support/app.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { done, otherWorkspace } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

const hour = 3_600_000;
const canary = 'canary-of-the-others';
let clock: SettableClock;
let app: OutsideApp;
let theirs: { readonly key: string; readonly id: string; readonly fnId: string; readonly positions: readonly number[] };
let fn: { readonly id: string; readonly positions: readonly number[] };
let event: { readonly id: string; readonly at: string };
const store = () => app.app.get(EventStore, { strict: false });
const operations = () => allOperations().filter(({ name }) => name.startsWith('audit/'));

beforeAll(async () => {
  app = await sharedOutside();
  ({ clock } = app);
  const { ownerKey: key, workspaceId: id } = await otherWorkspace(app);
  const other = await done(app, 'automations/createFunction', { name: canary, code: `return '${canary}'` }, key);
  await done(app, 'workspace/addMember', { name: canary, email: `${canary}@example.org`, role: 'editor' }, key);
  const made = await done(app, 'automations/createFunction', { name: 'ours', code: 'return 1' });
  await done(app, 'automations/updateFunction', { id: made.id, name: 'ours still' });
  const { events } = await done(app, 'audit/getHistory', { kind: 'function', id: made.id });
  fn = { id: made.id, positions: events.map(({ position }: { readonly position: number }) => position) };
  event = events[0];
  const all = await store().readAll({ limit: 10_000, workspaceId: id });
  theirs = { key, id, fnId: other.id, positions: all.map(({ position }) => position) };
});
afterAll(() => app.close());

const odd = [
  '',
  '__proto__',
  'constructor',
  'toString',
  'a\0b',
  '\ud800',
  '../../..',
  'x'.repeat(5_000),
  7,
  null,
  {},
  ['a'],
];
const kinds = () => [
  ...odd,
  'nothing',
  'Function',
  'functions',
  'audit',
  'auditSeal',
  'run',
  'functionName',
  'webhook',
];
const ids = () => [...odd, theirs.id, theirs.fnId, `${theirs.id}.${theirs.fnId}`, `x-${theirs.id}.${theirs.fnId}`, '.'];
const positions = async () => {
  const head = await store().head();
  return [-1, -0, 0, 1.5, head, head + 1, 2 ** 53, 1e308, '1', null, [], ...theirs.positions, ...fn.positions];
};
const instants = () => [
  '1970-01-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '-271821-04-20T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '9999-12-31T23:59:60Z',
  '2999-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-01-01',
  'yesterday',
  event.at,
  new Date(clock.now() + 1_000).toISOString(),
  ...odd,
];

/** Invalid values for the field. */
async function wrongOf(name: string): Promise<readonly unknown[]> {
  if (name === 'kind') return kinds();
  if (name === 'position') return positions();
  if (name === 'at') return instants();
  if (name === 'from' || name === 'to') return [...instants(), ...(await positions())];
  if (name === 'before' || name === 'after') return positions();
  if (name === 'limit') return [-1, 0, 1.5, 1e9, '1', null];
  if (name === 'types') return [[], [''], ['__proto__'], [null], [[]], 'FunctionCreated', Array(500).fill('x')];
  return ids();
}

/** A body whose fields all have valid values. */
const rightBody = (name: string): Readonly<Record<string, unknown>> => {
  const own: Readonly<Record<string, unknown>> = {
    kind: 'function',
    id: fn.id,
    position: fn.positions[0],
    eventId: event.id,
    from: event.at,
    to: event.at,
  };
  const operation = operations().find((one) => one.name === name);
  const fields = operation === undefined ? [] : [...fieldsOf(operation.input)];
  const wanted = fields.filter(([field, { optional }]) => !optional || ['eventId', 'position'].includes(field));
  return Object.fromEntries(wanted.map(([field]) => [field, own[field]]));
};

/** Expects an answer or a refusal with a detail, and nothing of the other workspace in it. */
function isDecent(asked: object, { status, body }: Reply): void {
  const text = JSON.stringify(body);
  expect({ asked, status, isKnown: status === 200 || (status >= 400 && status < 500) }).toMatchObject({
    isKnown: true,
  });
  for (const word of [canary, theirs.id, theirs.fnId]) {
    // A value that the caller sent may be repeated in the answer.
    if (!JSON.stringify(asked).includes(word)) expect([asked, text.includes(word)]).toEqual([asked, false]);
  }
  if (status !== 200) expect([asked, typeof body.detail, body.detail !== '']).toEqual([asked, 'string', true]);
  expect([asked, text.includes(canary)]).toEqual([asked, false]);
}

let asked = 0;
/** Moves the clock on every 800 questions, because the audit limits questions per hour. */
async function ask(operation: string, body: object, key?: string): Promise<Reply> {
  asked += 1;
  if (asked % 800 === 0) clock.set(clock.now() + hour);
  return app.call(operation, body, key);
}

describe('a wrong value', () => {
  it("in any field of any audit operation is refused, or answered from the caller's own workspace only", async () => {
    const all = operations().map(({ name }) => name);
    expect(all).toEqual(expect.arrayContaining(['audit/getStateAt', 'audit/diffStates', 'audit/getHistory']));
    for (const { name, input } of operations()) {
      const right = rightBody(name);
      for (const field of fieldsOf(input).keys()) {
        for (const value of await wrongOf(field)) {
          const body = { ...right, [field]: value };
          isDecent({ name, body }, await ask(name, body));
        }
      }
    }
  }, 300_000);
});

describe('data of another workspace', () => {
  it('is not found: events, histories and states', async () => {
    for (const position of theirs.positions) {
      expect([position, (await ask('audit/getEvent', { position })).status]).toEqual([position, 404]);
    }
    const then = { position: await store().head() };
    for (const [kind, id] of [
      ['function', theirs.fnId],
      ['workspace', theirs.id],
      ['function', `${theirs.id}.${theirs.fnId}`],
      [`function-${theirs.id}`, theirs.fnId],
      [`function-${theirs.id}.${theirs.fnId}`, theirs.fnId],
    ] as const) {
      expect([kind, id, (await ask('audit/getStateAt', { kind, id, ...then })).status]).toEqual([kind, id, 404]);
      const between = { kind, id, from: 0, to: then.position };
      expect([kind, id, (await ask('audit/diffStates', between)).status]).toEqual([kind, id, 404]);
    }
  });

  it('has positions that are still valid positions of the log', async () => {
    // A saga may append to the other workspace after our function was created, so its last position could be too late.
    const [made = 0] = fn.positions;
    const position = theirs.positions.findLast((one) => one < made);
    const { status, body } = await ask('audit/getStateAt', { kind: 'function', id: fn.id, position });
    expect([status, body.state]).toEqual([200, null]);
  });
});

describe('time', () => {
  const code = 'return 1';
  const state = async (id: string, then: object) => {
    const { status, body } = await ask('audit/getStateAt', { kind: 'function', id, ...then });
    return [status, body.state?.name ?? body.state];
  };
  const rename = (id: string, name: string) => done(app, 'automations/updateFunction', { id, name });

  it('before the beginning shows nothing, and a future time is refused', async () => {
    expect(await state(fn.id, { at: '1970-01-01T00:00:00Z' })).toEqual([200, null]);
    expect(await state(fn.id, { position: 0 })).toEqual([200, null]);
    expect((await state(fn.id, { at: new Date(clock.now() + hour).toISOString() }))[0]).toBe(400);
    expect((await state(fn.id, { position: (await store().head()) + 1 }))[0]).toBe(400);
  });

  it('with a reversed range is answered backwards, or with nothing', async () => {
    const [first = 0, last = 0] = [fn.positions[0], fn.positions.at(-1)];
    const there = await done(app, 'audit/diffStates', { kind: 'function', id: fn.id, from: first, to: last });
    const back = await done(app, 'audit/diffStates', { kind: 'function', id: fn.id, from: last, to: first });
    const turned = there.changes.map(({ path, from, to }: Change) => ({ path, from: to, to: from }));
    expect(back.changes).toEqual(turned);
    const soon = new Date(clock.now()).toISOString();
    expect((await done(app, 'audit/listEvents', { from: soon, to: '2000-01-01T00:00:00Z' })).events).toEqual([]);
  });

  it('of one millisecond includes all of its events', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'at once', code });
    const [begun] = (await done(app, 'audit/getHistory', { kind: 'function', id })).events;
    await recorded(id, [begun.at, begun.at], (at) => `at once ${at}`);
    expect(await state(id, { at: begun.at })).toEqual([200, 'at once 2']);
    const before = new Date(Date.parse(begun.at) - 1).toISOString();
    expect(await state(id, { at: before })).toEqual([200, null]);
  });

  it('that was set back follows the order of the log', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'first', code });
    const begun = clock.now();
    clock.set(begun - 2 * hour);
    await rename(id, 'second');
    const { status, body } = await ask('audit/getHistory', { kind: 'function', id });
    expect([status, body.events.length]).toEqual([200, 2]);
    const [, last] = body.events;
    expect(Date.parse(last.at)).toBeLessThan(begun);
    // At that earlier time of the clock, the function did not exist yet.
    expect(await state(id, { at: last.at })).toEqual([200, null]);
    expect(await state(id, { position: last.position })).toEqual([200, 'second']);
    clock.set(begun + 1_000);
    expect(await state(id, { at: new Date(clock.now()).toISOString() })).toEqual([200, 'second']);
    await rename(id, 'third');
    expect(await state(id, { at: new Date(clock.now()).toISOString() })).toEqual([200, 'third']);
    for (const { name } of operations()) isDecent({ name }, await ask(name, rightBody(name)));
  });
});

interface Change {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Appends many renames of a function with the given times, as its operation would record them. */
async function recorded(id: string, times: readonly string[], name: (at: number) => string): Promise<void> {
  const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
  const stream = `function-${workspaceId}.${id}`;
  const [first] = await store().readStream(stream, { limit: 1 });
  if (first === undefined) throw new Error('There is no such function.');
  const events = times.map(
    (at, index): NewEvent => ({
      id: crypto.randomUUID(),
      type: 'FunctionDetailsChanged',
      data: { name: name(index + 1) },
      metadata: { ...first.metadata, at, commandId: crypto.randomUUID(), operation: 'automations/updateFunction' },
    }),
  );
  for (let from = 0; from < events.length; from += 500) {
    await store().append([{ stream, expected: 'any', events: events.slice(from, from + 500) }]);
  }
}

describe('a resource of 10,000 events', () => {
  it('is covered by every operation, page by page', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'long', code: 'return 1' });
    const begun = clock.now();
    const time = (index: number) => new Date(begun + index).toISOString();
    await recorded(
      id,
      Array.from({ length: 10_000 }, (_, index) => time(index)),
      (at) => `long ${at}`,
    );
    clock.set(begun + 20_000);
    for (const index of [0, 1, 255, 256, 4_999, 9_999]) {
      const { state } = await done(app, 'audit/getStateAt', { kind: 'function', id, at: time(index) });
      expect(state.name).toBe(`long ${index + 1}`);
    }
    let after: number | undefined;
    let seen = 0;
    do {
      const page = { kind: 'function', id, limit: 200, ...(after === undefined ? {} : { after }) };
      const { events, next } = await done(app, 'audit/getHistory', page);
      seen += events.length;
      after = next ?? undefined;
    } while (after !== undefined);
    expect(seen).toBe(10_001);
    const between = { kind: 'function', id, from: time(0), to: time(9_999) };
    const { changes } = await done(app, 'audit/diffStates', between);
    expect(changes).toContainEqual({ path: 'name', from: 'long 1', to: 'long 10000' });
  }, 120_000);
});

// Second tier.
import { afterEach, describe, expect, it } from '@jest/globals';
import { WorkerSchemaCheck } from '../../../src/adapters/schema-check/worker/worker-schema-check.adapter.js';
import type { Json, JsonObject } from '../../../src/kernel/json/json.js';
import { CheckGivenUp } from '../../../src/ports/offloaded/schema-check.port.js';
import { checkingThreads } from '../../support/stores/threads.js';
import { schemaCheckContract } from './schema-check.contract.js';

let checks = new WorkerSchemaCheck();
afterEach(async () => {
  await checks.close();
  checks = new WorkerSchemaCheck();
});

const check = (schema: JsonObject, value: Json, workspaceId = 'w') => checks.check({ workspaceId, schema, value });
const honest = (workspaceId = 'w') => check({ type: 'string' }, 1, workspaceId);
const misfit = [{ path: [], message: 'must be a string' }];

describe('schemas checked in threads', () => {
  schemaCheckContract(() => checks);
});

const list = <T>(length: number, one: (at: number) => T): T[] => Array.from({ length }, (_, at) => one(at));
/** A schema with a chain of definitions, each of which refers to the next. */
const chain = (length: number, one: (next: string) => JsonObject, last: JsonObject = {}): JsonObject => ({
  $ref: '#/$defs/a0',
  $defs: Object.fromEntries([...list(length, (at) => [`a${at}`, one(`#/$defs/a${at + 1}`)]), [`a${length}`, last]]),
});
const numbers = list(100_000, (at) => at);
const members = Object.fromEntries(list(60_000, (at) => [`k${at}`, at]));
const nested = (levels: number): Json => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as Json;

const hostile: readonly (readonly [string, JsonObject, Json])[] = [
  ['a pattern that backtracks for ever', { pattern: '^(a+)+$' }, `${'a'.repeat(50)}!`],
  ['a pattern for names that does', { patternProperties: { '^(\\w+\\s?)*$': {} } }, { [`${'a'.repeat(50)}!`]: 1 }],
  ['a pattern with a thousand thousands', { pattern: `^(?:${'.*'.repeat(500)})$` }, `${'a'.repeat(50_000)}\n`],
  ['references that double at each step', chain(60, ($ref) => ({ allOf: [{ $ref }, { $ref }] })), 1],
  ['alternatives that double at each step', chain(60, ($ref) => ({ anyOf: [{ $ref }, { $ref }] }), false as never), 1],
  ['a value looked at by everybody', { allOf: list(2_000, () => ({ items: { type: 'number' } })) }, numbers],
  ['the same of names', { allOf: list(2_000, () => ({ propertyNames: { minLength: 1 } })) }, members],
  ['unique items over and over', { allOf: list(500, () => ({ uniqueItems: true })) }, numbers],
  [
    'sets kept at every step',
    chain(1_500, ($ref) => ({ contains: {}, allOf: [{ $ref }], unevaluatedItems: false })),
    numbers,
  ],
  [
    'sets of names kept at every step',
    chain(1_000, ($ref) => ({ additionalProperties: {}, allOf: [{ $ref }], unevaluatedProperties: false })),
    members,
  ],
  ['a reference that never ends', { $ref: '#' }, 1],
  ['a loop through two', { $defs: { a: { not: { $ref: '#/$defs/a' } } }, $ref: '#/$defs/a' }, 1],
  ['a reference to nothing', { $ref: '#/nowhere' }, 1],
  ['a value nested deeper than a stack', { items: { $ref: '#' } }, nested(100_000)],
  ['a schema nested so', { const: nested(5_000) }, [1]],
];

describe('a hostile schema', () => {
  it.each(hostile)('%s: is aborted in time, and the next check works', async (_, schema, value) => {
    await honest();
    const began = performance.now();
    await expect(check(schema, value)).rejects.toThrow(CheckGivenUp);
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(await honest()).toEqual(misfit);
  });

  it('needs a limited amount of memory, again and again', async () => {
    const greedy = hostile.filter(([name]) => name.startsWith('sets') || name.startsWith('unique'));
    await honest();
    const before = process.memoryUsage().rss;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss - before);
    }, 5);
    for (const [, schema, value] of [...greedy, ...greedy, ...greedy])
      await check(schema, value).catch(() => undefined);
    clearInterval(watch);
    expect(most).toBeLessThan(400 * 1024 * 1024);
  });
});

describe('the threads', () => {
  it('start with the first check: one for a workspace, two at most, and none after the close', async () => {
    expect(checkingThreads()).toBe(0);
    await Promise.all(list(20, () => honest()));
    expect(checkingThreads()).toBe(1);
    await Promise.all(list(20, (at) => honest(`w${at}`)));
    expect(checkingThreads()).toBe(2);
    await checks.close();
    expect(checkingThreads()).toBe(0);
  });

  it('are given time to answer after this process was stalled for longer than a check may take', async () => {
    await honest();
    const asked = honest();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    expect(await asked).toEqual(misfit);
  });

  it('return each answer to its caller, with many at once', async () => {
    const asked = list(200, (at) => check({ const: at }, -1, `w${at % 5}`));
    const told = (await Promise.all(asked)).map(([first]) => first?.message);
    expect(told).toEqual(list(200, (at) => `must be ${at}`));
  });

  it('are not both occupied by one workspace, so others go on while its checks are aborted', async () => {
    await Promise.all([honest(), honest('other')]);
    const ends: string[] = [];
    const endless = () => check({ pattern: '^(a+)+$' }, `${'a'.repeat(50)}!`).catch(() => ends.push('given up'));
    const all = [...list(2, endless), ...list(20, () => honest('other').then(() => ends.push('told')))];
    await Promise.all(all);
    expect(ends).toEqual([...list(20, () => 'told'), 'given up', 'given up']);
  });

  it('reject waiting and new checks when they are closed', async () => {
    const all = list(3, () => check({ pattern: '^(a+)+$' }, `${'a'.repeat(50)}!`));
    const ends = Promise.allSettled(all);
    await checks.close();
    for (const end of await ends)
      expect(end).toMatchObject({ reason: { message: expect.stringContaining('is stopping') } });
    await expect(honest()).rejects.toThrow('is stopping');
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { commandRunner } from '../../../test/support/given/command-runner.js';
import { EmbeddedEventStore } from '../../adapters/event-store/embedded/embedded-event-store.adapter.js';
import { EmbeddedReadStore } from '../../adapters/read-store/embedded/embedded-read-store.adapter.js';
import { SystemIds } from '../../adapters/system/system-ids.adapter.js';
import { shapeOf } from '../../kernel/field/field.js';
import { fieldOf, integer, text } from '../../kernel/noun/fields.js';
import { noun } from '../../kernel/noun/noun.js';
import type { NounEvents, RecordOf } from '../../kernel/noun/noun-types.js';
import type { Vault } from '../../ports/vault.port.js';
import { CommandRunner } from '../commands/command-runner.js';
import { uniqueName } from '../commands/reservation.js';
import { Calls } from '../operation/calls.js';
import { findOperation } from '../operation/operation.js';
import { bindContext } from '../operation/operation-context.js';
import { inputOf } from '../operation/validation.js';
import { ProjectionFeed } from '../projections/projection-feed.js';
import { ReadModels } from '../read-models/read-models.js';
import { Reads } from '../scopes/reads.js';
import { Scopes } from '../scopes/scopes.js';
import { Targets } from '../scopes/targets.js';
import { newestFirst } from './newest-first.js';
import { recordShown } from './record-views.js';
import { resource } from './resource.js';
import { projectionsOf, slice } from './slice.js';

const fields = {
  code: text({ maxLength: 8 }),
  percentOff: integer(1, 100).describe({ create: 'Of the price.' }),
  note: text().clearable(),
  region: text().initially('everywhere').fixed().since(2),
  secret: fieldOf<string>()({ type: 'string' }).folded('inside').internal(),
};
const names = { created: 'CouponMade', changed: 'CouponChanged', deleted: 'CouponDeleted' } as const;
type CouponEvent = NounEvents<typeof fields, typeof names>;
type Coupon = RecordOf<typeof fields>;

const missing = (): never => {
  throw new Error('There is no such coupon.');
};
const coupons = noun<Coupon, CouponEvent>()({
  kind: 'specCoupon',
  fields,
  events: names,
  auditedFor: 'workspace.read',
  shownBy: null,
  undoing: 'Nothing of it can be undone.',
  missing,
  collection: { name: 'specCoupons', version: 2, indexes: [{ fields: ['workspaceId', 'createdAt'] }] },
});

const code = uniqueName('specCouponCode', coupons, (coupon: Coupon) => coupon.code);
const taken = (name: string): never => {
  throw new Error(`${name} is taken.`);
};
const coupon = resource(coupons, {
  source: 'a test',
  group: 'coupons',
  tools: 'never',
  reads: 'workspace.read',
  edits: 'functions.edit',
  id: 'coupon',
  answer: { called: 'CouponRecord' },
  unique: { name: code, field: 'code', taken },
});
const short = resource(coupons, {
  source: 'a test',
  group: 'coupons',
  tools: 'never',
  reads: 'workspace.read',
  edits: 'functions.edit',
  id: 'coupon',
  answer: { shape: shapeOf('ShortCoupon', { code: { type: 'string' } }) },
});
const getShort = short.get('spec/getShortCoupon', { summary: 'Shows what a coupon is called.' });
const [list, get, create, update, remove] = [
  coupon.list('spec/listCoupons', {
    summary: 'Lists coupons.',
    input: { percentOff: { type: 'integer', optional: true } },
    where: ({ percentOff }) => (percentOff === undefined ? {} : { percentOff: Number(percentOff) }),
    as: 'coupons',
  }),
  coupon.get('spec/getCoupon', { summary: 'Shows a coupon.' }),
  coupon.create('spec/createCoupon', { summary: 'Creates a coupon.' }),
  coupon.update('spec/updateCoupon', { summary: 'Updates a coupon.' }),
  coupon.remove('spec/deleteCoupon', { summary: 'Deletes a coupon.' }),
] as const;

interface CouponRecord {
  readonly id: string;
}

let directory: string;
let events: EmbeddedEventStore;
let store: EmbeddedReadStore;
let runner: CommandRunner;
let reads: Reads;
let feed: ProjectionFeed;
let calls: Calls;
const clock = new MadeUpClock();
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'resource-'));
  events = new EmbeddedEventStore({ directory });
  store = new EmbeddedReadStore({ directory, patienceMs: 0 });
  const [projection] = projectionsOf('shop', [slice(coupons)]);
  if (projection === undefined) throw new Error('The record has no read model.');
  const build = { projection: projection.name, generation: 'v1_0' };
  feed = new ProjectionFeed([{ projection, build }], build, events, store);
  await feed.prepare();
  await store.activate(build, projection.collections);
  const ids = new SystemIds(clock);
  calls = new Calls(clock, ids, { derive: (text: string) => text } as Vault);
  const models = new ReadModels([projection]);
  runner = commandRunner({ events, calls, clock, ids, store, models });
  reads = new Reads(store, new Scopes(new Targets()));
});
afterEach(async () => {
  await events.close();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const actor = { kind: 'system', id: 'system', name: 'spec' } as const;
async function run(handler: Type<object>, needs: object, input: object): Promise<unknown> {
  const made = new handler(needs) as { execute(input: object): Promise<unknown> };
  return made.execute(bindContext(calls.once('ws', actor, 'spec'), input));
}
async function command(handler: Type<object>, input: object): Promise<CouponRecord> {
  const answer = await run(handler, runner, input);
  const all = await events.readAll({ types: coupons.types, from: -1, limit: 100 });
  const taking = feed.apply(all.slice(recordedBefore), all.at(-1)?.position ?? -1);
  recordedBefore = all.length;
  store.flushSoon();
  await taking;
  return answer as CouponRecord;
}
let recordedBefore = 0;
beforeEach(() => {
  recordedBefore = 0;
});
const query = (handler: Type<object>, input: object) => run(handler, reads, input);

describe('the operations of a noun', () => {
  it('answer, get and list it with its answer class, without internal fields', async () => {
    const made = await command(create, { code: 'A', percentOff: 10 });
    expect(made).toEqual({
      id: expect.stringMatching(/^coupon_/),
      code: 'A',
      percentOff: 10,
      note: null,
      region: 'everywhere',
      createdAt: expect.any(String),
    });
    expect(await query(get, { id: made.id })).toEqual(made);
    expect(await query(list, {})).toEqual({ coupons: [made] });
  });

  it('may answer a class of another slice, so that histories do not show it', async () => {
    const made = await command(create, { code: 'A', percentOff: 10 });
    expect(await query(getShort, { id: made.id })).toEqual({ code: 'A' });
    expect(recordShown(coupons, made as unknown as Coupon, String)).toEqual(made);
  });

  it('change sent fields, record differences, and delete it', async () => {
    const { id } = await command(create, { code: 'A', percentOff: 10 });
    expect(await command(update, { id, percentOff: 20, note: 'x' })).toMatchObject({
      id,
      code: 'A',
      percentOff: 20,
      note: 'x',
    });
    expect(await command(update, { id, note: null })).toMatchObject({ percentOff: 20, note: null });
    await command(update, { id, code: 'A', percentOff: 20 });
    expect(await command(remove, { id })).toEqual({ success: true });
    const types = (await events.readAll({ types: coupons.types, from: -1, limit: 9 })).map(({ type }) => type);
    expect(types).toEqual(['CouponMade', 'CouponChanged', 'CouponChanged', 'CouponDeleted']);
    await expect(query(get, { id })).rejects.toThrow('There is no such coupon.');
    await expect(command(update, { id, percentOff: 1 })).rejects.toThrow('There is no such coupon.');
  });

  it('list only those that match the input', async () => {
    await command(create, { code: 'A', percentOff: 10 });
    const wanted = await command(create, { code: 'B', percentOff: 20 });
    expect(await query(list, { percentOff: 20 })).toEqual({ coupons: [wanted] });
  });

  it('give a name to one record at a time, also when it is changed to that name', async () => {
    const first = await command(create, { code: 'A', percentOff: 10 });
    const second = await command(create, { code: 'B', percentOff: 10 });
    await expect(command(create, { code: 'A', percentOff: 1 })).rejects.toThrow('A is taken.');
    await expect(command(update, { id: second.id, code: 'A' })).rejects.toThrow('A is taken.');
    await command(update, { id: first.id, code: 'C' });
    expect(await command(update, { id: second.id, code: 'A' })).toMatchObject({ code: 'A' });
  });
});

describe("the consequences of a noun's fields", () => {
  const fault = (operation: string, body: object) => {
    try {
      inputOf(findOperation(operation)?.input ?? missing(), body);
      return undefined;
    } catch (error) {
      return String(error);
    }
  };

  it.each([
    ['spec/createCoupon', { code: 'A', percentOff: 1 }, undefined],
    ['spec/createCoupon', { percentOff: 1 }, 'code'],
    ['spec/createCoupon', { code: 'ABCDEFGHI', percentOff: 1 }, 'code'],
    ['spec/createCoupon', { code: 'A', percentOff: 101 }, 'percentOff'],
    ['spec/createCoupon', { code: 'A', percentOff: 1, note: 'x', region: 'here' }, undefined],
    ['spec/createCoupon', { code: 'A', percentOff: 1, note: null }, 'note'],
    ['spec/createCoupon', { code: 'A', percentOff: 1, region: null }, 'region'],
    ['spec/createCoupon', { code: 'A', percentOff: 1, secret: 'mine' }, 'secret'],
    ['spec/updateCoupon', { id: 'coupon_1' }, undefined],
    ['spec/updateCoupon', { percentOff: 1 }, 'id'],
    ['spec/updateCoupon', { id: 'coupon_1', region: 'here' }, 'region'],
    ['spec/updateCoupon', { id: 'coupon_1', code: null }, 'code'],
  ] as const)('%s judges %j, wrong: %s', (operation, body, wrong) => {
    const said = fault(operation, body);
    if (wrong === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(`${wrong} (`);
  });

  it('fill a field that was added later in records of old events, and keep the order of the declaration', () => {
    const old = { type: 'CouponMade', data: { code: 'A', percentOff: 10 } } as const;
    const event = { ...old, stream: 'specCoupon-ws.coupon_1', metadata: { at: '2026-01-01T00:00:00.000Z' } };
    const begun = coupons.begin(event as never);
    expect(begun).toMatchObject({ note: null, region: 'everywhere', secret: 'inside' });
    expect(Object.keys(begun ?? {}).slice(2)).toEqual(['code', 'percentOff', 'note', 'region', 'secret', 'createdAt']);
  });
});

describe('a page of a long list', () => {
  const page = (input: object, more: object = {}) =>
    newestFirst<Coupon>(reads, 'ws', 'specCoupons', input, { by: 'createdAt', missing, ...more });

  it('is newest first and continues before the named one, also among records of one moment', async () => {
    for (const code of ['A', 'B', 'C', 'D']) await command(create, { code, percentOff: 10 });
    const all = await page({});
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    const [first, second, ...rest] = all;
    expect(await page({ limit: 2 })).toEqual([first, second]);
    expect(await page({ limit: 2, before: second?.id })).toEqual(rest);
  });

  it('refuses to continue before an unknown one, or one outside the list', async () => {
    const { id } = await command(create, { code: 'A', percentOff: 10 });
    await expect(page({ before: 'coupon_none' })).rejects.toThrow('There is no such coupon.');
    await expect(page({ before: id }, { belongs: () => false })).rejects.toThrow('There is no such coupon.');
  });
});

// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TargetStart } from '../../../src/engine/scopes/targets.js';
import type { TestApp } from '../../support/app.js';
import { type EventScene, eventScene, pathsOf } from '../../support/automations/event-triggers.js';
import { replaceTarget } from '../../support/automations/replaced-targets.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let scene: EventScene;
let target: string;
beforeAll(async () => {
  app = await sharedApp({ several: false });
  scene = eventScene(app);
  target = await scene.fn();
});
afterAll(() => app.close());

const add = (rest: object) => ({ event: 'custom.x', targetKind: 'account_function', targetRef: target, ...rest });
const listed = async (id: string) =>
  (await scene.ok('listEventTriggers')).find((trigger: { id: string }) => trigger.id === id);

describe('addEventTrigger', () => {
  it('answers the trigger as it is listed, named after event and target', async () => {
    const added = await scene.ok('addEventTrigger', add({ event: 'custom.named' }));
    expect(added).toEqual({
      id: expect.any(String),
      name: 'When custom.named, run Function 1',
      event: 'custom.named',
      filters: [],
      targetKind: 'account_function',
      targetRef: target,
      targetName: 'Function 1',
      config: {},
      isActive: true,
      lastFiredAt: null,
      fireCount: 0,
    });
    expect(await listed(added.id)).toEqual(added);
  });

  it.each(['*', 'base.*', 'channel.*', 'custom.*', 'app.*', 'custom.a.b-c_d', 'app.anything', 'function.published'])(
    'accepts the event %s',
    async (event) => {
      const { id, name } = await scene.ok('addEventTrigger', add({ event, name: 'Mine' }));
      expect(name).toBe('Mine');
      await scene.ok('removeEventTrigger', { id });
    },
  );

  it.each([
    'base.row_made',
    'function.nonsense',
    'nonsense.*',
    'nonsense',
    'custom.',
    'custom.A',
    'custom.a.*',
    '**',
    '.*',
    '*.x',
    'function*',
    ' custom.x',
    '__proto__.*',
    'constructor',
  ])('refuses the event %j', async (event) => {
    expect(pathsOf(await scene.call('addEventTrigger', add({ event })))).toEqual([400, 'event']);
  });

  it('refuses an unknown target and an unknown kind of target', async () => {
    const missing = await scene.call('addEventTrigger', add({ targetRef: 'fn_nowhere' }));
    expect(missing).toMatchObject({ status: 404, body: { code: 'target-not-found' } });
    const site = await scene.call('addEventTrigger', add({ targetKind: 'site_function' }));
    expect(site).toMatchObject({ status: 404, body: { code: 'target-not-found' } });
    expect(pathsOf(await scene.call('addEventTrigger', add({ targetKind: 'person' })))).toEqual([400, 'targetKind']);
  });

  it('accepts site functions only if they are switched on', async () => {
    await done(app, 'workspace/updateSettings', { siteFunctionTargets: false });
    const site = await scene.call('addEventTrigger', add({ targetKind: 'site_function' }));
    expect(site).toMatchObject({ status: 403, body: { code: 'site-targets-off' } });
    await done(app, 'workspace/updateSettings', { siteFunctionTargets: true });
  });

  it.each([
    [[{ op: 'eq', value: 1 }], 'filters[0].field'],
    [[{ field: '', op: 'eq', value: 1 }], 'filters[0].field'],
    [[{ field: 'x'.repeat(201), op: 'eq', value: 1 }], 'filters[0].field'],
    [[{ field: 'a', op: 'like', value: 1 }], 'filters[0].op'],
    [[{ field: 'a', op: 'constructor', value: 1 }], 'filters[0].op'],
    [[{ field: 'a', op: 'eq' }], 'filters[0].value'],
    [[{ field: 'a', op: 'eq', value: null }], 'filters[0].value'],
    [[{ field: 'a', op: 'eq', value: [1] }], 'filters[0].value'],
    [[{ field: 'a', op: 'in', value: [] }], 'filters[0].value'],
    [[{ field: 'a', op: 'in', value: Array.from({ length: 201 }, (_, n) => n) }], 'filters[0].value'],
    [[{ field: 'a', op: 'gt', value: true }], 'filters[0].value'],
    [[{ field: 'a', op: 'isEmpty', value: 1 }], 'filters[0].value'],
    [[{ field: 'a', op: 'eq', value: 1, extra: 1 }], 'filters[0].extra'],
    [
      [
        { field: 'a', op: 'eq', value: 1 },
        { field: 'b', op: 'no' },
      ],
      'filters[1].op',
    ],
    [Array.from({ length: 21 }, () => ({ field: 'a', op: 'eq', value: 1 })), 'filters'],
    [[{ field: 'a', op: 'eq', value: 'x'.repeat(16_384) }], 'filters'],
    [['text'], 'filters'],
    [[null], 'filters'],
    ['text', 'filters'],
    [null, 'filters'],
  ])('refuses the filters %j', async (filters, path) => {
    const { status, body } = await scene.call('addEventTrigger', add({ filters }));
    expect([status, body.errors?.[0].path]).toEqual([400, path]);
  });

  it.each([
    [{ other: 1 }, 'config.other'],
    [{ params: 'text' }, 'config.params'],
    [{ params: { event: 1 } }, 'config.params.event'],
    [{ params: { trigger: 1 } }, 'config.params.trigger'],
    [{ params: { text: 'x'.repeat(8_192) } }, 'config.params'],
    [{ installId: 'inst_1' }, 'config.installId'],
    ['text', 'config'],
  ])('refuses the config %j', async (config, path) => {
    expect(pathsOf(await scene.call('addEventTrigger', add({ config })))).toEqual([400, path]);
  });

  it('knows no installed app for an app event', async () => {
    const named = await scene.call('addEventTrigger', add({ event: 'app.paid', config: { installId: 'inst_1' } }));
    expect(named).toMatchObject({ status: 404, body: { code: 'app-install-not-found' } });
  });
});

describe('filters', () => {
  const event = {
    name: 'filtered',
    subject: { name: 'Order 7', type: 'order' },
    properties: {
      total: 12.5,
      tags: ['new', 'big'],
      paid: true,
      at: '2030-01-02T00:00:00Z',
      customer: { city: 'Oslo' },
      'dotted.key': 'whole',
      empty: '',
    },
  };
  it.each([
    [{ field: 'total', op: 'gt', value: 12 }, true],
    [{ field: 'total', op: 'lte', value: 12 }, false],
    [{ field: 'total', op: 'eq', value: '12.5' }, false],
    [{ field: 'tags', op: 'eq', value: 'big' }, true],
    [{ field: 'tags', op: 'contains', value: 'new' }, true],
    [{ field: 'tags', op: 'ne', value: 'big' }, false],
    [{ field: 'tags', op: 'in', value: ['small', 'big'] }, true],
    [{ field: 'tags', op: 'nin', value: ['small', 'big'] }, false],
    [{ field: 'paid', op: 'eq', value: true }, true],
    [{ field: 'at', op: 'eq', value: '2030-01-02' }, true],
    [{ field: 'at', op: 'lt', value: '2030-01-02T00:00:01+00:00' }, true],
    [{ field: 'customer.city', op: 'eq', value: 'Oslo' }, true],
    [{ field: 'customer.city', op: 'eq', value: 'Rome' }, false],
    [{ field: 'dotted.key', op: 'eq', value: 'whole' }, true],
    [{ field: 'customer', op: 'isNotEmpty' }, true],
    [{ field: 'empty', op: 'isEmpty' }, true],
    [{ field: 'missing', op: 'isEmpty' }, true],
    [{ field: 'missing', op: 'eq', value: 'x' }, false],
    [{ field: 'constructor', op: 'isNotEmpty' }, false],
    [{ field: 'toString.name', op: 'isNotEmpty' }, false],
    [{ field: 'subject.name', op: 'eq', value: 'Order 7' }, true],
    [{ field: 'subject.type', op: 'eq', value: 'order' }, false],
    [{ field: 'name', op: 'eq', value: 'custom.filtered' }, true],
    [{ field: 'source', op: 'eq', value: 'custom' }, true],
    [{ field: 'origin', op: 'in', value: ['api', 'mcp'] }, true],
    [{ field: 'origin', op: 'eq', value: 'function' }, false],
  ])('%j matches: %s', async (filter, matches) => {
    const trigger = await scene.add(target, 'custom.filtered', { filters: [filter] });
    const { matched } = await scene.ok('raise', event);
    await scene.ok('removeEventTrigger', { id: trigger.id });
    expect(matched).toBe(matches ? 1 : 0);
  });

  it('must all match', async () => {
    const filters = [
      { field: 'a', op: 'eq', value: 1 },
      { field: 'b', op: 'eq', value: 2 },
    ];
    const trigger = await scene.add(target, 'custom.both', { filters });
    const raise = (properties: object) => scene.ok('raise', { name: 'both', properties });
    expect(await raise({ a: 1, b: 3 })).toMatchObject({ matched: 0 });
    expect(await raise({ a: 1, b: 2 })).toMatchObject({ matched: 1 });
    const [run, ...others] = await scene.over(trigger.id);
    expect([others, run?.event.properties]).toEqual([[], { a: 1, b: 2 }]);
  });
});

describe('patterns', () => {
  it('are a name, a source or everything, and each fires for its own events', async () => {
    const [name, source, all, other] = await Promise.all(
      ['custom.one', 'custom.*', '*', 'app.*'].map((event) => scene.add(target, event)),
    );
    expect(await scene.ok('raise', { name: 'one' })).toMatchObject({ matched: 3 });
    expect(await scene.ok('raise', { name: 'one.more' })).toMatchObject({ matched: 2 });
    const custom = async (id: string) => (await scene.runs(id)).filter(({ event }) => event.source === 'custom').length;
    await scene.over(source.id, 2);
    expect([await custom(name.id), await custom(other.id)]).toEqual([1, 0]);
    expect(await custom(all.id)).toBe(2);
    for (const { id } of [name, source, all, other]) await scene.ok('removeEventTrigger', { id });
  });
});

describe('updateEventTrigger', () => {
  it('replaces the sent fields, filters and config as a whole, and keeps the rest', async () => {
    const filters = [{ field: 'a', op: 'eq', value: 1 }];
    const added = await scene.add(target, 'custom.up', { filters, config: { params: { a: 1 } } });
    const update = (sent: object) => scene.ok('updateEventTrigger', { id: added.id, ...sent });
    expect(await update({ name: 'New' })).toEqual({ ...added, name: 'New' });
    const other = [{ value: 2, field: 'b', op: 'ne' }];
    expect(await update({ filters: other, config: {} })).toEqual({ ...added, name: 'New', filters: other, config: {} });
    expect(await update({ filters: [], event: 'custom.up2' })).toMatchObject({ filters: [], event: 'custom.up2' });
    expect(await scene.ok('raise', { name: 'up' })).toMatchObject({ matched: 0 });
    expect(await scene.ok('raise', { name: 'up2' })).toMatchObject({ matched: 1 });
  });

  it('switches off and on, and records nothing without a change', async () => {
    const { id } = await scene.add(target, 'custom.switched');
    const set = (isActive: boolean) => scene.ok('updateEventTrigger', { id, isActive });
    expect(await set(true)).toMatchObject({ isActive: true });
    expect(await set(false)).toMatchObject({ isActive: false });
    expect(await scene.ok('raise', { name: 'switched' })).toMatchObject({ matched: 0 });
    expect(await set(true)).toMatchObject({ isActive: true });
    expect(await scene.ok('raise', { name: 'switched', properties: { second: true } })).toMatchObject({ matched: 1 });
    const [run, ...others] = await scene.over(id);
    expect([run?.event.properties, others]).toEqual([{ second: true }, []]);
    const { events } = await done(app, 'audit/getHistory', { kind: 'eventTrigger', id });
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      'EventTriggerAdded',
      'EventTriggerDeactivated',
      'EventTriggerActivated',
    ]);
  });

  it.each([
    [{ targetRef: 'fn_2' }, 'targetRef'],
    [{ targetKind: 'agent' }, 'targetKind'],
    [{ event: 'nonsense.*' }, 'event'],
    [{ filters: [{ field: 'a', op: 'no' }] }, 'filters[0].op'],
    [{ config: { more: 1 } }, 'config.more'],
    [{ config: { installId: 'inst_1' } }, 'config.installId'],
    [{ isActive: 'yes' }, 'isActive'],
    [{ name: '' }, 'name'],
    [{ name: null }, 'name'],
  ])('refuses to change a trigger to %j', async (sent, path) => {
    const { id } = await scene.add(target, 'custom.refused');
    expect(pathsOf(await scene.call('updateEventTrigger', { id, ...sent }))).toEqual([400, path]);
    expect(await listed(id)).toMatchObject({ event: 'custom.refused', isActive: true });
  });
});

describe('listEventTriggers', () => {
  it('is narrowed by kind, by reference, or by both', async () => {
    const own = await scene.fn();
    const { id } = await scene.add(own, 'custom.mine');
    const ids = async (input: object) =>
      (await scene.ok('listEventTriggers', input)).map((trigger: { id: string }) => trigger.id);
    expect(await ids({ targetRef: own })).toEqual([id]);
    expect(await ids({ targetRef: own, targetKind: 'account_function' })).toEqual([id]);
    expect(await ids({ targetRef: own, targetKind: 'flow' })).toEqual([]);
    expect(await ids({ targetKind: 'account_function' })).toContain(id);
    expect(pathsOf(await scene.call('listEventTriggers', { targetKind: 'site' }))).toEqual([400, 'targetKind']);
  });

  it('shows a deleted target without a name, and keeps its trigger', async () => {
    const own = await scene.fn();
    const { id } = await scene.add(own, 'custom.kept');
    await done(app, 'automations/deleteFunction', { id: own });
    expect(await listed(id)).toMatchObject({ targetRef: own, targetName: null });
  });
});

describe('setFlowEventTrigger', () => {
  const started: TargetStart[] = [];
  beforeAll(() => {
    replaceTarget(app, 'flow', {
      find: async (_, ref) => (ref.startsWith('flow_') ? { name: `Flow ${ref}`, isActive: true } : undefined),
      isGoing: async () => undefined,
      start: async (starts) => void started.push(...starts),
    });
  });
  const set = (rest: object) => scene.ok('setFlowEventTrigger', { flowId: 'flow_1', triggerId: 'node', ...rest });

  it('adds the trigger of a node once, then changes it, and adds it again after a removal', async () => {
    const [first, ...same] = await Promise.all([1, 2, 3, 4].map(() => set({ event: 'custom.flow' })));
    expect(same.map(({ id }) => id)).toEqual([first.id, first.id, first.id]);
    expect(first).toMatchObject({ targetKind: 'flow', targetRef: 'flow_1', targetName: 'Flow flow_1', isActive: true });
    const filters = [{ field: 'a', op: 'eq', value: 1 }];
    expect(await set({ event: 'custom.flow2', filters })).toEqual({ ...first, event: 'custom.flow2', filters });
    expect(await set({ event: 'custom.flow2' })).toEqual({ ...first, event: 'custom.flow2' });
    expect(await scene.ok('listEventTriggers', { targetKind: 'flow', targetRef: 'flow_1' })).toHaveLength(1);
    expect((await set({ event: 'custom.flow', triggerId: 'other' })).id).not.toBe(first.id);
    await scene.ok('removeEventTrigger', { id: first.id });
    expect(await set({ event: 'custom.again' })).toMatchObject({ id: first.id, event: 'custom.again', isActive: true });
  });

  it('runs the flow as any trigger runs its target', async () => {
    const { id } = await set({ event: 'custom.runflow', triggerId: 'run' });
    await scene.ok('raise', { name: 'runflow' });
    const start = await eventually(
      async () => started.find(({ starter }) => starter.kind === 'event' && starter.id === id),
      (found) => found !== undefined,
    );
    expect(start).toMatchObject({ target: { kind: 'flow', ref: 'flow_1' }, source: 'event', eventDepth: 1 });
    expect(await scene.runs(id)).toMatchObject([{ id: start?.runId, status: 'queued', attempts: 0 }]);
  });

  it('refuses invalid input like the other operations', async () => {
    const call = (rest: object) =>
      scene.call('setFlowEventTrigger', { flowId: 'flow_1', triggerId: 'n', event: 'custom.x', ...rest });
    expect(await call({ flowId: 'nowhere' })).toMatchObject({ status: 404, body: { code: 'target-not-found' } });
    expect(pathsOf(await call({ event: 'base.nonsense' }))).toEqual([400, 'event']);
    expect(pathsOf(await call({ filters: [{}] }))).toEqual([400, 'filters[0].field', 'filters[0].op']);
    expect(pathsOf(await call({ installId: 'inst_1' }))).toEqual([400, 'installId']);
    expect((await call({ installId: 'inst_1', event: 'app.paid' })).body.code).toBe('app-install-not-found');
    expect(pathsOf(await call({ config: {} }))).toEqual([400, 'config']);
    expect(pathsOf(await scene.call('setFlowEventTrigger', { event: '*' }))).toEqual([400, 'flowId', 'triggerId']);
  });
});

// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { type EventScene, eventScene, pathsOf } from '../../support/automations/event-triggers.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let scene: EventScene;
beforeAll(async () => {
  app = await sharedApp();
  scene = eventScene(app);
});
afterAll(() => app.close());

describe('raise', () => {
  it('records custom.<name> and answers how many triggers it matches, even right after one was added', async () => {
    const target = await scene.fn();
    expect(await scene.ok('raise', { name: 'counted' })).toEqual({
      recorded: true,
      event: 'custom.counted',
      matched: 0,
    });
    const trigger = await scene.add(target, 'custom.counted');
    expect(await scene.ok('raise', { name: 'counted' })).toMatchObject({ matched: 1 });
    await scene.ok('removeEventTrigger', { id: trigger.id });
    expect(await scene.ok('raise', { name: 'counted' })).toMatchObject({ matched: 0 });
  });

  it('records one key once and forever, with the first body', async () => {
    const trigger = await scene.add(await scene.fn(), 'custom.keyed');
    const first = { name: 'keyed', properties: { n: 1 }, idempotencyKey: 'order 1' };
    expect(await scene.ok('raise', first)).toEqual({ recorded: true, event: 'custom.keyed', matched: 1 });
    const again = { ...first, properties: { n: 2 } };
    expect(await scene.ok('raise', again)).toEqual({ recorded: false, event: 'custom.keyed', matched: 1 });
    const runs = await scene.over(trigger.id);
    expect(runs.map(({ event }) => event.properties)).toEqual([{ n: 1 }]);
  });

  it('accepts one of fifty simultaneous calls with the same key and different bodies', async () => {
    const trigger = await scene.add(await scene.fn(), 'custom.raced');
    const raise = (n: number) => scene.ok('raise', { name: 'raced', properties: { n }, idempotencyKey: 'one race' });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => raise(n)));
    expect(answers.filter(({ recorded }) => recorded)).toHaveLength(1);
    const [run, ...others] = await scene.over(trigger.id);
    expect(others).toEqual([]);
    expect(answers[run?.event.properties.n]?.recorded).toBe(true);
  });

  it('repeats its answer for the same Idempotency-Key header', async () => {
    const raise = () => app.call('accountEvents/raise', { name: 'headed' }, app.ownerKey, { 'idempotency-key': 'h-1' });
    const [first, second] = [await raise(), await raise()];
    expect(first.body).toMatchObject({ recorded: true });
    expect(second.body).toEqual(first.body);
  });

  it.each([
    ['custom.x', 'name'],
    ['Upper', 'name'],
  ])('refuses the name %j', async (name, path) => {
    expect(pathsOf(await scene.call('raise', { name }))).toEqual([400, path]);
  });

  it.each([
    [{}, 'name'],
    [{ name: 7 }, 'name'],
    [{ name: 'x', subject: 'text' }, 'subject'],
    [{ name: 'x', properties: [] }, 'properties'],
    [{ name: 'x', properties: null }, 'properties'],
    [{ name: 'x', idempotencyKey: '' }, 'idempotencyKey'],
    [{ name: 'x', idempotencyKey: 'é' }, 'idempotencyKey'],
    [{ name: 'x', source: 'base' }, 'source'],
  ])('refuses the body %j', async (body, path) => {
    expect(pathsOf(await scene.call('raise', body))).toEqual([400, path]);
  });

  it('refuses endless nesting, and accepts keys of the prototype as plain keys', async () => {
    const deep = `{"name":"deep","properties":${'{"a":'.repeat(900)}1${'}'.repeat(901)}`;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${app.ownerKey}` };
    expect((await app.send('POST', '/api/v1/accountEvents/raise', deep, headers)).status).toBe(400);
    const trigger = await scene.add(await scene.fn(), 'custom.proto', {
      filters: [{ field: '__proto__.polluted', op: 'eq', value: true }],
    });
    const sent = '{"name":"proto","properties":{"__proto__":{"polluted":true},"constructor":1}}';
    const { body } = await app.send('POST', '/api/v1/accountEvents/raise', sent, headers);
    expect(body).toMatchObject({ recorded: true, matched: 1 });
    const [run] = await scene.over(trigger.id);
    expect(JSON.stringify(run?.event.properties)).toBe('{"__proto__":{"polluted":true},"constructor":1}');
    const other = await scene.call('raise', { name: 'proto', properties: {} });
    expect(other.body).toMatchObject({ matched: 0 });
  });

  it('accepts every key but a read-only one, while commands on triggers require edit rights', async () => {
    const target = await scene.fn();
    const added = await scene.add(target, 'custom.rights');
    const { key: viewer } = await person(app, 'viewer');
    const { key: editor } = await person(app, 'editor');
    const readOnly = await keyOf(app, { kind: 'connection', readOnly: true });
    const raise = { name: 'rights' };
    expect((await scene.call('raise', raise, viewer)).status).toBe(200);
    expect((await scene.call('raise', raise, editor)).status).toBe(200);
    expect(await scene.call('raise', raise, readOnly)).toMatchObject({ status: 403, body: { code: 'read-only-key' } });
    const add = { event: 'custom.rights', targetKind: 'account_function', targetRef: target };
    const flow = { flowId: 'flow_1', triggerId: 'n', event: '*' };
    const commands = { addEventTrigger: add, updateEventTrigger: { id: added.id }, setFlowEventTrigger: flow };
    for (const [operation, body] of Object.entries({ ...commands, removeEventTrigger: { id: added.id } })) {
      expect([operation, (await scene.call(operation, body, viewer)).body.code]).toEqual([operation, 'viewer-refused']);
      expect([operation, (await scene.call(operation, body, readOnly)).body.code]).toEqual([
        operation,
        'read-only-key',
      ]);
    }
    for (const query of ['listEventTriggers', 'eventTriggerRuns', 'builtins', 'appEvents'])
      expect((await scene.call(query, {}, viewer)).status).toBe(200);
    const never = await keyOf(app, { kind: 'automation', neverDeletes: true });
    expect((await scene.call('removeEventTrigger', { id: added.id }, never)).body.code).toBe('key-never-deletes');
    expect((await scene.call('addEventTrigger', add, editor)).status).toBe(200);
  });

  it('leaves no trace here if it matches no trigger, but one in the audit', async () => {
    const before = await eventually(
      () => scene.runs(),
      (list) => list.every(({ finishedAt }) => finishedAt !== null),
    );
    await scene.ok('raise', { name: 'unheard' });
    expect(await scene.runs()).toEqual(before);
    const { events } = await done(app, 'audit/listEvents', { kind: 'accountEvent', limit: 1 });
    expect(events).toMatchObject([{ type: 'AccountEventRecorded', data: { name: 'custom.unheard' } }]);
  });
});

describe('the input of a target', () => {
  it('is the event and the trigger, beside the params of its config', async () => {
    const target = await scene.fn('console.log(JSON.stringify(params)); console.log(JSON.stringify(ctx.run));');
    const config = { params: { list: 'news', deep: { a: [1] } } };
    const trigger = await scene.add(target, 'custom.paid', { name: 'Tell of payment', config });
    const subject = { type: 'order', id: 'o1', name: 'Order 1' };
    await scene.ok('raise', { name: 'paid', subject, properties: { total: 5 } });
    const [run] = await scene.over(trigger.id);
    const { lines } = await done(app, 'automations/getRunLog', { runId: run?.id });
    const [params, started] = lines.map(({ text }: { text: string }) => JSON.parse(text));
    expect(params).toEqual({
      ...config.params,
      event: {
        id: expect.any(String),
        name: 'custom.paid',
        source: 'custom',
        origin: 'api',
        subject,
        properties: { total: 5 },
        occurredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
      },
      trigger: { id: trigger.id, name: 'Tell of payment' },
    });
    expect(started.startedBy).toEqual({ kind: 'event', id: trigger.id, name: 'Tell of payment' });
    expect(run).toEqual({
      id: expect.any(String),
      triggerId: trigger.id,
      status: 'ok',
      reason: null,
      attempts: 1,
      event: params.event,
      createdAt: expect.any(String),
      finishedAt: expect.any(String),
    });
    const [listed] = await done(app, 'automations/listRuns', { functionId: target });
    expect(listed).toMatchObject({ id: run?.id, source: 'event', startedBy: 'Event trigger Tell of payment' });
  });

  it('names the chain that raised it', async () => {
    const trigger = await scene.add(await scene.fn(), 'custom.lane');
    await scene.call('raise', { name: 'lane' }, await keyOf(app, { kind: 'connection' }));
    const agent = await done(app, 'workspace/addAgent', { name: 'Raiser' });
    await scene.call('raise', { name: 'lane' }, await keyOf(app, { kind: 'agent', agentId: agent.id }));
    await scene.call('raise', { name: 'lane' }, await keyOf(app, { kind: 'automation' }));
    const emitter = await scene.fn("return ctx.events.emit('lane');");
    await done(app, 'automations/invokeFunction', { id: emitter });
    const runs = await scene.over(trigger.id, 4);
    expect(runs.map(({ event }) => event.origin).sort()).toEqual(['agent', 'api', 'function', 'mcp']);
  });
});

describe('built-in events', () => {
  it('are listed by all twelve sources in plain words, as far as this service has them', async () => {
    const listed = await scene.ok('builtins');
    expect(listed.map(({ source }: { source: string }) => source)).toEqual(
      'base drive site flow agent function email journey marketplace billing connector channel'.split(' '),
    );
    for (const { source, events } of listed) {
      for (const { name, description } of events) {
        expect(name).toMatch(new RegExp(`^${source}\\.[a-z_]+$`));
        expect(description).toMatch(/^[A-Z].*\.$/);
      }
    }
    const names = listed.flatMap(({ events }: { events: { name: string }[] }) => events.map(({ name }) => name));
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['function.published', 'function.run_failed', 'agent.created']));
  });

  it('can each be used for a trigger', async () => {
    const target = await scene.fn();
    for (const { source, events } of await scene.ok('builtins')) {
      for (const event of [`${source}.*`, ...events.map(({ name }: { name: string }) => name)]) {
        const trigger = await scene.add(target, event, { filters: [{ field: 'origin', op: 'eq', value: 'nobody' }] });
        await scene.ok('removeEventTrigger', { id: trigger.id });
      }
    }
  });

  it('fire triggers with their subject, under the name that it had', async () => {
    const target = await scene.fn();
    const filters = [{ field: 'subject.name', op: 'eq', value: 'Watched' }];
    const trigger = await scene.add(target, 'function.*', { filters });
    const { id } = await done(app, 'automations/createFunction', { name: 'Watched', code: 'return 1;' });
    await done(app, 'automations/updateFunction', { id, description: 'seen' });
    await done(app, 'automations/updateFunction', { id, isActive: true });
    await done(app, 'automations/invokeFunction', { id });
    await done(app, 'automations/deleteFunction', { id });
    const runs = await scene.over(trigger.id, 5);
    const events = runs.map(({ event }) => event).reverse();
    expect(events.map(({ name }) => name).sort()).toEqual(
      ['created', 'updated', 'activated', 'run_succeeded', 'deleted'].map((name) => `function.${name}`).sort(),
    );
    for (const { subject, source } of events) {
      expect([source, subject]).toEqual(['function', { type: 'function', id, name: 'Watched' }]);
    }
    const ran = events.find(({ name }) => name === 'function.run_succeeded');
    expect(ran.properties).toMatchObject({ source: 'manual', attempts: 1, error: null });
  });

  it('of failed runs contain the error', async () => {
    const failing = await scene.fn("throw new Error('boom');", { name: 'Failing' });
    const trigger = await scene.add(await scene.fn(), 'function.run_failed', {
      filters: [{ field: 'subject.name', op: 'eq', value: 'Failing' }],
    });
    await app.call('automations/invokeFunction', { id: failing });
    const [run] = await scene.over(trigger.id);
    expect(run?.event.properties.error).toContain('boom');
  });

  it('have no apps: no installs, no events', async () => {
    expect(await scene.ok('appEvents')).toEqual([]);
    expect(await scene.ok('appEventInstalls', { event: 'app.paid' })).toEqual({ installs: [], picked: null });
    expect(pathsOf(await scene.call('appEventInstalls', { event: 'custom.paid' }))).toEqual([400, 'event']);
    expect(pathsOf(await scene.call('appEventInstalls', {}))).toEqual([400, 'event']);
  });
});

describe('another workspace', () => {
  it('fires nothing here and sees nothing of it', async () => {
    const other = await otherWorkspace(app);
    const trigger = await scene.add(await scene.fn(), '*', {
      filters: [{ field: 'name', op: 'eq', value: 'custom.ws' }],
    });
    expect((await scene.call('raise', { name: 'ws' }, other.ownerKey)).body.matched).toBe(0);
    expect((await scene.call('listEventTriggers', {}, other.ownerKey)).body).toEqual([]);
    for (const operation of ['updateEventTrigger', 'removeEventTrigger'])
      expect((await scene.call(operation, { id: trigger.id }, other.ownerKey)).status).toBe(404);
    await scene.ok('raise', { name: 'ws' });
    const [run] = await scene.over(trigger.id);
    expect((await scene.call('eventTriggerRuns', { triggerId: trigger.id }, other.ownerKey)).body).toEqual([]);
    expect((await scene.call('eventTriggerRuns', { before: run?.id }, other.ownerKey)).status).toBe(404);
    await eventually(
      () => scene.runs(trigger.id),
      (runs) => runs.length === 1,
    );
  });
});

// Engines: one process.
// Second tier.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Sandbox } from '../../../src/ports/offloaded/sandbox.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventScene } from '../../support/automations/event-triggers.js';
import { type Engines, startEngines } from '../../support/engines.js';
import { eventually } from '../../support/eventually.js';
import { itTakesAway, standIn } from '../../support/on-stand-ins.js';

let engines: Engines;
let app: TestApp;
beforeEach(async () => {
  engines = await startEngines();
  app = await startApp({ engines });
});
afterEach(async () => {
  await app.close();
  await engines.close();
});

const create = (name: string) => app.call('automations/createFunction', { name, code: 'return params.n + 1' });

describe('on EventStoreDB and MongoDB', () => {
  it('does the main job, and finds everything again after a restart', async () => {
    const fn = (await create('plus one')).body;
    await app.call('automations/updateFunction', { id: fn.id, isActive: true });
    const { token } = (await app.call('automations/createWebhook', { functionId: fn.id })).body;
    const fire = () =>
      app.send('POST', `/api/automations/functions/webhook/${token}`, '{"n":41}', {
        'content-type': 'application/json',
      });
    expect((await fire()).body).toEqual({ success: true, data: 42 });
    expect((await create('plus one')).status).toBe(409);
    app = await app.restart();
    expect((await fire()).body).toEqual({ success: true, data: 42 });
    expect((await app.call('automations/listRuns', { functionId: fn.id })).body).toHaveLength(2);
    const history = await app.call('audit/getHistory', { kind: 'function', id: fn.id });
    expect(history.body.events.map(({ type }: { type: string }) => type)).toEqual([
      'FunctionCreated',
      'FunctionActivated',
    ]);
    expect((await app.send('GET', '/readyz')).status).toBe(200);
  });

  itTakesAway.mongo('has one client of MongoDB for all that it keeps there', async () => {
    await create('plus one');
    const { clients } = standIn(engines.mongo);
    expect(
      await eventually(
        async () => clients(),
        (count) => count > 0,
      ),
    ).toBe(1);
  });

  it('shows an account event with any keys, and continues after it', async () => {
    const { ok, fn, add, over } = eventScene(app);
    const { id } = await add(await fn(), 'custom.placed');
    // Written as JSON, because in an object literal `__proto__` would set the prototype.
    const text = '{"_bsontype":1,"__proto__":{"x":1},"$where":"1","a.b":{"_bsontype":"Long"},"one\\u0001":{"$gt":""}}';
    const properties = JSON.parse(text);
    await ok('raise', { name: 'placed', properties });
    await ok('raise', { name: 'placed', properties: { n: 2 } });
    const runs = await over(id, 2);
    expect(runs.map(({ event }) => JSON.stringify(event.properties)).sort()).toEqual([text, '{"n":2}'].sort());
  });

  itTakesAway.eventStoreDb(
    'refuses commands with 503 and Retry-After while EventStoreDB is away, serves reads, and catches up by itself',
    async () => {
      const server = standIn(engines.eventStoreDb);
      const fn = (await create('before')).body;
      await server.stop();
      const refused = await create('meanwhile');
      expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
        503,
        'store-unavailable',
        '5',
      ]);
      expect((await app.call('automations/getFunction', { id: fn.id })).body).toEqual(fn);
      const { status, body } = await app.send('GET', '/readyz');
      expect([status, body.parts.eventStore === 'ok', body.parts.readStore]).toEqual([200, false, 'ok']);
      await server.start();
      const after = await eventually(
        () => create('after'),
        ({ status: now }) => now === 200,
        30_000,
      );
      expect((await app.call('automations/getFunction', { id: after.body.id })).body).toEqual(after.body);
      const names = (await app.call('automations/listFunctions')).body.map(({ name }: { name: string }) => name);
      expect(names.sort()).toEqual(['after', 'before']);
    },
    90_000,
  );

  itTakesAway.eventStoreDb(
    'records the end of a run when EventStoreDB is back, as its last attempt',
    async () => {
      const server = standIn(engines.eventStoreDb);
      const code = 'await new Promise((resolve) => setTimeout(resolve, 1000)); throw new Error("boom")';
      const fn = (await app.call('automations/createFunction', { name: 'slow', code, maxRetries: 2 })).body;
      await app.call('automations/updateFunction', { id: fn.id, isActive: true });
      const { token } = (await app.call('automations/createWebhook', { functionId: fn.id })).body;
      const runs = async () => (await app.call('automations/listRuns', { functionId: fn.id })).body;
      const answer = app.send('POST', `/api/automations/functions/webhook/${token}`);
      await eventually(runs, ([run]) => run?.status === 'running');
      await server.stop();
      const { status, body } = await answer;
      expect([status, body.code]).toEqual([503, 'run-not-recorded']);
      await server.start();
      const [run] = await eventually(runs, ([first]) => first?.status !== 'running', 30_000);
      expect(run).toMatchObject({ id: body.details.runId, status: 'error', attempt: 1, retryAt: null });
    },
    90_000,
  );

  itTakesAway.eventStoreDb(
    'continues the attempts of an accepted run when EventStoreDB is back',
    async () => {
      const server = standIn(engines.eventStoreDb);
      const code = 'await new Promise((resolve) => setTimeout(resolve, 1000)); throw new Error("boom")';
      const fn = (await app.call('automations/createFunction', { name: 'slow', code, maxRetries: 1 })).body;
      await app.call('automations/updateFunction', { id: fn.id, isActive: true });
      const { token } = (await app.call('automations/createWebhook', { functionId: fn.id })).body;
      const runs = async () => (await app.call('automations/listRuns', { functionId: fn.id })).body;
      const path = `/api/automations/functions/webhook/${token}`;
      expect((await app.send('POST', path, '{}', { prefer: 'respond-async' })).status).toBe(202);
      await eventually(runs, ([run]) => run?.status === 'running');
      await server.stop();
      await eventually(
        async () => app.app.get(Sandbox, { strict: false }).load().running,
        (running) => running === 0,
      );
      await server.start();
      const [run] = await eventually(runs, ([first]) => first?.status === 'error', 60_000);
      expect(run.attempts.map(({ error }: { error: string }) => error)).toEqual(['boom (line 1)', 'boom (line 1)']);
    },
    90_000,
  );

  itTakesAway.mongo(
    'answers 503 while MongoDB is away, and works again when it is back',
    async () => {
      const server = standIn(engines.mongo);
      const fn = (await create('kept')).body;
      server.silence(true);
      const away = await app.call('automations/getFunction', { id: fn.id });
      expect([away.status, away.body.code]).toEqual([503, 'store-unavailable']);
      server.heal();
      const back = await eventually(
        () => app.call('automations/getFunction', { id: fn.id }),
        ({ status }) => status === 200,
        30_000,
      );
      expect(back.body).toEqual(fn);
    },
    90_000,
  );
});

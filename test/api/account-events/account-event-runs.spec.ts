// Engines: one process.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TargetHandler } from '../../../src/engine/scopes/targets.js';
import { refuse } from '../../../src/http/http.refusals.js';
import { startApp, type TestApp } from '../../support/app.js';
import {
  type EventScene,
  eventScene,
  pathsOf,
  type TriggerRunShown,
} from '../../support/automations/event-triggers.js';
import { replaceTarget } from '../../support/automations/replaced-targets.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf } from '../../support/people.js';

let app: TestApp;
let scene: EventScene;
beforeAll(async () => {
  // The limit applies in the process that starts targets, so the service must be a single process.
  app = await startApp({ environment: { EVENT_FAN_OUT_LIMIT: '8' }, several: false });
  scene = eventScene(app);
});
afterAll(() => app.close());

const firing = async (id: string) => {
  const triggers = await scene.ok('listEventTriggers');
  const { fireCount, lastFiredAt } = triggers.find((trigger: { id: string }) => trigger.id === id);
  return { fireCount, lastFiredAt };
};

describe('a trigger run', () => {
  it('is skipped for an inactive or deleted target, is not counted as a firing, and delays no other', async () => {
    const [off, gone, fine] = [await scene.fn(), await scene.fn(), await scene.fn()];
    const [offT, goneT, fineT] = await Promise.all([off, gone, fine].map((id) => scene.add(id, 'custom.skips')));
    await done(app, 'automations/updateFunction', { id: off, isActive: false });
    await done(app, 'automations/deleteFunction', { id: gone });
    expect(await scene.ok('raise', { name: 'skips' })).toMatchObject({ matched: 3 });
    const [ran] = await scene.over(fineT.id);
    expect(ran).toMatchObject({ status: 'ok', reason: null, attempts: 1 });
    const skipped = { status: 'skipped', attempts: 0, finishedAt: expect.any(String) };
    expect(await scene.runs(offT.id)).toMatchObject([{ ...skipped, reason: 'target-inactive' }]);
    expect(await scene.runs(goneT.id)).toMatchObject([{ ...skipped, reason: 'target-missing' }]);
    expect(await firing(offT.id)).toEqual({ fireCount: 0, lastFiredAt: null });
    expect(await firing(fineT.id)).toEqual({ fireCount: 1, lastFiredAt: ran?.createdAt });
  });

  it('fails after the last attempt, with as many attempts as maxRetries allows', async () => {
    const failing = await scene.fn("throw new Error('no');", { maxRetries: 1 });
    const trigger = await scene.add(failing, 'custom.fails');
    await scene.ok('raise', { name: 'fails' });
    const [between] = await eventually(
      () => scene.runs(trigger.id),
      ([run]) => run?.attempts === 1,
    );
    expect(between).toMatchObject({ status: 'queued', finishedAt: null });
    const [run] = await scene.over(trigger.id);
    expect(run).toMatchObject({ status: 'failed', reason: null, attempts: 2, finishedAt: expect.any(String) });
  });

  it('is skipped with switched-off if its kind of target is', async () => {
    replaceTarget(app, 'site_function', {
      find: async () => ({ name: 'On a site', isActive: true }),
      isGoing: async () => undefined,
      start: async () => undefined,
    });
    const add = { event: 'custom.site', targetKind: 'site_function', targetRef: 'sf_1' };
    const trigger = await scene.ok('addEventTrigger', add);
    await done(app, 'workspace/updateSettings', { siteFunctionTargets: false });
    await scene.ok('raise', { name: 'site' });
    expect(await scene.over(trigger.id)).toMatchObject([{ status: 'skipped', reason: 'switched-off' }]);
  });

  it('reports a target that cannot be started, retries if that can help, and delays no other', async () => {
    const wrong: Record<string, () => void> = {
      gone: () => refuse('target-not-found', { kind: 'flow' }),
      closed: () => refuse('target-kind-unavailable', { kind: 'flow' }),
      broken: () => {
        throw new Error('A fault of the lane.');
      },
      shaky: () => {
        if (shaken++ < 2) refuse('store-unavailable', { store: 'event store' });
      },
    };
    let shaken = 0;
    const started: string[] = [];
    const lane: TargetHandler = {
      find: async (_, ref) => ({ name: ref, isActive: true }),
      isGoing: async () => undefined,
      start: async (starts) => {
        for (const { target } of starts) wrong[target.ref]?.();
        for (const { target } of starts) started.push(target.ref);
      },
    };
    replaceTarget(app, 'flow', lane);
    const add = (targetRef: string) => ({ event: 'custom.wrong', targetKind: 'flow', targetRef });
    const refs = ['gone', 'closed', 'broken', 'shaky', 'fine'];
    const triggers = await Promise.all(refs.map((ref) => scene.ok('addEventTrigger', add(ref))));
    await scene.ok('raise', { name: 'wrong' });
    const [gone, closed, broken, shaky, fine] = triggers.map(({ id }) => id);
    expect(await scene.over(gone)).toMatchObject([{ status: 'skipped', reason: 'target-missing' }]);
    expect(await scene.over(closed)).toMatchObject([{ status: 'skipped', reason: 'switched-off' }]);
    expect(await scene.over(broken)).toMatchObject([{ status: 'failed', reason: null }]);
    expect(await scene.runs(shaky)).toMatchObject([{ status: 'queued' }]);
    expect(await scene.runs(fine)).toMatchObject([{ status: 'queued' }]);
    expect(new Set(started)).toEqual(new Set(['shaky', 'fine']));
    expect(await firing(broken)).toMatchObject({ fireCount: 0 });
    expect(await firing(fine)).toMatchObject({ fireCount: 1 });
  }, 60_000);

  it('is skipped with rate beyond the number of runs that one event may start', async () => {
    const target = await scene.fn();
    const triggers = await Promise.all(Array.from({ length: 11 }, () => scene.add(target, 'custom.storm')));
    expect(await scene.ok('raise', { name: 'storm' })).toMatchObject({ matched: 11 });
    const runs = (await Promise.all(triggers.map(({ id }) => scene.over(id)))).flat();
    expect(runs.map(({ status, reason }) => `${status} ${reason}`).sort()).toEqual([
      ...Array.from({ length: 8 }, () => 'ok null'),
      ...Array.from({ length: 3 }, () => 'skipped rate'),
    ]);
  });
});

describe('a chain of triggers', () => {
  it('ends after eight runs with one that is skipped as a loop', async () => {
    const target = await scene.fn(
      "return ctx.events.emit('chain', { properties: { n: params.event.properties.n + 1 } });",
    );
    const trigger = await scene.add(target, 'custom.chain');
    await scene.ok('raise', { name: 'chain', properties: { n: 0 } });
    const runs = await scene.over(trigger.id, 9);
    expect(runs.map(({ event, status, reason }) => [event.properties.n, status, reason])).toEqual([
      [8, 'skipped', 'loop'],
      ...[7, 6, 5, 4, 3, 2, 1, 0].map((n) => [n, 'ok', null]),
    ]);
    expect(await firing(trigger.id)).toMatchObject({ fireCount: 8 });
  });

  it('ends as well if a function waits for the ends of its own runs, or starts another', async () => {
    const inner = await scene.fn('return 1;', {
      accessRules: { runBy: { pages: false, functions: 'any', agents: [] } },
    });
    const outer = await scene.fn(`return ctx.functions.run('${inner}', {});`);
    const filters = [{ field: 'subject.name', op: 'in', value: await names(inner) }];
    const trigger = await scene.add(outer, 'function.run_succeeded', { filters });
    await done(app, 'automations/invokeFunction', { id: outer });
    const runs = await scene.over(trigger.id, 9);
    expect(runs.filter(({ reason }) => reason === 'loop')).toHaveLength(1);
  });

  it('ends if a function changes, through the service, what triggers it', async () => {
    const code = "return ctx.connections.call('service', 'accountEvents_raise', { name: 'tooled' });";
    const target = await scene.fn(code, { grants: { serviceTools: ['accountEvents_raise'] } });
    const trigger = await scene.add(target, 'custom.tooled');
    await scene.ok('raise', { name: 'tooled' });
    const runs = await scene.over(trigger.id, 9);
    expect(runs.filter(({ reason }) => reason === 'loop')).toHaveLength(1);
    expect(new Set(runs.map(({ event }) => event.origin))).toEqual(new Set(['api', 'function']));
    const edits = `return ctx.connections.call('service', 'automations_updateFunction', {
      id: params.trigger.name, description: String(Math.random()) });`;
    const editor = await scene.fn(edits, { grants: { serviceTools: ['automations_updateFunction'] } });
    const edited = await scene.add(editor, 'function.updated', {
      name: editor,
      filters: [{ field: 'subject.name', op: 'in', value: await names(editor) }],
    });
    await done(app, 'automations/updateFunction', { id: editor, description: 'begin' });
    const edits9 = await scene.over(edited.id, 9);
    expect(edits9.filter(({ reason }) => reason === 'loop')).toHaveLength(1);
  }, 60_000);
});

async function names(id: string): Promise<readonly string[]> {
  return [(await done(app, 'automations/getFunction', { id })).name];
}

describe('triggers that fire one another', () => {
  it('start no more runs in total than one event may, long before their chain is too deep', async () => {
    const code = "return ctx.events.emit('spread', {});";
    const target = await scene.fn(code);
    const triggers = await Promise.all([1, 2, 3].map(() => scene.add(target, 'custom.spread')));
    await scene.ok('raise', { name: 'spread' });
    const all = async () => (await Promise.all(triggers.map(({ id }) => scene.runs(id, { limit: 200 })))).flat();
    // Eight runs emit an event each, and the raise is the ninth. Three triggers record a run for each event.
    const runs = await eventually(
      all,
      (made) => made.length === 3 * 9 && made.every(({ status }) => status !== 'queued'),
    );
    expect(runs.filter(({ status }) => status === 'ok')).toHaveLength(8);
    expect(runs.filter(({ reason }) => reason === 'rate')).toHaveLength(19);
  });
});

describe('eventTriggerRuns', () => {
  it('lists newest first with the given limit, and continues before a run', async () => {
    const trigger = await scene.add(await scene.fn(), 'custom.paged');
    for (let n = 0; n < 5; n++) await scene.ok('raise', { name: 'paged', properties: { n } });
    await scene.over(trigger.id, 5);
    const page = async (rest: object) =>
      (await scene.runs(trigger.id, rest)).map(({ id, event }) => ({ id, n: event.properties.n }));
    const first = await page({ limit: 2 });
    expect(first.map(({ n }) => n)).toEqual([4, 3]);
    const second = await page({ limit: 2, before: first.at(-1)?.id });
    expect(second.map(({ n }) => n)).toEqual([2, 1]);
    expect((await page({ limit: 200, before: second.at(-1)?.id })).map(({ n }) => n)).toEqual([0]);
    expect((await scene.runs(undefined, { limit: 1 })).map(({ id }) => id)).toEqual([first[0]?.id]);
  });

  it('continues within the runs of one event', async () => {
    const target = await scene.fn();
    await Promise.all(Array.from({ length: 4 }, () => scene.add(target, 'custom.many')));
    await scene.ok('raise', { name: 'many' });
    const all = await eventually(
      async () => (await scene.runs(undefined, { limit: 200 })).filter(({ event }) => event.name === 'custom.many'),
      (runs) => runs.length === 4,
    );
    const held: string[] = [];
    for (let before: string | undefined; held.length < 4; before = held.at(-1)) {
      const [next] = await scene.runs(undefined, { limit: 1, ...(before === undefined ? {} : { before }) });
      held.push(next?.id ?? '');
    }
    expect(held).toEqual(all.map(({ id }) => id));
  });

  it('continues past runs whose events an agent may not read', async () => {
    const { id } = await done(app, 'site/createProject', { name: 'Closed' });
    await done(app, 'site/updateAiPermissions', { projectId: id, aiPermissions: { 'pages:*': false } });
    const { id: agentId } = await done(app, 'workspace/addAgent', { name: 'Scout' });
    const agent = await keyOf(app, { kind: 'agent', agentId });
    const trigger = await scene.add(await scene.fn(), 'custom.partly');
    const subjects = [{ type: 'order' }, { type: 'order' }, { type: 'project', id }, { type: 'project', id }];
    for (const [n, subject] of subjects.entries())
      await scene.ok('raise', { name: 'partly', subject, properties: { n } });
    await scene.over(trigger.id, 4);
    const page = async (rest: object) => {
      const { body } = await scene.call('eventTriggerRuns', { triggerId: trigger.id, limit: 1, ...rest }, agent);
      return body.map(({ event, ...run }: TriggerRunShown) => ({ id: run.id, n: event.properties.n }));
    };
    const [first, ...others] = await page({});
    expect([first?.n, others]).toEqual([1, []]);
    expect(await page({ before: first?.id })).toMatchObject([{ n: 0 }]);
  });

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 201 }, 'limit'],
    [{ limit: 1.5 }, 'limit'],
    [{ triggerId: 7 }, 'triggerId'],
    [{ status: 'ok' }, 'status'],
  ])('refuses to list runs by %j', async (input, path) => {
    expect(pathsOf(await scene.call('eventTriggerRuns', input))).toEqual([400, path]);
  });

  it('refuses an unknown run to continue before, and lists nothing of an unknown trigger', async () => {
    expect((await scene.call('eventTriggerRuns', { before: 'trun_x' })).body.code).toBe('trigger-run-not-found');
    expect(await scene.runs('evt_x')).toEqual([]);
  });

  it('still lists the runs of a removed trigger', async () => {
    const trigger = await scene.add(await scene.fn(), 'custom.removed');
    await scene.ok('raise', { name: 'removed' });
    const before = await scene.over(trigger.id);
    await scene.ok('removeEventTrigger', { id: trigger.id });
    expect(await scene.runs(trigger.id)).toEqual(before);
  });
});

// Engines: one process, and several.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { flows } from '../../../src/areas/flows/flow/flow.record.js';
import { CommandRunner } from '../../../src/engine/commands/command-runner.js';
import { Calls } from '../../../src/engine/operation/calls.js';
import { activeFlow, activeFunction, endedRun, ranFlow } from '../../support/automations/flows.js';
import { EgressScene } from '../../support/egress/egress-scene.js';
import type { Seen, TestServer } from '../../support/egress/test-server.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { onSeveral } from '../../support/shared-app.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

let app: OutsideApp;
const scene = new EgressScene();
let server: TestServer;
let answer: (seen: Seen) => { status?: number; headers?: Record<string, string>; body?: string };
beforeAll(async () => {
  app = await sharedOutside({ several: onSeveral });
}, 60_000);
afterAll(() => app.close());
beforeEach(async () => {
  answer = () => ({ body: '{"ok":true}', headers: { 'content-type': 'application/json' } });
  server = await scene.http((seen, response) => {
    const { status = 200, headers = {}, body = '' } = answer(seen);
    response.writeHead(status, headers).end(body);
  });
});
afterEach(() => scene.close());

const echo = 'return params';
const step = (kind: string, settings: object, id = 'one') => ({ id, kind, settings });

describe('a flow', () => {
  it('is created inactive, and shown as it was saved', async () => {
    const steps = [step('wait', { seconds: 1 })];
    const flow = await done(app, 'flows/createFlow', { name: 'Intake', description: 'd', steps });
    expect(flow).toMatchObject({
      name: 'Intake',
      description: 'd',
      isActive: false,
      secrets: [],
      steps: [{ id: 'one', name: 'one', kind: 'wait', settings: { seconds: 1 } }],
    });
    expect(await done(app, 'flows/getFlow', { id: flow.id })).toEqual(flow);
    const listed = (await done(app, 'flows/listFlows')).find(({ id }: { id: string }) => id === flow.id);
    expect(listed).toMatchObject({ name: 'Intake', stepCount: 1, isActive: false });
  });

  it('has a unique name in the workspace, which is free again when it is given up', async () => {
    const { id } = await done(app, 'flows/createFlow', { name: 'Taken', steps: [] });
    const refused = await app.call('flows/createFlow', { name: 'Taken', steps: [] });
    expect([refused.status, refused.body.code]).toEqual([409, 'flow-name-taken']);
    await done(app, 'flows/updateFlow', { id, name: 'Given up' });
    const { id: other } = await done(app, 'flows/createFlow', { name: 'Taken', steps: [] });
    const renamed = await app.call('flows/updateFlow', { id, name: 'Taken' });
    expect([renamed.status, renamed.body.code]).toEqual([409, 'flow-name-taken']);
    await done(app, 'flows/deleteFlow', { id: other });
    await done(app, 'flows/updateFlow', { id, name: 'Taken' });
  });

  it('requires the version that was read, if that is sent', async () => {
    const { id, updatedAt } = await done(app, 'flows/createFlow', { name: 'Seen', steps: [] });
    await done(app, 'flows/updateFlow', { id, description: 'new', seenUpdatedAt: updatedAt });
    const stale = await app.call('flows/updateFlow', { id, description: 'newer', seenUpdatedAt: updatedAt });
    expect([stale.status, stale.body.code]).toEqual([409, 'flow-changed-since']);
  });

  it('that is unknown is not found, by any operation', async () => {
    for (const operation of ['getFlow', 'updateFlow', 'deleteFlow', 'runFlow', 'listFlowRuns']) {
      const name = operation === 'listFlowRuns' ? 'flowId' : 'id';
      const { status, body } = await app.call(`flows/${operation}`, { [name]: 'flow_none' });
      expect([operation, status, body.code]).toEqual([operation, 404, 'flow-not-found']);
    }
    expect((await app.call('flows/getFlowRun', { id: 'run_none' })).body.code).toBe('flow-run-not-found');
  });

  it('has a history in the audit, as kind flow', async () => {
    const { id } = await done(app, 'flows/createFlow', { name: 'Audited', steps: [] });
    await done(app, 'flows/updateFlow', { id, isActive: true });
    const { body } = await app.call('audit/getHistory', { kind: 'flow', id });
    expect(JSON.stringify(body)).toContain('FlowActivated');
  });
});

describe('steps that are refused', () => {
  const refusals: [string, readonly object[], string][] = [
    ['an unknown kind', [step('teleport', {})], 'steps[0].kind'],
    ['an id that is none', [step('wait', { seconds: 1 }, '1 one')], 'steps[0].id'],
    ['an id twice', [step('wait', { seconds: 1 }), step('wait', { seconds: 1 })], 'steps[1].id'],
  ];
  it.each(refusals)('have %s', async (_, steps, path) => {
    const { status, body } = await app.call('flows/createFlow', { name: 'Refused', steps });
    expect([status, body.code, body.errors?.map((error: { path: string }) => error.path)]).toEqual([
      400,
      'invalid-input',
      [path],
    ]);
  });
});

describe('the function of a step', () => {
  const running = (fn: string) => [step('run_function', { function: fn })];
  const shown = (flow: { steps: readonly { settings: { function: string } }[] }) =>
    flow.steps.map(({ settings }) => settings.function);
  const named = async (name: string, code: string) => {
    const { id } = await done(app, 'automations/createFunction', { name, code });
    await done(app, 'automations/updateFunction', { id, isActive: true });
    return id;
  };

  it('is stored by its id, under any name, and remains the same when names change', async () => {
    const id = await named('Meant', 'return "meant"');
    const flow = await done(app, 'flows/createFlow', { name: 'By name', steps: running('Meant') });
    expect(shown(flow)).toEqual([id]);
    await done(app, 'flows/updateFlow', { id: flow.id, isActive: true });
    await done(app, 'automations/updateFunction', { id, name: 'Meant once' });
    const other = await named('Meant', 'return "another"');
    expect((await ranFlow(app, flow.id)).status).toBe('success');
    expect([await runCount(id), await runCount(other)]).toEqual([1, 0]);
    expect(shown(await done(app, 'flows/updateFlow', { id: flow.id, steps: running('Meant') }))).toEqual([other]);
  });

  it('must exist when the steps are saved', async () => {
    const steps = [step('wait', { seconds: 0 }, 'w'), ...running('nobody')];
    const refused = [400, 'steps[1].settings.function'];
    const { id } = await done(app, 'flows/createFlow', { name: 'Nobody’s', steps: [] });
    const creates = await app.call('flows/createFlow', { name: 'Nobody’s too', steps });
    expect([creates.status, creates.body.errors[0].path]).toEqual(refused);
    const updates = await app.call('flows/updateFlow', { id, steps });
    expect([updates.status, updates.body.errors[0].path]).toEqual(refused);
  });

  it('that an old log names is found by its name, until the flow is activated', async () => {
    const id = await named('Old hand', 'return "old"');
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const call = app.app.get(Calls).once(workspaceId, { kind: 'operator', id: 'operator', name: 'spec' }, 'spec');
    const settings = { function: 'Old hand', params: {} };
    const steps = [{ id: 'one', name: 'one', kind: 'run_function' as const, settings }];
    await app.app.get(CommandRunner).change(call, {
      aggregate: flows,
      id: 'flow_old',
      begins: true,
      decide: () => [{ type: 'FlowCreated' as const, data: { name: 'Of old', description: '', steps } }],
    });
    expect((await ranFlow(app, 'flow_old')).status).toBe('success');
    await done(app, 'flows/updateFlow', { id: 'flow_old', description: 'still' });
    expect(shown(await done(app, 'flows/getFlow', { id: 'flow_old' }))).toEqual(['Old hand']);
    expect(shown(await done(app, 'flows/updateFlow', { id: 'flow_old', isActive: true }))).toEqual([id]);
    await ranFlow(app, 'flow_old');
    expect(await runCount(id)).toBe(2);
  });

  const runCount = async (functionId: string) => (await done(app, 'automations/listRuns', { functionId })).length;
});

describe('a run', () => {
  it('passes earlier results to each step, and is listed step by step', async () => {
    const total = await activeFunction(app, 'return { total: params.prices.reduce((a, b) => a + b, 0) }');
    const flow = await activeFlow(app, [
      step('run_function', { function: total, params: { prices: '{{input.prices}}' } }, 'sum'),
      step(
        'http_request',
        {
          method: 'POST',
          url: server.url(),
          body: { text: 'Sum {{steps.sum.result.total}}', raw: '{{steps.sum.result.total}}' },
        },
        'tell',
      ),
      step(
        'raise_event',
        { name: 'order.summed', subject: { id: '{{input.id}}' }, properties: { ok: '{{steps.tell.body.ok}}' } },
        'raise',
      ),
    ]);
    const run = await ranFlow(app, flow, { prices: [12, 30], id: 'o1' });
    expect(run).toMatchObject({ flowId: flow, status: 'success', error: null, source: 'manual' });
    expect(
      run.steps.map(({ id, status, note }: { id: string; status: string; note: object }) => [id, status, note]),
    ).toEqual([
      ['sum', 'success', { runId: expect.stringMatching(/^run_/) }],
      ['tell', 'success', { status: 200 }],
      ['raise', 'success', { event: 'custom.order.summed' }],
    ]);
    expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual({ text: 'Sum 42', raw: 42 });
    const [of] = await done(app, 'automations/listRuns', { functionId: total });
    expect(of).toMatchObject({ status: 'success', startedBy: expect.stringMatching(/^Flow /) });
    const raised = await done(app, 'audit/listEvents', { kind: 'accountEvent' });
    expect(JSON.stringify(raised)).toContain('AccountEventRecorded');
    const [listed] = await done(app, 'flows/listFlowRuns', { flowId: flow });
    expect(listed).toMatchObject({ id: run.id, status: 'success', flowName: run.flowName });
  });

  it('answers the same run for the same Idempotency-Key', async () => {
    const flow = await activeFlow(app, []);
    const ask = () => app.call('flows/runFlow', { id: flow }, undefined, { 'idempotency-key': 'run once' });
    const [one, two] = [await ask(), await ask()];
    expect(one.body.runId).toBe(two.body.runId);
    expect(await done(app, 'flows/listFlowRuns', { flowId: flow })).toHaveLength(1);
  });

  it('continues with the steps it began with', async () => {
    const flow = await activeFlow(app, [
      step('wait', { seconds: 1 }, 'first'),
      step('http_request', { url: server.url('127.0.0.1', '/old') }, 'then'),
    ]);
    const { runId } = await done(app, 'flows/runFlow', { id: flow });
    await done(app, 'flows/updateFlow', { id: flow, steps: [] });
    const run = await app.clock.hasten(() => endedRun(app, runId));
    expect(run.steps).toHaveLength(2);
    expect(server.seen.map(({ path }) => path)).toEqual(['/old']);
  });

  it('waits, and shows until when', async () => {
    const flow = await activeFlow(app, [step('wait', { until: '{{input.until}}' })]);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const { runId } = await done(app, 'flows/runFlow', { id: flow, input: { until } });
    const run = await eventually(
      async () => (await app.call('flows/getFlowRun', { id: runId })).body,
      ({ status }) => status === 'waiting',
    );
    expect(run.resumesAt).toBe(until);
    await done(app, 'flows/deleteFlow', { id: flow });
    const ended = await eventually(
      async () => (await app.call('flows/getFlowRun', { id: runId })).body,
      ({ status }) => status === 'error',
    );
    expect(ended.error).toBe('The flow was deleted while this run was going.');
    expect((await app.call('flows/listFlowRuns', { flowId: flow })).body).toHaveLength(1);
  });

  it('ends as a success at an unmet condition, or continues with a later step', async () => {
    const condition = (otherwise: object) => [
      step('condition', { filters: [{ field: 'input.total', op: 'gt', value: 10 }], ...otherwise }, 'big'),
      step('http_request', { url: server.url('127.0.0.1', '/between') }, 'between'),
      step('http_request', { url: server.url('127.0.0.1', '/last') }, 'last'),
    ];
    const stops = await activeFlow(app, condition({}));
    expect(await ranFlow(app, stops, { total: 5 })).toMatchObject({ status: 'success', stoppedBy: 'big' });
    expect(server.seen).toEqual([]);
    const jumps = await activeFlow(app, condition({ otherwise: 'goto', goto: 'last' }));
    const run = await ranFlow(app, jumps, { total: 5 });
    expect(run).toMatchObject({
      status: 'success',
      stoppedBy: null,
      steps: [{ note: { met: false } }, { id: 'last' }],
    });
    expect(server.seen.map(({ path }) => path)).toEqual(['/last']);
    expect((await ranFlow(app, stops, { total: 11 })).steps).toHaveLength(3);
  });

  it('of an inactive flow can be tried by a person', async () => {
    const { id } = await done(app, 'flows/createFlow', { name: 'Inactive', steps: [] });
    expect(await ranFlow(app, id)).toMatchObject({ status: 'success' });
  });

  it('is listed page by page', async () => {
    const flow = await activeFlow(app, []);
    for (let at = 0; at < 3; at++) await ranFlow(app, flow);
    const two = await done(app, 'flows/listFlowRuns', { flowId: flow, limit: 2 });
    const [third, ...none] = await done(app, 'flows/listFlowRuns', { flowId: flow, limit: 2, before: two[1].id });
    expect([two.length, third === undefined, none.length]).toEqual([2, false, 0]);
    expect((await app.call('flows/listFlowRuns', { flowId: flow, before: 'run_none' })).body.code).toBe(
      'flow-run-not-found',
    );
  });
});

describe('a step that fails', () => {
  const failed = async (steps: readonly object[], input: object = {}) => {
    const run = await ranFlow(app, await activeFlow(app, steps), input);
    return [run.status, run.error, run.steps.at(-1)?.attempts.length];
  };

  it('for lack of a value: at once, and names it', async () => {
    expect(await failed([step('http_request', { url: server.url(), headers: { a: '{{input.gone.x}}' } })])).toEqual([
      'error',
      '{{input.gone.x}} has no value in this run.',
      1,
    ]);
  });

  it('because a value would change the host of a request: at once', async () => {
    const url = `${server.url('127.0.0.1', '/orders/')}{{input.id}}/items`;
    for (const id of ['..', '.', '%2e%2e']) await failed([step('http_request', { url })], { id });
    expect(server.seen.map(({ path }) => path)).toEqual(['/orders/%252e%252e/items']);
    await failed([step('http_request', { url })], { id: '../../admin?x=1#y' });
    expect(server.seen.at(-1)?.path).toBe('/orders/..%2F..%2Fadmin%3Fx%3D1%23y/items');
    const host = await failed([step('http_request', { url: 'http://{{input.host}}.test/' })], { host: 'evil.com/' });
    expect(host[1]).toContain('is not valid');
  });

  it('because a value would begin another header: at once', async () => {
    const [status, error] = await failed(
      [step('http_request', { url: server.url(), headers: { 'x-name': 'Name {{input.name}}' } })],
      { name: 'a\r\nx-admin: 1' },
    );
    expect([status, error]).toEqual(['error', 'With the values of this run, the header x-name contains a line break.']);
    expect(server.seen).toEqual([]);
  });

  it('a function: with its error, and without a repetition', async () => {
    const fn = await activeFunction(app, 'throw new Error("boom")');
    const [status, error, attempts] = await failed([step('run_function', { function: fn })]);
    expect([status, error, attempts]).toEqual(['error', expect.stringContaining('boom'), 1]);
    expect(await done(app, 'automations/listRuns', { functionId: fn })).toHaveLength(1);
  });

  it('a function that is inactive, or unknown: at once', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'inactive one', code: echo });
    expect((await failed([step('run_function', { function: id })]))[1]).toContain('target is INACTIVE');
    const { id: gone } = await done(app, 'automations/createFunction', { name: 'soon gone', code: echo });
    const flow = await activeFlow(app, [step('run_function', { function: gone })]);
    await done(app, 'automations/deleteFunction', { id: gone });
    expect((await ranFlow(app, flow)).error).toContain('There is no such function');
  });

  it('params that do not fit the function: with all faults', async () => {
    const fn = await activeFunction(app, echo);
    expect((await failed([step('run_function', { function: fn, params: '{{input.list}}' })], { list: [1] }))[1]).toBe(
      'The params of a function must be an object.',
    );
  });

  it('an event that is not permitted: at once', async () => {
    expect((await failed([step('raise_event', { name: 'Not A Name' })]))[2]).toBe(1);
  });

  it('a request that a repetition may help: three times, under the same Idempotency-Key', async () => {
    answer = () => ({ status: 503 });
    expect(await app.clock.hasten(() => failed([step('http_request', { url: server.url() })]))).toEqual([
      'error',
      'The request was answered with status 503.',
      3,
    ]);
    const keys = new Set(server.seen.map(({ headers }) => headers['idempotency-key']));
    expect([server.seen.length, keys.size]).toEqual([3, 1]);
  });

  it('a request that no repetition would help: once; or never if any status is accepted', async () => {
    answer = () => ({ status: 404, body: 'no' });
    expect((await failed([step('http_request', { url: server.url() })])).slice(1)).toEqual([
      'The request was answered with status 404.',
      1,
    ]);
    const any = await activeFlow(app, [step('http_request', { url: server.url(), failOnStatus: false })]);
    expect(await ranFlow(app, any)).toMatchObject({ status: 'success', steps: [{ note: { status: 404 } }] });
  });

  it('a request to an address that is not public: at once, and nothing is sent', async () => {
    const [status, error, attempts] = await failed([step('http_request', { url: 'http://10.0.0.1/' })]);
    expect([status, attempts, error]).toEqual(['error', 1, expect.any(String)]);
  });
});

describe('the request of a step', () => {
  it('has values in the query and in bodies, each correctly encoded', async () => {
    const flow = await activeFlow(app, [
      step('http_request', {
        method: 'POST',
        url: server.url('127.0.0.1', '/p?a=1'),
        query: { q: '{{input.q}}', many: ['{{input.q}}', 'x'] },
        body: { $form: { n: '{{input.n}}' } },
      }),
    ]);
    await ranFlow(app, flow, { q: 'a&b=c', n: 'x y&z' });
    const [seen] = server.seen;
    expect(seen?.path).toBe('/p?a=1&q=a%26b%3Dc&many=a%26b%3Dc&many=x');
    expect([seen?.headers['content-type'], seen?.body]).toEqual(['application/x-www-form-urlencoded', 'n=x%20y%26z']);
  });

  it("keeps an Idempotency-Key of the flow's own", async () => {
    const flow = await activeFlow(app, [
      step('http_request', { url: server.url(), headers: { 'Idempotency-Key': 'own {{input.id}}' } }),
    ]);
    await ranFlow(app, flow, { id: 7 });
    expect(server.seen[0]?.headers['idempotency-key']).toBe('own 7');
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Reply, TestApp } from '../../support/app.js';
import { agentWith } from '../../support/automations/agents.js';
import { type EventScene, eventScene } from '../../support/automations/event-triggers.js';
import { activeFlow } from '../../support/automations/flows.js';
import { done, keyOf } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { kept, type NarrowedSite, narrowedSite } from '../../support/sites/narrowed-site.js';

let app: TestApp;
let scene: EventScene;
/** Lets agents use its pages alone. */
let closed: NarrowedSite;
const open = { project: '', table: '' };
const agent = { id: '', key: '' };
let peek: string;
let flow: string;
beforeAll(async () => {
  app = await sharedApp({ several: false });
  await done(app, 'workspace/updateSettings', { versions: false });
  scene = eventScene(app);
  closed = await narrowedSite(app);
  const project = await done(app, 'site/createProject', { name: 'Open' });
  const fields = [{ name: 'title', type: 'text' }];
  const table = await done(app, 'bases/createTable', { baseId: project.linkedBaseId, name: 'Orders', fields });
  Object.assign(open, { project: project.id, table: table.id });
  agent.id = (await agentWith(app, { canCreateFunctions: true })).id;
  agent.key = await keyOf(app, { kind: 'agent', agentId: agent.id });
  const runBy = { pages: false, functions: 'any', agents: 'any' };
  peek = await scene.fn('console.log(JSON.stringify(params)); return 1', { accessRules: { runBy } });
  flow = await activeFlow(app, []);
}, 60_000);
// The triggers for any event also match the runs that they start, so together they would start thousands.
afterEach(async () => {
  for (const { id } of await scene.ok('listEventTriggers')) await scene.ok('removeEventTrigger', { id });
});
afterAll(() => app.close());

const is = (field: string, value: string) => ({ field, op: 'eq', value });
const isEmpty = (field: string) => ({ field, op: 'isEmpty' });
const toPeek = () => ({ targetKind: 'account_function', targetRef: peek });
const codeOf = ({ status, body }: Reply) => (status === 200 ? 200 : body.code);
const add = async (event: string, filters: readonly object[], target: object = toPeek(), key = agent.key) =>
  codeOf(await scene.call('addEventTrigger', { event, filters, ...target }, key));
describe('a trigger that an agent adds', () => {
  it.each([
    ['base.row_created'],
    ['base.row_updated'],
    ['base.*'],
    ['*'],
    ['site.user_signed_up'],
    ['site.*'],
    ['function.run_failed'],
    ['function.*'],
  ])('for %s is refused unless its filters name the sites', async (event) => {
    const reply = await scene.call('addEventTrigger', { event, ...toPeek() }, agent.key);
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid-input']);
    expect(reply.body.errors).toMatchObject([{ path: 'filters', message: expect.stringContaining("op: 'eq'") }]);
    expect(await add(event, [{ field: 'tableId', op: 'ne', value: open.table }])).toBe('invalid-input');
    expect(await add(event, [], toPeek(), app.ownerKey)).toBe(200);
  });

  it('is refused for what it may not read itself, and added for what it may', async () => {
    const missing = 'ai-permission-missing';
    const several = { field: 'tableId', op: 'in', value: [open.table, closed.table] };
    const asked: readonly (readonly [string, readonly object[], unknown])[] = [
      ['base.row_created', [is('tableId', closed.table)], missing],
      ['base.*', [is('tableId', closed.table), is('table', 'Orders')], missing],
      ['*', [is('tableId', closed.table)], missing],
      ['base.*', [several], missing],
      ['base.row_created', [is('tableId', 'tbl_gone')], 'table-not-found'],
      ['site.user_signed_in', [is('projectId', closed.project)], missing],
      ['*', [is('projectId', closed.project)], missing],
      ['site.*', [is('projectId', 'proj_gone')], 'site-not-found'],
      ['function.run_failed', [is('siteId', closed.project)], missing],
      ['base.row_created', [is('tableId', open.table)], 200],
      ['*', [is('tableId', open.table)], 200],
      ['site.*', [is('projectId', open.project)], 200],
      ['*', [is('projectId', open.project)], 200],
      ['function.*', [is('siteId', open.project)], 200],
      ['function.run_failed', [isEmpty('siteId')], 200],
      ['*', [isEmpty('siteId'), isEmpty('projectId'), isEmpty('tableId')], 200],
      ['*', [isEmpty('siteId'), isEmpty('projectId')], 'invalid-input'],
      ['*', [is('source', 'custom')], 200],
      ['*', [is('name', 'flow.created')], 200],
      ['flow.*', [], 200],
      ['email.received', [], 200],
      ['function.created', [], 200],
      ['custom.*', [], 200],
    ];
    const got = [];
    for (const [event, filters] of asked) got.push([event, filters, await add(event, filters)]);
    expect(got).toEqual(asked);
  });

  it('is refused whatever its target is, and as the trigger of a flow', async () => {
    const itself = { targetKind: 'agent', targetRef: agent.id };
    expect(await add('base.row_created', [], itself)).toBe('invalid-input');
    expect(await add('base.row_created', [is('tableId', closed.table)], itself)).toBe('ai-permission-missing');
    const set = async (filters?: readonly object[]) => {
      const sent = { flowId: flow, triggerId: 'node', event: 'base.*', ...(filters && { filters }) };
      return codeOf(await scene.call('setFlowEventTrigger', sent, agent.key));
    };
    expect(await set([is('tableId', closed.table)])).toBe('ai-permission-missing');
    expect(await set([is('tableId', open.table)])).toBe(200);
    expect(await set()).toBe('invalid-input');
  });

  it('is not refused as the trigger of a flow that the call does not change', async () => {
    const sent = { flowId: flow, triggerId: 'unchanged', event: 'base.*' };
    const trigger = await scene.ok('setFlowEventTrigger', sent);
    expect((await scene.call('setFlowEventTrigger', sent, agent.key)).body).toEqual(trigger);
    expect(codeOf(await scene.call('setFlowEventTrigger', { ...sent, event: 'site.*' }, agent.key))).toBe(
      'invalid-input',
    );
  });

  it('starts its target with rows that the agent may read, and with no others', async () => {
    const runBy = { pages: false, functions: [], agents: 'any' };
    const sent = { name: 'Peek', code: 'console.log(JSON.stringify(params.row))', accessRules: { runBy } };
    const { id } = await done(app, 'automations/createFunction', sent, agent.key);
    await done(app, 'automations/updateFunction', { id, isActive: true }, agent.key);
    const target = { targetKind: 'account_function', targetRef: id };
    expect(await add('base.row_created', [], target)).toBe('invalid-input');
    const filters = [is('tableId', open.table)];
    const added = await scene.call('addEventTrigger', { event: 'base.*', filters, ...target }, agent.key);
    await done(app, 'bases/createRow', { tableId: closed.table, values: { title: `${kept} later` } });
    await done(app, 'bases/createRow', { tableId: open.table, values: { title: 'Tea' } });
    await scene.over(added.body.id);
    const runs: readonly { readonly id: string }[] = await done(app, 'automations/listRuns', { functionId: id });
    const logs = await Promise.all(runs.map((run) => done(app, 'automations/getRunLog', { runId: run.id }, agent.key)));
    expect(logs.map(({ lines }) => JSON.parse(lines[0].text))).toMatchObject([{ title: 'Tea' }]);
  });
});

describe('a trigger that exists', () => {
  const update = async (id: string, sent: object) =>
    codeOf(await scene.call('updateEventTrigger', { id, ...sent }, agent.key));

  it('is widened by no agent', async () => {
    const filters = [is('tableId', open.table)];
    const { id } = await done(
      app,
      'accountEvents/addEventTrigger',
      { event: 'base.*', filters, ...toPeek() },
      agent.key,
    );
    expect(await update(id, { filters: [] })).toBe('invalid-input');
    expect(await update(id, { filters: [is('tableId', closed.table)] })).toBe('ai-permission-missing');
    expect(await update(id, { event: 'site.*' })).toBe(200);
    expect(await update(id, { event: 'custom.x', filters: [] })).toBe(200);
    expect(await update(id, { event: '*' })).toBe('invalid-input');
    expect(await update(id, { event: 'base.row_deleted', filters })).toBe(200);
  });

  it('of a person can be renamed and switched off by an agent, but not on or given other input', async () => {
    const { id } = await scene.ok('addEventTrigger', { event: 'base.row_deleted', ...toPeek() });
    expect(await update(id, { name: 'Renamed', isActive: false })).toBe(200);
    expect(await update(id, { isActive: true })).toBe('invalid-input');
    expect(await update(id, { config: { params: { chosen: true } } })).toBe('invalid-input');
    await scene.ok('updateEventTrigger', { id, isActive: true });
  });
});

describe('a trigger that code adds', () => {
  const code = `
    try { await ctx.connections.call('service', 'accountEvents_addEventTrigger', params.sent); return 200 }
    catch (error) { return error.code }`;
  const inCode = async (bases: readonly object[], event: string, filters: readonly object[]) => {
    const grants = { serviceTools: ['accountEvents_addEventTrigger'], bases };
    const id = await scene.fn(code, { grants });
    const sent = { event, filters, ...toPeek() };
    return (await done(app, 'automations/invokeFunction', { id, event: { sent } })).result;
  };

  it('names a site in the grants of the function', async () => {
    const bases = [{ projectId: open.project, access: 'read' }];
    expect(await inCode([], 'base.row_created', [])).toBe('invalid-input');
    expect(await inCode([], 'base.row_created', [is('tableId', open.table)])).toBe('site-not-granted');
    expect(await inCode([], 'site.*', [is('projectId', open.project)])).toBe('site-not-granted');
    expect(await inCode(bases, 'base.row_created', [is('tableId', closed.table)])).toBe('site-not-granted');
    expect(await inCode(bases, 'base.row_created', [is('tableId', open.table)])).toBe(200);
    expect(await inCode([], 'custom.x', [])).toBe(200);
  });
});

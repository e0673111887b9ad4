import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OperatorPlans } from '../../../src/areas/workspace/workspace/operator-plans.api.js';
import type { TestApp } from '../../support/app.js';
import { done, otherWorkspace } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteFunctionsScene, siteUser } from '../../support/sites/site-functions.js';

let app: TestApp;
let site: SiteFunctionsScene;
let tableId: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  await done(app, 'workspace/updateSettings', { versions: false });
  site = await SiteFunctionsScene.of(app);
  tableId = await table(site.projectId);
});

const everybody = { execute: { type: 'public', scope: 'everywhere' } };
const number = { type: 'number' };
const text = { type: 'string' };
async function table(projectId: string, key?: string): Promise<string> {
  const { linkedBase } = await done(app, 'site/getProject', { id: projectId }, key);
  const fields = [
    { name: 'title', type: 'text' },
    { name: 'total', type: 'number' },
  ];
  return (await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'Orders', fields }, key)).id;
}
const row = (title: string, total: number) => done(app, 'bases/createRow', { tableId, values: { title, total } });
const rows = async () => (await done(app, 'bases/listRows', { tableId, sort: [{ field: 'total', dir: 'asc' }] })).rows;
const call = (operation: string, body: object, key?: string) =>
  app.call(`site/${operation}`, { projectId: site.projectId, ...body }, key);
const create = (definition: object, more: object = {}) =>
  done(app, 'site/createDataFunction', {
    projectId: site.projectId,
    name: 'data',
    definition: { table: 'Orders', ...definition },
    ...more,
  });
const invoke = async (params: object = {}) => {
  const { status, body } = await site.invoke('data', params);
  return status === 200 ? body.data : [status, body.code];
};
const titles = (list: readonly { readonly title: string }[]) => list.map(({ title }) => title);

describe('createDataFunction', () => {
  const definition = { kind: 'count', table: 'Orders' };

  it('answers the function: of kind data, created by the member, without code', async () => {
    const fn = await create(definition);
    expect(fn).toMatchObject({ kind: 'data', definition, code: '', runAs: 'member', isActive: true });
    const [listed] = await done(app, 'site/listBackendFunctions', { projectId: site.projectId });
    expect(listed).toMatchObject({ id: fn.id, kind: 'data', definition });
  });

  it('is open to free plans', async () => {
    const { ownerKey, workspaceId } = await otherWorkspace(app);
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Free' }, ownerKey);
    await table(projectId, ownerKey);
    await app.app.get(OperatorPlans, { strict: false }).set(workspaceId, 'free');
    expect((await app.call('site/createDataFunction', { projectId, name: 'data', definition }, ownerKey)).status).toBe(
      200,
    );
  });

  it('without rules denies everyone', async () => {
    await create(definition);
    expect([await site.visit('data'), await site.visit('data', { visitor: siteUser() })]).toEqual([
      'execute-refused',
      'no-access-rules',
    ]);
  });

  it.each([
    ['another kind', { kind: 'truncate' }, 'definition.kind'],
    ['no table', { kind: 'count', table: '' }, 'definition.table'],
    ['a part of another kind', { kind: 'count', values: {} }, 'definition.values'],
    ['a part that is none', { kind: 'count', where: {} }, 'definition.where'],
    ['a create without values', { kind: 'create' }, 'definition.values'],
    ['an unknown placeholder', { kind: 'count', filter: { total: { $param: 'nope' } } }, 'definition.filter.total'],
    ['a limit beyond 1000', { kind: 'list', limit: 1_001 }, 'definition.limit'],
    ['a sort that is none', { kind: 'list', sort: 'total' }, 'definition.sort'],
    ['a placeholder without a schema', { kind: 'count', params: { a: 'number' } }, 'definition.params.a'],
  ])('refuses a data function with %s', async (_, wrong, path) => {
    const { status, body } = await call('createDataFunction', {
      name: 'wrong',
      definition: { table: 'Orders', ...wrong },
    });
    expect([status, body.code, body.errors[0].path]).toEqual([400, 'invalid-input', path]);
  });

  it.each([
    ['filter', { kind: 'count', filter: { any: [{ not: { nope: 1 } }] } }],
    ['sort', { kind: 'list', sort: [{ field: 'nope' }] }],
    ['fields', { kind: 'get', fields: ['title', 'nope'] }],
    ['values', { kind: 'create', values: { nope: 1 } }],
    ['values, of what every row has of its own', { kind: 'create', values: { id: 'row_1' } }],
    ['values, with the name of a prototype’s member', { kind: 'create', values: { constructor: 1 } }],
  ])('refuses an unknown field in %s, and lists the real ones', async (_, wrong) => {
    const { status, body } = await call('createDataFunction', {
      name: 'wrong',
      definition: { table: 'Orders', ...wrong },
    });
    expect([status, body.code, body.fields]).toEqual([400, 'unknown-field', ['title', 'total']]);
  });

  it('refuses a table that the site has not', async () => {
    const { status, body } = await call('createDataFunction', {
      name: 'wrong',
      definition: { kind: 'count', table: 'Nowhere' },
    });
    expect([status, body.code]).toEqual([404, 'table-not-found']);
  });

  it('with runAs service runs as the member until a card switches it', async () => {
    const reply = await call('createDataFunction', { name: 'data', definition, runAs: 'service' });
    expect([reply.status, reply.body.runAs]).toEqual([202, 'member']);
    await site.approve(reply.body);
    const named = { projectId: site.projectId, functionId: reply.body.id };
    expect((await done(app, 'site/getBackendFunction', named)).runAs).toBe('service');
  });
});

describe('createDataFunction with runAs service while functions may act as the workspace', () => {
  const allow = (actsAsWorkspaceSwitch: boolean) => done(app, 'workspace/updateSettings', { actsAsWorkspaceSwitch });
  beforeEach(() => allow(true));
  afterEach(() => allow(false));

  it('is refused, and creates nothing', async () => {
    const definition = { kind: 'count', table: 'Orders' };
    const { status, body } = await call('createDataFunction', { name: 'data', definition, runAs: 'service' });
    expect([status, body.code]).toEqual([403, 'service-through-identity-mode']);
    expect(await done(app, 'site/listBackendFunctions', { projectId: site.projectId })).toEqual([]);
    expect(await create(definition)).toMatchObject({ runAs: 'member' });
  });
});

describe('a call of a data function', () => {
  beforeEach(async () => {
    await row('one', 1);
    await row('two', 2);
    await row('three', 3);
  });

  it('get answers the first row in the order of sort, or null', async () => {
    await create({
      kind: 'get',
      filter: { total: { lt: { $param: 'below' } } },
      sort: [{ field: 'total', dir: 'desc' }],
      fields: ['title'],
      params: { below: number },
    });
    expect(await invoke({ below: 3 })).toEqual({ id: expect.stringMatching(/^row_/), title: 'two' });
    expect(await invoke({ below: 1 })).toBeNull();
  });

  it('list answers rows and the total', async () => {
    await create({
      kind: 'list',
      filter: { total: { gte: { $param: 'from' } } },
      sort: [{ field: 'total' }],
      limit: { $param: 'limit' },
      params: { from: { type: 'number', default: 0 }, limit: { type: 'integer', default: 2 } },
    });
    const { rows: all, total } = await invoke();
    expect([titles(all), total]).toEqual([['one', 'two'], 3]);
    const { rows: some } = await invoke({ from: 2, limit: 1 });
    expect(titles(some)).toEqual(['two']);
    expect(await invoke({ limit: 0 })).toEqual([400, 'data-limit']);
  });

  it('count answers how many', async () => {
    await create({ kind: 'count', filter: { total: { gt: 1 } } });
    expect(await invoke()).toEqual({ count: 2 });
  });

  it('create answers the row', async () => {
    await create({
      kind: 'create',
      values: { title: { $param: 'title' }, total: 9 },
      params: { title: text },
    });
    expect(await invoke({ title: 'four' })).toMatchObject({ title: 'four', total: 9, createdBy: null });
    expect(await rows()).toHaveLength(4);
  });

  it('update changes the matching row, or up to limit rows, otherwise none', async () => {
    const filter = { total: { lte: { $param: 'upTo' } } };
    const fn = await create({ kind: 'update', filter, values: { title: 'seen' }, params: { upTo: number } });
    expect(await invoke({ upTo: 1 })).toEqual({ updated: 1 });
    expect(await invoke({ upTo: 0 })).toEqual({ updated: 0 });
    expect(await invoke({ upTo: 2 })).toEqual([409, 'several-rows']);
    expect(titles(await rows())).toEqual(['seen', 'two', 'three']);
    const definition = { ...fn.definition, limit: 2 };
    await done(app, 'site/updateDataFunction', { projectId: site.projectId, functionId: fn.id, definition });
    expect(await invoke({ upTo: 2 })).toEqual({ updated: 2 });
  });

  it('delete deletes the rows that match', async () => {
    await create({ kind: 'delete', filter: { title: { $param: 'title' } }, params: { title: text } });
    expect(await invoke({ title: 'two' })).toEqual({ deleted: 1 });
    expect(titles(await rows())).toEqual(['one', 'three']);
  });

  it.each([
    ['nothing', {}],
    ['another type', { title: 1 }],
    ['something that is not declared', { title: 'one', total: 5 }],
    ['a filter in the place of a text', { title: { ne: 'one' } }],
  ])('is refused with %s for its placeholders, and does nothing', async (_, params) => {
    await create({ kind: 'delete', filter: { title: { $param: 'title' } }, params: { title: text } });
    expect(await invoke(params)).toEqual([400, 'params-invalid']);
    expect(await rows()).toHaveLength(3);
  });

  it('compares values of callers literally, so they cannot send an operator', async () => {
    await row('ours', 1);
    const filter = { all: [{ title: { $param: 'title' } }, { not: { title: { $param: 'not' } } }] };
    await create({ kind: 'count', filter, params: { title: {}, not: {} } });
    expect(await invoke({ title: 'ours', not: 'theirs' })).toEqual({ count: 1 });
    expect(await invoke({ title: 'theirs', not: 'ours' })).toEqual({ count: 0 });
    for (const sent of [
      { title: { ne: 'theirs' }, not: 'theirs' },
      { title: 'ours', not: { ne: 'ours' } },
    ]) {
      expect(await invoke(sent)).toEqual([400, 'invalid-input']);
    }
  });

  it.each([
    ['whole', { $param: 'filter' }],
    ['part of any', { any: [{ $param: 'filter' }] }],
    ['negation', { not: { $param: 'filter' } }],
  ])('never accepts a filter from a caller, %s', async (_, filter) => {
    const definition = { kind: 'count', table: 'Orders', filter, params: { filter: {} } };
    expect(await call('createDataFunction', { name: 'data', definition })).toMatchObject({ status: 400 });
  });

  it('is recorded as a run, with the reason of a refusal', async () => {
    await create({ kind: 'update', values: { title: 'all' } });
    expect(await invoke()).toEqual([409, 'several-rows']);
    const [run] = await site.runs();
    expect([run.status, run.error]).toEqual(['error', expect.stringContaining('Several rows')]);
  });
});

describe('runAs', () => {
  const mine = { read: { type: 'authenticated' } };
  beforeEach(async () => {
    await row('one', 1);
    await done(app, 'bases/setTableAccessRules', { tableId, accessRules: mine });
  });

  it("member: visitors have their own rights to rows, and automations and members the owner's", async () => {
    await create({ kind: 'list' }, { accessRules: everybody });
    expect(await site.visit('data')).toEqual({ rows: [], total: 0 });
    expect(await site.visit('data', { visitor: siteUser() })).toMatchObject({ total: 1 });
    expect(await invoke()).toMatchObject({ total: 1 });
  });

  it("member: refusals of the table's rules apply", async () => {
    await create({ kind: 'create', values: { title: 'new' } }, { accessRules: everybody });
    expect(await site.visit('data', { visitor: siteUser() })).toEqual({ error: expect.any(String) });
    expect(await rows()).toHaveLength(1);
  });

  it('service: visitors see what the owner sees', async () => {
    const { status, body } = await call('createDataFunction', {
      name: 'data',
      definition: { kind: 'list', table: 'Orders' },
      runAs: 'service',
      accessRules: everybody,
    });
    expect(status).toBe(202);
    await site.approve(body);
    expect(await site.visit('data')).toMatchObject({ total: 1 });
  });
});

describe('updateDataFunction', () => {
  const update = (functionId: string, body: object) => call('updateDataFunction', { functionId, ...body });
  const answer = async (reply: ReturnType<typeof update>) => {
    const { status, body } = await reply;
    return [status, body.code];
  };

  it('keeps the kind, and validates a new definition', async () => {
    const fn = await create({ kind: 'count' });
    const definition = { table: 'Orders', kind: 'delete' };
    expect(await answer(update(fn.id, { definition }))).toEqual([400, 'definition-kind']);
    const unknown = { table: 'Orders', kind: 'count', filter: { nope: 1 } };
    expect(await answer(update(fn.id, { definition: unknown }))).toEqual([400, 'unknown-field']);
  });

  it('refuses code functions, and updates of code refuse data functions', async () => {
    const code = await site.create('code', 'return 1');
    expect(await answer(update(code.id, { description: 'x' }))).toEqual([400, 'no-data-function']);
    const fn = await create({ kind: 'count' });
    const body = { functionId: fn.id, code: 'return 1' };
    expect(await answer(call('updateBackendFunction', body))).toEqual([400, 'data-function-without-code']);
  });

  it('updateBackendFunction deactivates, renames and exposes it, and sets a schema', async () => {
    const fn = await create({ kind: 'count' });
    const more = { isActive: false, name: 'renamed', exposed: true, toolSpec: { inputSchema: {} } };
    expect(await site.update(fn.id, more)).toMatchObject(more);
  });

  it('service needs seenVersion and waits for a person as a whole call', async () => {
    const fn = await create({ kind: 'count' });
    expect(await answer(update(fn.id, { runAs: 'service' }))).toEqual([400, 'seen-version-missing']);
    const sent = { runAs: 'service', seenVersion: fn.version, description: 'New.' };
    const { status, body } = await update(fn.id, sent);
    expect([status, body.runAs, body.description]).toEqual([202, 'member', '']);
    await site.approve(body);
    const named = { projectId: site.projectId, functionId: fn.id };
    expect(await done(app, 'site/getBackendFunction', named)).toMatchObject({ runAs: 'service', description: 'New.' });
  });

  it('to service with versions on waits with the description, while the definition goes to the draft', async () => {
    await done(app, 'workspace/updateSettings', { versions: true });
    const fn = await create({ kind: 'count' });
    const definition = { table: 'Orders', kind: 'count', filter: { total: 1 } };
    const sent = { runAs: 'service', seenVersion: fn.version, description: 'New.', definition };
    const { status, body } = await update(fn.id, sent);
    expect([status, body.runAs, body.description, body.draft?.definition]).toEqual([202, 'member', '', definition]);
    await site.approve(body);
    const named = { projectId: site.projectId, functionId: fn.id };
    expect(await done(app, 'site/getBackendFunction', named)).toMatchObject({
      runAs: 'service',
      description: 'New.',
      definition: fn.definition,
      draft: { definition },
    });
  });

  it('waits for a change of one that runs as the service, while going back to member is immediate, with an Undo', async () => {
    const fn = await create({ kind: 'count' });
    await site.empower(fn.id, ['service']);
    const definition = { table: 'Orders', kind: 'count', filter: { total: 1 } };
    expect((await update(fn.id, { definition })).status).toBe(202);
    const { status, body } = await update(fn.id, { runAs: 'member' });
    expect([status, body.runAs, body.undo]).toEqual([
      200,
      'member',
      expect.objectContaining({ id: expect.any(String) }),
    ]);
  });

  it('to member leaves no Undo that gives Full data access to a definition that nobody approved', async () => {
    const fn = await create({ kind: 'count' });
    await site.empower(fn.id, ['service', 'email']);
    const definition = { table: 'Orders', kind: 'count', filter: { total: 1 } };
    const { status, body } = await update(fn.id, { runAs: 'member', definition });
    expect([status, body.runAs, body.definition]).toEqual([200, 'member', definition]);
    await done(app, 'approvals/undoNotice', { id: body.undo.id });
    const now = await done(app, 'site/getBackendFunction', { projectId: site.projectId, functionId: fn.id });
    expect([now.runAs, now.capabilities, now.definition]).toEqual(['member', ['email'], fn.definition]);
  });

  it('to member has an Undo beside a draft, which stays', async () => {
    await done(app, 'workspace/updateSettings', { versions: true });
    const fn = await create({ kind: 'count' });
    await site.empower(fn.id, ['service']);
    const definition = { table: 'Orders', kind: 'count', filter: { total: 1 } };
    const { body } = await update(fn.id, { runAs: 'member', definition });
    expect([body.runAs, body.draft.definition]).toEqual(['member', definition]);
    await done(app, 'approvals/undoNotice', { id: body.undo.id });
    const now = await done(app, 'site/getBackendFunction', { projectId: site.projectId, functionId: fn.id });
    expect([now.runAs, now.definition, now.draft.definition]).toEqual(['service', fn.definition, definition]);
  });

  it('has versions like code', async () => {
    await done(app, 'workspace/updateSettings', { versions: true });
    const fn = await create({ kind: 'count' });
    const definition = { table: 'Orders', kind: 'count', filter: { total: 1 } };
    const { body } = await update(fn.id, { definition });
    expect([body.definition, body.draft.definition]).toEqual([fn.definition, definition]);
    const named = { projectId: site.projectId, functionId: fn.id };
    await done(app, 'site/publishBackendFunction', { ...named, versionId: body.draft.versionId });
    expect((await done(app, 'site/getBackendFunction', named)).definition).toEqual(definition);
    await done(app, 'site/rollBackBackendFunction', { ...named, versionId: fn.liveVersionId });
    expect((await done(app, 'site/getBackendFunction', named)).definition).toEqual(fn.definition);
  });
});

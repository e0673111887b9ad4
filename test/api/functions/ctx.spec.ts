// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done, type Person, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let editor: Person;
beforeAll(async () => {
  app = await sharedApp();
  await app.call('workspace/updateSettings', { versions: false });
  editor = await person(app, 'editor');
});
afterAll(() => app.close());

let made = 0;
const create = async (code: string, more: object = {}) => {
  const reply = await app.call('automations/createFunction', { name: `ctx ${made++}`, code, ...more });
  expect([reply.status, reply.body.detail]).toEqual([200, undefined]);
  return reply.body;
};
const run = async (code: string, more: object = {}, event: object = {}) =>
  app.call('automations/invokeFunction', { id: (await create(code, more)).id, event });
const result = async (code: string, more: object = {}) => {
  const { status, body } = await run(code, more);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.result;
};
/** The refusal as the code sees it: status, code and message of the error. */
const refusal = (call: string, more: object = {}) =>
  result(`try { return await ${call} } catch (error) { return [error.status, error.code, error.message] }`, more);

describe('ctx.events.emit', () => {
  const events = async (name: string) =>
    (await app.call('audit/listEvents', { kind: 'accountEvent' })).body.events.filter(
      ({ data }: { data: { name: string } }) => data.name === `custom.${name}`,
    );

  it('records the event as custom.<name>, by the function, caused by its run', async () => {
    const { body } = await run(
      "return ctx.events.emit('order.paid', { subject: { id: 'o1', name: 'Order 1' }, properties: { total: 3 } })",
    );
    expect(body.result).toEqual({ recorded: true, event: 'custom.order.paid' });
    const [event] = await events('order.paid');
    expect(event).toMatchObject({
      type: 'AccountEventRecorded',
      actor: { kind: 'function' },
      causationId: body.runId,
      data: { origin: 'function', subject: { id: 'o1', name: 'Order 1' }, properties: { total: 3 }, depth: 0 },
    });
  });

  it('records an idempotency key once, forever, even for simultaneous uses', async () => {
    const code = "return ctx.events.emit('once', { properties: { n: params.n }, idempotencyKey: 'k1' })";
    const fn = await create(code);
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, n) => app.call('automations/invokeFunction', { id: fn.id, event: { n } })),
    );
    expect(all.filter(({ body }) => body.result.recorded)).toHaveLength(1);
    expect(await events('once')).toHaveLength(1);
  });

  it.each([
    ["ctx.events.emit('Bad Name')", 'name'],
    ["ctx.events.emit('custom.x')", 'name'],
    ["ctx.events.emit('a'.repeat(81))", 'name'],
    [
      "ctx.events.emit('x', { properties: Object.fromEntries(Array.from({ length: 31 }, (_, n) => ['k' + n, n])) })",
      'properties',
    ],
    ["ctx.events.emit('x', { properties: { text: 'x'.repeat(8193) } })", 'properties'],
    ["ctx.events.emit('x', { subject: { text: 'x'.repeat(2049) } })", 'subject'],
    ["ctx.events.emit('x', { idempotencyKey: '' })", 'idempotencyKey'],
    ["ctx.events.emit('x', { when: 1 })", 'when'],
    ['ctx.events.emit()', 'takes a name'],
    ["ctx.events.emit('x', 'y')", 'takes a name'],
    ["ctx.events.emit('x', { properties: [1] })", 'takes objects'],
  ])('refuses %s and records nothing', async (call, what) => {
    const [status, code, message] = await refusal(call);
    expect([status, code]).toEqual([400, 'invalid-input']);
    expect(message).toContain(what);
    expect(await events('x')).toEqual([]);
  });
});

describe('ctx.connections.call', () => {
  const granted = (...serviceTools: string[]) => ({ grants: { serviceTools } });

  it('runs a service operation that the function was granted', async () => {
    const fn = await create('return 1');
    const call = `ctx.connections.call('service', 'automations_getFunction', { id: '${fn.id}' })`;
    expect(await result(`return (await ${call}).name`, granted('automations_getFunction'))).toBe(fn.name);
  });

  it("records changes as the function's", async () => {
    const target = await create('return 1');
    const call = `ctx.connections.call('service', 'automations_updateFunction', { id: '${target.id}', description: 'by code' })`;
    const { body } = await run(`return (await ${call}).description`, granted('automations_updateFunction'));
    expect(body.result).toBe('by code');
    const history = (await app.call('audit/getHistory', { kind: 'function', id: target.id })).body.events;
    expect(history.at(-1)).toMatchObject({ actor: { kind: 'function' }, causationId: body.runId });
  });

  it('runs nothing outside the list', async () => {
    const call = "ctx.connections.call('service', 'automations_listFunctions', {})";
    expect((await refusal(call)).slice(0, 2)).toEqual([403, 'tool-not-granted']);
  });

  it('passes refusals of the operation to the code', async () => {
    const { id } = await create('return 1');
    const refused = async (tool: string, args: object) => {
      const call = `ctx.connections.call('service', '${tool}', ${JSON.stringify(args)})`;
      return (await refusal(call, granted(tool))).slice(0, 2);
    };
    expect(await refused('automations_getFunction', { id: 'fn_none' })).toEqual([404, 'function-not-found']);
    expect(await refused('automations_getFunction', { id, other: 1 })).toEqual([400, 'invalid-input']);
    const stale = { id, code: 'return 2', seenUpdatedAt: '2020-01-01T00:00:00.000Z' };
    expect(await refused('automations_updateFunction', stale)).toEqual([409, 'function-changed-since']);
    const publication = { id, versionId: 'ver_none' };
    expect(await refused('automations_publishFunction', publication)).toEqual([403, 'drafts-only']);
  });

  it('knows no other connection, and accepts only names and an object', async () => {
    expect((await refusal("ctx.connections.call('crm', 'x', {})"))[1]).toBe('connection-not-found');
    for (const call of [
      "ctx.connections.call('service')",
      "ctx.connections.call('service', 'x', 1)",
      'ctx.connections.call(1, 2)',
    ]) {
      expect((await refusal(call))[1]).toBe('invalid-input');
    }
  });

  it.each([
    'automations_invokeFunction',
    'automations_setFunctionSecrets',
    'automations_setFunctionCapabilities',
    'approvals_approvePendingChange',
    'approvals_listPendingChanges',
    'workspace_createApiKey',
    'workspace_addAgent',
    'workspace_updateSettings',
    'nothing_atAll',
  ])('%s cannot be listed', async (tool) => {
    const { status, body } = await app.call('automations/createFunction', { name: tool, ...granted(tool) });
    expect([status, body.errors?.[0]?.path]).toEqual([400, 'grants.serviceTools[0]']);
  });

  it('only tools that the caller may use can be listed, and listed ones may remain', async () => {
    const fn = await create('return 1', granted('audit_listEvents'));
    const viewer = await person(app, 'viewer', ['functions.edit']);
    const refused = await app.call(
      'automations/createFunction',
      { name: 'not mine', ...granted('automations_invokeFunction') },
      viewer.key,
    );
    expect(refused.status).toBe(400);
    const kept = await app.call(
      'automations/updateFunction',
      { id: fn.id, seenUpdatedAt: fn.updatedAt, ...granted('audit_listEvents', 'automations_listRuns') },
      editor.key,
    );
    expect(kept.status).toBe(200);
  });

  it('shows code what an Editor may see, even if an Admin made the list', async () => {
    const admin = await person(app, 'admin');
    const code = `
      const events = (kind) => ctx.connections.call('service', 'audit_listEvents', { kind });
      const kinds = ['apiKey', 'mailAccount', 'auditReading', 'function'];
      const counts = await Promise.all(kinds.map(async (kind) => (await events(kind)).events.length > 0));
      return [counts, await ctx.connections.call('service', 'automations_listMailAccounts', {})]`;
    const mailbox = { fromAddress: 'a@example.org', host: 'smtp.example.org', username: 'owner', password: 'hidden' };
    await done(app, 'automations/createMailAccount', { name: 'main', ...mailbox });
    await done(app, 'audit/listEvents', { kind: 'apiKey' });
    for (const key of [admin.key, editor.key]) {
      const sent = { name: `looks ${made++}`, code, ...granted('audit_listEvents', 'automations_listMailAccounts') };
      const fn = await done(app, 'automations/createFunction', sent, key);
      const { result: seen } = await done(app, 'automations/invokeFunction', { id: fn.id });
      expect(seen[0]).toEqual([false, false, false, true]);
      expect(Object.keys(seen[1][0])).toEqual(expect.arrayContaining(['id', 'name', 'fromAddress']));
      expect(Object.keys(seen[1][0])).not.toEqual(expect.arrayContaining(['host']));
      expect(JSON.stringify(seen[1])).not.toContain('smtp.example.org');
    }
  });

  it('makes a risky call a card, which no code can approve', async () => {
    const approvals = (await app.call('approvals/listPendingChanges')).body.pendingChanges;
    expect(approvals).toEqual([]);
    expect((await refusal("ctx.connections.call('service', 'approvals_approvePendingChange', {})"))[1]).toBe(
      'tool-not-granted',
    );
  });
});

describe('ctx.limits and ctx.sites', () => {
  it('a run may make as many platform calls as the plan allows, and later ones are refused', async () => {
    const code = `
      const before = { ...ctx.limits.databaseCalls };
      let error;
      for (let n = 0; n <= before.max; n++) {
        try { await ctx.connections.call('service', 'automations_listFunctions', {}) } catch (thrown) { error = thrown }
      }
      return { before, after: { ...ctx.limits.databaseCalls }, code: error.code, status: error.status };`;
    expect(await result(code, { grants: { serviceTools: ['automations_listFunctions'] } })).toEqual({
      before: { max: 100, used: 0 },
      after: { max: 100, used: 101 },
      code: 'call-limit',
      status: 429,
    });
  });

  it('there are no sites yet, and code sees none', async () => {
    expect(await result("return [Object.keys(ctx.sites), typeof ctx.sites['Shop']]")).toEqual([[], 'undefined']);
  });
});

describe('accessRules.execute', () => {
  it.each([
    [{ type: 'nobody-knows' }, 'accessRules.execute'],
    [{ any: [{ type: 'authenticated' }, { type: 'has_role' }] }, 'accessRules.execute'],
    [{ type: 'public', level: 'everywhere' }, 'accessRules.execute'],
    ['yes', 'accessRules'],
  ])('%j is refused, with the path', async (execute, path) => {
    const { status, body } = await app.call('automations/createFunction', { name: 'rules', accessRules: { execute } });
    expect([status, body.errors[0].path.startsWith(path)]).toEqual([400, true]);
  });

  it('is stored exactly as sent', async () => {
    const execute = { type: 'authenticated' };
    expect((await create('return 1', { accessRules: { execute } })).accessRules.execute).toEqual(execute);
  });

  it('may nest as deep as the contract permits', async () => {
    let deep: object = { type: 'authenticated' };
    for (let n = 0; n < 400; n++) deep = { all: [deep] };
    const { status, body } = await app.call('automations/createFunction', {
      name: 'deep',
      accessRules: { execute: deep },
    });
    expect([status, body.code]).toEqual([400, 'invalid-input']);
  });
});

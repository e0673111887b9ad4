import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { activeFunction } from '../../support/automations/flows.js';
import { done, keyOf, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { DryRuns } from '../../support/stores/dry-runs.js';

let app: TestApp;
let trials: DryRuns;
let projectId: string;
beforeAll(async () => {
  app = await sharedApp();
  trials = new DryRuns(app);
  projectId = (await done(app, 'site/createProject', { name: 'Shop' })).id;
});
afterAll(() => app.close());

const typesOf = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);
const code = 'return params.sum * 1.2;';
const newFunction = async (name: string) => (await done(app, 'automations/createFunction', { name, code })).id;

describe('the header', () => {
  it.each(['1', 'yes', '', 'no', 'false, true'])('%s is refused, and nothing is done', async (value) => {
    const { status, body } = await trials.send('automations/createFunction', { name: 'dry', code }, undefined, {
      'x-dry-run': value,
    });
    expect([status, body.code, body.detail]).toEqual([
      400,
      'dry-run-unclear',
      expect.stringContaining('nothing was done'),
    ]);
  });

  it.each(['true', ' TRUE '])('%s makes the call a dry run', async (value) => {
    const headers = { 'x-dry-run': value };
    const { status, body } = await trials.send('automations/createFunction', { name: 'dry', code }, undefined, headers);
    expect([status, body.dryRun, body.card, body.outside]).toEqual([200, true, null, []]);
    expect(body.answer).toMatchObject({ name: 'dry' });
  });

  it.each(['false', ' False '])('%s requests the real call, which is made', async (value) => {
    const name = `real ${value.trim()}`;
    const headers = { 'x-dry-run': value };
    expect((await app.call('automations/createFunction', { name, code }, undefined, headers)).status).toBe(200);
  });

  it('is refused on queries, to prevent misunderstanding', async () => {
    const { status, body } = await trials.send('automations/listFunctions');
    expect([status, body.code]).toEqual([400, 'dry-run-not-supported']);
  });

  it('is refused if no operation is called, before anything is done', async () => {
    const functionId = await activeFunction(app, 'return 1');
    const { token } = await done(app, 'automations/createWebhook', { functionId });
    const path = `/api/automations/functions/webhook/${token}`;
    const headers = { 'x-dry-run': 'true', 'content-type': 'application/json' };
    const { status, body } = await app.send('POST', path, '{}', headers);
    expect([status, body.code]).toEqual([400, 'dry-run-not-supported']);
    expect(await done(app, 'automations/listRuns', { functionId })).toEqual([]);
    expect((await app.send('POST', path, '{}', { ...headers, 'x-dry-run': 'false' })).status).toBe(200);
  });
});

describe('a dry run predicts', () => {
  it('the creation, change and deletion of a plain record', async () => {
    const { answer } = await trials.thenDone('automations/createFunction', { name: 'Total', code });
    const { id } = answer;
    await trials.thenDone('automations/updateFunction', { id, description: 'Sums up.' });
    const { tried } = await trials.thenDone('automations/deleteFunction', { id });
    expect(typesOf(tried.events)).toEqual(['FunctionDeleted']);
  });

  it('a refusal for a taken unique name', async () => {
    await done(app, 'workspace/addMember', { name: 'Ann', email: 'ann@example.com', role: 'editor' });
    const body = { name: 'Anne', email: 'ann@example.com', role: 'viewer' };
    const tried = await trials.send('workspace/addMember', body);
    const real = await app.call('workspace/addMember', body);
    expect([tried.status, tried.body.code]).toEqual([real.status, real.body.code]);
    expect(tried.status).toBe(409);
  });

  it('changes of people, with their data in the clear, but without a key, which only the call makes', async () => {
    const { tried } = await trials.thenDone('workspace/addMember', {
      name: 'Bea',
      email: 'bea@example.com',
      role: 'editor',
    });
    expect(JSON.stringify(tried.events)).toContain('Bea');
    await trials.thenDone('site/createAppUser', {
      projectId,
      email: 'cleo@example.com',
      password: 'correct horse battery',
      name: 'Cleo',
    });
  });

  it('the card that would be created, and who would decide it', async () => {
    const id = await newFunction('Careful');
    const { tried } = await trials.thenDone('automations/setFunctionCapabilities', { id, capabilities: ['env'] });
    expect(tried.card).toMatchObject({ kind: expect.any(String), approver: expect.stringMatching(/^(editor|admin)$/) });
    expect(typesOf(tried.events)).toContain('PendingChangeProposed');
    expect(tried.answer.pendingChange).toMatchObject({ status: 'pending' });
  });

  it('changes of secrets, whose value is in no answer and no store', async () => {
    const value = 'canary-5b1e07aa93';
    const { tried } = await trials.thenDone('automations/setEnvVar', { name: 'TOKEN', value });
    expect(JSON.stringify(tried)).not.toContain(value);
    await trials.thenDone('automations/deleteEnvVar', { name: 'TOKEN' });
  });

  it('changes of keys, but shows no key', async () => {
    const { tried, answer } = await trials.thenDone('workspace/createApiKey', { name: 'mine', kind: 'person' });
    expect([tried.answer.key, tried.answer.notShown]).toEqual([
      null,
      expect.stringContaining('A dry run creates nothing'),
    ]);
    expect(answer.key).toEqual(expect.any(String));
  });

  it('changes of several records at once, and of places that one of them has', async () => {
    const page = (path: string, more = {}) => ({
      projectId,
      name: path,
      path,
      content: 'export default () => null',
      ...more,
    });
    const first = await trials.thenDone('site/createPage', page('/one', { isHomePage: true }));
    const { tried } = await trials.thenDone('site/createPage', page('/two', { isHomePage: true }));
    expect(tried.events.length).toBeGreaterThan(1);
    expect(first.tried.answer.path).toBe('/');
  });

  it('changes of large texts, with their digests', async () => {
    const { tried } = await trials.thenDone('automations/createFunction', {
      name: 'Large',
      code: `// ${'x'.repeat(60_000)}\n${code}`,
    });
    expect(JSON.stringify(tried.events)).toContain('leftOut');
  });

  it('the deletion of a project with everything in it, and its answer', async () => {
    const { answer } = await trials.thenDone('site/createProject', { name: 'Another shop' });
    await trials.thenDone('site/updateProject', { id: answer.id, name: 'Yet another shop' });
  });

  it('changes of rows', async () => {
    const base = await done(app, 'bases/createBase', { name: 'Books' });
    const table = await trials.thenDone('bases/createTable', {
      baseId: base.id,
      name: 'Titles',
      fields: [{ name: 'title', type: 'text' }],
    });
    const { id } = table.answer;
    await trials.thenDone('bases/createRow', { tableId: id, values: { title: 'Emma' } });
  });
});

describe('a dry run leaves nothing behind', () => {
  it('for an Idempotency-Key, which the real call can still use', async () => {
    const headers = { 'idempotency-key': 'once' };
    const body = { name: 'Keyed', code };
    const tried = await trials.send('automations/createFunction', body, undefined, headers);
    const other = await trials.send('automations/createFunction', { name: 'Other', code }, undefined, headers);
    expect([tried.status, other.status]).toEqual([200, 200]);
    const real = await app.call('automations/createFunction', body, undefined, headers);
    expect([real.status, real.headers.get('idempotency-replayed')]).toEqual([200, null]);
    expect(real.body.id).toBe(tried.body.answer.id);
    const again = await trials.send('automations/createFunction', body, undefined, headers);
    expect([again.body.events, again.body.answer]).toEqual([[], real.body]);
  });

  it('for callers without the right to the call', async () => {
    const viewer = await person(app, 'viewer');
    const { status, body } = await trials.send('automations/createFunction', { name: 'no', code }, viewer.key);
    expect([status, body.code]).toEqual([
      403,
      (await app.call('automations/createFunction', { name: 'no', code }, viewer.key)).body.code,
    ]);
    const readOnly = await keyOf(app, { kind: 'person', readOnly: true });
    expect((await trials.send('automations/createFunction', { name: 'no', code }, readOnly)).status).toBe(403);
  });

  it('and shows no data of events that the caller may not read in the audit', async () => {
    const editor = await person(app, 'editor');
    const { events } = await trials.of('automations/createFunction', { name: 'Mine', code }, editor.key);
    expect(events).toMatchObject([
      { type: 'NameReserved', data: null },
      { type: 'FunctionCreated', data: { name: 'Mine' } },
    ]);
  });

  it('of an erased person, whose data is not affected', async () => {
    const person = { projectId, email: 'dora@example.com', password: 'correct horse battery', name: 'Dora' };
    const { id } = await done(app, 'site/createAppUser', person);
    await trials.of('site/deleteAppUser', { projectId, userId: id });
    expect(await done(app, 'site/getAppUser', { projectId, userId: id })).toMatchObject({ email: person.email });
    await done(app, 'site/updateAppUser', { projectId, userId: id, name: 'Dora again' });
    expect(await done(app, 'site/getAppUser', { projectId, userId: id })).toMatchObject({ name: 'Dora again' });
  });

  it('in counts: a dry run uses no quota', async () => {
    const table = await done(app, 'bases/createBase', { name: 'Counted' });
    for (let tried = 0; tried < 3; tried += 1) await trials.of('bases/createBase', { name: `Tried ${tried}` });
    expect((await done(app, 'bases/listBases')).map(({ name }: { name: string }) => name)).not.toContain('Tried 0');
    await trials.thenDone('bases/deleteBase', { id: table.id });
  });

  it('that simultaneous real calls for the same record could see or wait for', async () => {
    const id = await newFunction('Shared');
    const describe = (description: string, headers = {}) =>
      app.call('automations/updateFunction', { id, description }, undefined, headers);
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        at % 2 === 0 ? describe(`tried ${at}`, { 'x-dry-run': 'true' }) : describe(`real ${at}`),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect((await done(app, 'automations/getFunction', { id })).description).toMatch(/^real /);
    const { events } = await done(app, 'audit/listEvents', { kind: 'function', id, limit: 200 });
    expect(JSON.stringify(events)).not.toContain('tried');
    expect(events.length).toBe(21);
  });

  // Must be the last test, because it starts a run.
  it('in triggers, and those that are really added later fire as usual', async () => {
    const target = { targetKind: 'account_function', targetRef: await activeFunction(app, 'return 1') };
    const raise = (headers = {}) => app.call('accountEvents/raise', { name: 'order' }, undefined, headers);
    const trigger = { ...target, event: 'custom.order' };
    await trials.of('accountEvents/addEventTrigger', trigger);
    await Promise.all([raise({ 'x-dry-run': 'true' }), raise({ 'x-dry-run': 'true' })]);
    const none = (await raise()).body;
    await done(app, 'accountEvents/addEventTrigger', trigger);
    const replies = await Promise.all([raise({ 'x-dry-run': 'true' }), raise()]);
    expect(none.matched).toBe(0);
    expect(replies.map(({ body }) => (body.dryRun ? body.answer : body).matched)).toEqual([1, 1]);
  });
});

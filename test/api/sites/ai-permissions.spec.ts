import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { agentWith, ran, toldOf } from '../../support/automations/agents.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { type AssistantServer, callsTools, writes } from '../../support/servers/assistant-server.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

let server: AssistantServer;
let app: OutsideApp;
let agentKey: string;
let projectId: string;
let pageId: string;
beforeAll(async () => {
  app = await sharedOutside();
  ({ assistant: server } = app);
  agentKey = await keyOf(app, { kind: 'agent', agentId: (await agentWith(app)).id });
});
afterAll(() => app?.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Shop' })).id;
  [{ id: pageId }] = await done(app, 'site/listPages', { projectId });
});

const update = (aiPermissions: unknown, key?: string) =>
  app.call('site/updateAiPermissions', { projectId, aiPermissions }, key);
const narrow = (aiPermissions: object) => done(app, 'site/updateAiPermissions', { projectId, aiPermissions });
const stored = async () => (await done(app, 'site/getProject', { id: projectId })).aiPermissions;
const refusal = async (reply: Promise<{ readonly status: number; readonly body: { readonly code?: string } }>) => {
  const { status, body } = await reply;
  return [status, body.code];
};

describe('updateAiPermissions', () => {
  it('answers success, and the project shows the whole new set', async () => {
    expect(await narrow({ 'pages:*': true, 'projects:getProject': true })).toEqual({ success: true });
    expect(await stored()).toEqual({ 'pages:*': true, 'projects:getProject': true });
    await narrow({ 'pages:getPage': true });
    expect(await stored()).toEqual({ 'pages:getPage': true });
  });

  it.each([
    ['a further tool', { 'pages:getPage': true, 'projects:getProject': true }, ['projects:getProject']],
    ['the area of its tool', { 'pages:*': true }, ['pages:*']],
    ['another tool of the area', { 'pages:listPages': true }, ['pages:listPages']],
    ['everything', {}, ['*']],
  ])('refuses %s as a whole, and saves nothing (AP-02, XE-07)', async (_, wider, widening) => {
    await narrow({ 'pages:getPage': true });
    const { status, body } = await update(wider);
    expect([status, body.code, body.widening]).toEqual([403, 'ai-permissions-widen', widening]);
    expect(await stored()).toEqual({ 'pages:getPage': true });
  });

  it('accepts an equal set, and records nothing for it (Q-S70)', async () => {
    await narrow({ 'pages:*': true, 'projects:*': false });
    const before = await done(app, 'audit/getHistory', { kind: 'project', id: projectId });
    await narrow({ 'projects:*': false, 'pages:*': true });
    expect(await done(app, 'audit/getHistory', { kind: 'project', id: projectId })).toEqual(before);
  });

  it('accepts tools of a permitted area, and a set that permits nothing', async () => {
    await narrow({ 'pages:*': true });
    await narrow({ 'pages:getPage': true, 'pages:listPages': true });
    await narrow({ 'pages:*': false });
    expect(await refusal(app.call('site/getPage', { id: pageId }, agentKey))).toEqual([403, 'ai-permission-missing']);
    expect(await refusal(update({ 'pages:getPage': true }))).toEqual([403, 'ai-permissions-widen']);
  });

  it.each([
    ['unknown area', { 'pages:*': true, 'cellar:*': true }, ['cellar:*']],
    ['unknown tool', { 'pages:burnPage': false }, ['pages:burnPage']],
    ['tool of another area', { 'pages:getProject': true }, ['pages:getProject']],
    ['prototype', JSON.parse('{"__proto__":true,"constructor":true}'), ['__proto__', 'constructor']],
  ])('refuses a key of an %s by name (Q-S70)', async (_, set, keys) => {
    const { status, body } = await update(set);
    expect([status, body.code, body.keys]).toEqual([400, 'ai-permission-unknown', keys]);
    expect(await stored()).toEqual({});
  });

  it.each([[null], ['pages:*'], [['pages:*']], [{ 'pages:*': 'true' }], [{ 'pages:*': null }]])(
    'refuses %j, which is not a set',
    async (set) => {
      expect(await refusal(update(set))).toEqual([400, 'invalid-input']);
    },
  );

  it('is open to persons and their connections who are Editors or above only (Q-S71)', async () => {
    const editor = await person(app, 'editor');
    expect((await update({ 'pages:*': true }, editor.key)).status).toBe(200);
    expect((await update({ 'pages:*': true }, await keyOf(app, { kind: 'connection' }))).status).toBe(200);
    expect(await refusal(update({}, agentKey))).toEqual([403, 'caller-not-allowed']);
    for (const kind of ['automation', 'flow']) {
      expect(await refusal(update({}, await keyOf(app, { kind })))).toEqual([403, 'caller-not-allowed']);
    }
    expect(await refusal(update({}, (await person(app, 'viewer')).key))).toEqual([403, 'viewer-refused']);
    const { ownerKey } = await otherWorkspace(app);
    expect(await refusal(update({}, ownerKey))).toEqual([404, 'site-not-found']);
  });

  it('of several at once never results in more than one of them permits', async () => {
    const sets = [{ 'pages:getPage': true }, { 'projects:getProject': true }, { 'pages:listPages': true }];
    const replies = await Promise.all(sets.map((set) => update(set)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 403, 403]);
    expect(await stored()).toEqual(sets[replies.findIndex(({ status }) => status === 200)]);
  });
});

describe('an agent', () => {
  const calls = (): readonly (readonly [operation: string, body: object])[] => [
    ['site/getProject', { id: projectId }],
    ['site/getProjectDeleteInfo', { id: projectId }],
    ['site/listPages', { projectId }],
    ['site/getPage', { id: pageId }],
    ['site/readPage', { id: pageId }],
    ['site/updatePage', { id: pageId, title: 'Changed' }],
    ['site/setPageActive', { projectId, pageId, active: true }],
  ];
  const allowed = async (key = agentKey) => {
    const found: string[] = [];
    for (const [operation, body] of calls()) {
      const { status, body: told } = await app.call(operation, body, key);
      if (status === 200) found.push(operation);
      else expect([status, told.code]).toEqual([403, 'ai-permission-missing']);
    }
    return found;
  };

  it('may use everything while the set is empty (AP-01)', async () => {
    expect(await allowed()).toEqual(calls().map(([operation]) => operation));
  });

  it.each([
    [{ 'pages:*': true }, ['site/listPages', 'site/getPage', 'site/readPage', 'site/updatePage', 'site/setPageActive']],
    [{ 'pages:getPage': true }, ['site/getPage']],
    [{ 'projects:*': true }, ['site/getProject', 'site/getProjectDeleteInfo']],
    [{ 'pages:*': false }, []],
  ])('with %j may use only these, even if the input names only the record (AP-01)', async (set, operations) => {
    await narrow(set);
    expect(await allowed()).toEqual(operations);
  });

  it('learns which key is missing, and changes nothing', async () => {
    await narrow({ 'pages:getPage': true });
    const { body } = await app.call('site/updatePage', { id: pageId, title: 'Changed' }, agentKey);
    expect(body.detail).toContain("'pages:updatePage'");
    expect((await done(app, 'site/getPage', { id: pageId })).title).not.toBe('Changed');
  });

  it('is limited in that project only, and persons are not', async () => {
    await narrow({ 'pages:*': false });
    const { id } = await done(app, 'site/createProject', { name: 'Open' });
    await done(app, 'site/getProject', { id }, agentKey);
    expect(await allowed(app.ownerKey)).toHaveLength(calls().length);
  });

  it('that runs with a language model is limited, too', async () => {
    await narrow({ 'pages:*': true });
    const { id } = await agentWith(app, { instructions: 'Look.', tools: ['site_getProject', 'site_getPage'] });
    server.plays(callsTools(['site_getProject', { id: projectId }], ['site_getPage', { id: pageId }]), writes('Done.'));
    expect(await ran(app, id)).toMatchObject({ status: 'success' });
    const told = toldOf(server.asked.at(-1) ?? fail());
    expect(JSON.stringify(told[0])).toContain('ai-permission-missing');
    expect(JSON.stringify(told[1])).toContain(pageId);
  });
});

const fail = (): never => {
  throw new Error('The model was not asked.');
};

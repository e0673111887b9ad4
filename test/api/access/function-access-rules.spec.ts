import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { agentWith } from '../../support/automations/agents.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';

let app: TestApp;
let site: SiteFunctionsScene;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app?.close());
beforeEach(async () => {
  site = await SiteFunctionsScene.of(app);
});

const signedIn = { type: 'authenticated' };
const everybody = { type: 'public', scope: 'everywhere' };
const firstRunBy = { pages: 'any', functions: [], agents: [] };
const create = async (accessRules?: object) =>
  (await site.create(`fn ${crypto.randomUUID()}`, 'return 1', accessRules ? { accessRules } : {})).id as string;
const set = (functionId: string, accessRules: unknown, key?: string) =>
  app.call('site/setBackendFunctionAccessRules', { functionId, accessRules }, key);
const saved = async (functionId: string) =>
  (await done(app, 'site/getBackendFunctionAccessRules', { functionId })).accessRules;
const read = (functionId: string) => done(app, 'site/getBackendFunction', { projectId: site.projectId, functionId });
const refusal = async (reply: ReturnType<typeof set>) => {
  const { status, body } = await reply;
  return [status, body.code];
};

describe('getBackendFunctionAccessRules', () => {
  it('answers null if nothing is saved, otherwise the rules (AC-15, Q-S63)', async () => {
    expect(await saved(await create())).toBeNull();
    expect(await saved(await create({ execute: signedIn }))).toEqual({ execute: signedIn, runBy: firstRunBy });
  });

  it('finds only functions of this workspace', async () => {
    const functionId = await create();
    const { ownerKey } = await otherWorkspace(app);
    const asked = app.call('site/getBackendFunctionAccessRules', { functionId }, ownerKey);
    expect(await refusal(asked)).toEqual([404, 'site-function-not-found']);
    expect(await refusal(set(functionId, { execute: signedIn }, ownerKey))).toEqual([404, 'site-function-not-found']);
  });
});

describe('setBackendFunctionAccessRules', () => {
  it('answers the function with its rules', async () => {
    const functionId = await create();
    const runBy = { pages: ['page_1'], functions: ['fn_1'], agents: 'any', members: 'admins' };
    const { status, body } = await set(functionId, { execute: [signedIn], runBy });
    expect([status, body.id, body.accessRules]).toEqual([200, functionId, { execute: [signedIn], runBy }]);
    expect(await saved(functionId)).toEqual({ execute: [signedIn], runBy });
  });

  it.each([true, false, 'any', [], ['page_1']])(
    'accepts the pages %j and shows them as they were sent (Q-S67)',
    async (pages) => {
      const functionId = await create();
      const runBy = { pages, functions: [], agents: [] };
      await done(app, 'site/setBackendFunctionAccessRules', { functionId, accessRules: { execute: signedIn, runBy } });
      expect([await saved(functionId), (await read(functionId)).accessRules.runBy]).toEqual([
        { execute: signedIn, runBy },
        runBy,
      ]);
      const updated = await site.update(functionId, { accessRules: { execute: null, runBy } });
      expect(updated.draft?.accessRules ?? updated.accessRules).toEqual({ execute: null, runBy });
    },
  );

  it.each([1, 'all', null, [1], { page_1: true }])('refuses the pages %j', async (pages) => {
    const { status, body } = await set(await create(), { execute: signedIn, runBy: { pages } });
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          path: 'accessRules.runBy.pages',
          message: "must be true, false, an array of page ids or the string 'any'",
        },
      ],
    ]);
  });

  it.each(['all', 'admins', { people: ['mem_1'] }])('accepts the members %j (AC-34)', async (members) => {
    const functionId = await create();
    const runBy = { pages: [], functions: [], agents: [], members };
    await set(functionId, { execute: signedIn, runBy });
    expect((await saved(functionId)).runBy).toEqual(runBy);
  });

  it('keeps the saved runBy when it is left out', async () => {
    const runBy = { pages: ['page_1'], functions: [], agents: [], members: 'admins' };
    const functionId = await create({ execute: signedIn, runBy });
    await set(functionId, { execute: everybody });
    expect(await saved(functionId)).toEqual({ execute: everybody, runBy });
  });

  it('applies to the live version and the open draft at once', async () => {
    await done(app, 'workspace/updateSettings', { versions: true });
    const functionId = await create({ execute: everybody });
    await site.update(functionId, { code: 'return 2', accessRules: { execute: [] } });
    expect((await read(functionId)).draft.accessRules.execute).toEqual([]);
    const { body } = await set(functionId, { execute: signedIn });
    expect([body.code, body.accessRules.execute]).toEqual(['return 1', signedIn]);
    expect([body.draft.code, body.draft.accessRules.execute]).toEqual(['return 2', signedIn]);
    expect((await site.visit(body.name)) as string).toBe('execute-refused');
    await done(app, 'site/publishBackendFunction', {
      projectId: site.projectId,
      functionId,
      versionId: body.draft.versionId,
    });
    expect(await saved(functionId)).toEqual({ execute: signedIn, runBy: firstRunBy });
    await done(app, 'workspace/updateSettings', { versions: false });
  });

  it('with Full data access waits for approval, and nothing changes before', async () => {
    const functionId = await create({ execute: signedIn });
    await site.empower(functionId, ['service']);
    const { status, body } = await set(functionId, { execute: everybody });
    expect([status, body.pendingChange.changes]).toEqual([
      202,
      [
        {
          path: 'accessRules',
          from: { execute: signedIn, runBy: firstRunBy },
          to: { execute: everybody, runBy: firstRunBy },
        },
      ],
    ]);
    expect(await saved(functionId)).toEqual({ execute: signedIn, runBy: firstRunBy });
    await site.approve(body);
    expect(await saved(functionId)).toEqual({ execute: everybody, runBy: firstRunBy });
  });

  it.each([
    { type: 'creator' },
    { type: 'field_match', field: 'owner', property: 'email' },
    { type: 'relationship', path: 'owner' },
    { type: 'email', field: 'mail' },
  ])('refuses the row rule %j, also behind policies (AC-20)', async (rule) => {
    const functionId = await create();
    const policy = await done(app, 'site/createAccessPolicy', {
      projectId: site.projectId,
      name: 'Rows',
      condition: [rule],
    });
    for (const execute of [rule, { any: [signedIn, { not: rule }] }, { policy: policy.id }]) {
      expect(await refusal(set(functionId, { execute }))).toEqual([400, 'condition-invalid']);
    }
    expect(await saved(functionId)).toBeNull();
  });

  it('refuses functions whose rules ask one another in a cycle', async () => {
    const gate = await create();
    const gated = await create({ execute: { type: 'function', functionId: gate } });
    expect(await refusal(set(gate, { execute: { type: 'function', functionId: gated } }))).toEqual([400, 'gate-chain']);
  });

  it('refuses a chain of functions that becomes too long for another rule, and such a rule', async () => {
    const { projectId } = site;
    const asking = (functionId: string) => ({ execute: { type: 'function', functionId } });
    const chain = [await create()];
    for (let n = 1; n < 4; n += 1) chain.push(await create(asking(chain[n - 1] ?? '')));
    const [last = ''] = chain.slice(-1);
    const rules = (functionId: string) => ({ projectId, accessRules: { send: { type: 'function', functionId } } });
    await done(app, 'site/setEmailAccessRules', rules(last));
    const deeper = await create();
    const { status, body } = await set(chain[0] ?? '', asking(deeper));
    expect([status, body.code]).toEqual([400, 'gate-chain']);
    expect(body.detail).toContain("the send rule of 'email'");
    const five = await create();
    expect((await set(five, asking(last))).status).toBe(200);
    const sent = await app.call('site/setEmailAccessRules', rules(five));
    expect([sent.status, sent.body.code]).toEqual([400, 'condition-invalid']);
    expect(sent.body.detail).toContain('more than 4 functions');
  });

  it.each([
    undefined,
    {},
    { runBy: firstRunBy },
    { execute: 'all' },
    { execute: signedIn, runBy: null },
    { execute: signedIn, runBy: { members: 'nobody' } },
    { execute: signedIn, other: 1 },
  ])('refuses the access rules %j', async (accessRules) =>
    expect((await set(await create(), accessRules)).status).toBe(400),
  );

  it('requires edit rights', async () => {
    const { key } = await person(app, 'viewer');
    expect((await set(await create(), { execute: signedIn }, key)).status).toBe(403);
  });
});

describe('an AI agent', () => {
  let key: string;
  beforeAll(async () => {
    key = await keyOf(app, { kind: 'agent', agentId: (await agentWith(app)).id });
  });
  const wide = { pages: ['page_1', 'page_2'], functions: 'any', agents: ['agt_1'], members: { people: ['m1', 'm2'] } };

  it.each([
    ['fewer pages', { ...wide, pages: ['page_2'] }],
    ['no page', { ...wide, pages: false }],
    ['some functions of any', { ...wide, functions: ['fn_1'] }],
    ['no agents', { ...wide, agents: [] }],
    ['fewer people', { ...wide, members: { people: ['m2'] } }],
    ['the same', wide],
  ])('may narrow runBy to %s', async (_, runBy) => {
    const functionId = await create({ execute: signedIn, runBy: wide });
    expect((await set(functionId, { execute: signedIn, runBy }, key)).status).toBe(200);
    expect((await saved(functionId)).runBy).toEqual(runBy);
  });

  it.each([
    ['another page', { ...wide, pages: ['page_1', 'page_3'] }],
    ['any page', { ...wide, pages: 'any' }],
    ['every page', { ...wide, pages: true }],
    ['any agent', { ...wide, agents: 'any' }],
    ['admins for people', { ...wide, members: 'admins' }],
    ['all members, by leaving them out', { pages: [], functions: [], agents: [] }],
  ])('may not widen it to %s', async (_, runBy) => {
    const functionId = await create({ execute: signedIn, runBy: wide });
    expect(await refusal(set(functionId, { execute: signedIn, runBy }, key))).toEqual([403, 'agent-may-not-change']);
    expect((await saved(functionId)).runBy).toEqual(wide);
  });

  it('cannot change rules if the project permits agents something else only', async () => {
    const functionId = await create({ execute: signedIn });
    const page = await done(app, 'site/createPage', { projectId: site.projectId, name: 'P', path: '/p' });
    await done(app, 'site/updateAiPermissions', { projectId: site.projectId, aiPermissions: { 'pages:*': true } });
    const denied = [403, 'ai-permission-missing'];
    expect(await refusal(set(functionId, { execute: [] }, key))).toEqual(denied);
    const rules = { pageId: page.id, accessRules: {} };
    expect(await refusal(app.call('site/setPageAccessRules', rules, key))).toEqual(denied);
    expect(await refusal(app.call('site/getPageAccessRules', { pageId: page.id }, key))).toEqual(denied);
    const mail = { projectId: site.projectId, accessRules: {} };
    expect(await refusal(app.call('site/setEmailAccessRules', mail, key))).toEqual(denied);
  });

  it('cannot open a function that has powers', async () => {
    const functionId = await create({ execute: signedIn });
    await site.empower(functionId, ['email']);
    expect(await refusal(set(functionId, { execute: everybody }, key))).toEqual([403, 'agent-may-not-change']);
    const runBy = { pages: [], functions: [], agents: [] };
    expect((await set(functionId, { execute: signedIn, runBy }, key)).status).toBe(200);
  });
});

describe('runBy.members', () => {
  it('names the members who may run it (AC-34)', async () => {
    const editor = await person(app, 'editor');
    const admin = await person(app, 'admin');
    const name = `fn ${crypto.randomUUID()}`;
    const { id } = await site.create(name, 'return 1');
    const runs = async (members?: unknown) => {
      const runBy = { pages: [], functions: [], agents: [], ...(members === undefined ? {} : { members }) };
      expect((await set(id, { execute: null, runBy })).status).toBe(200);
      return Promise.all(
        [editor, admin].map(async ({ key }) => {
          const { status, body } = await site.invoke(name, {}, key);
          return status === 200 ? body.data : body.code;
        }),
      );
    };
    expect(await runs()).toEqual([1, 1]);
    expect(await runs('all')).toEqual([1, 1]);
    expect(await runs('admins')).toEqual(['run-not-allowed', 1]);
    expect(await runs({ people: [editor.id] })).toEqual([1, 'run-not-allowed']);
  });
});

it('accessRuleUses lists every place whose rule asks the function', async () => {
  const { projectId } = site;
  const gate = await create();
  const rule = { type: 'function', functionId: gate };
  const policy = await done(app, 'site/createAccessPolicy', { projectId, name: 'Asked', condition: { any: [rule] } });
  const gated = await site.create('gated', 'return 1', { accessRules: { execute: { policy: policy.id } } });
  await done(app, 'site/setEmailAccessRules', { projectId, accessRules: { send: [rule] } });
  await done(app, 'site/setServerProxyAccessRules', { projectId, accessRules: { execute: { not: rule } } });
  await done(app, 'site/setChannelAccessRules', { projectId, pattern: 'a:*', accessRules: { subscribe: rule } });
  await done(app, 'site/setChannelAccessRules', { projectId, pattern: 'b', accessRules: { subscribe: signedIn } });
  const { accessRuleUses } = await read(gate);
  const sorted = [...accessRuleUses].sort((a, b) => (a.place < b.place ? -1 : 1));
  expect(sorted).toEqual([
    { place: 'channel', id: 'a:*', name: 'a:*' },
    { place: 'email', id: projectId, name: 'email' },
    { place: 'function', id: gated.id, name: 'gated' },
    { place: 'policy', id: policy.id, name: 'Asked' },
    { place: 'proxy', id: projectId, name: 'server proxy' },
  ]);
});

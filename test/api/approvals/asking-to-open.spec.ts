import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { agentWith } from '../../support/automations/agents.js';
import { done, keyOf } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let agentKey: string;
let projectId: string;
let baseId: string;
beforeAll(async () => {
  app = await sharedApp();
  const { id: agentId } = await agentWith(app, { canCreateFunctions: true });
  agentKey = await keyOf(app, { kind: 'agent', agentId });
});
afterAll(() => app.close());
beforeEach(async () => {
  const project = await done(app, 'site/createProject', { name: 'Shop' });
  projectId = project.id;
  baseId = project.linkedBaseId;
});

const everybody = { type: 'public', scope: 'everywhere' };
const internet = { type: 'public', scope: 'internet' };
const signedIn = { type: 'authenticated' };
const statusAsAgent = async (operation: string, body: object) => (await app.call(operation, body, agentKey)).status;
const versions = (on: boolean) => done(app, 'workspace/updateSettings', { versions: on });

/** Creates a function of the site as the agent, because no machine admits more callers to a function of another. */
const agentsFunction = async () =>
  done(app, 'site/createBackendFunction', { projectId, name: `fn ${crypto.randomUUID()}`, code: 'return 1' }, agentKey);

describe('a public rule elsewhere in the record does not spare the agent a card', () => {
  it('a draft of the function', async () => {
    await versions(true);
    const { id: functionId } = await agentsFunction();
    const accessRules = { execute: everybody };
    expect(await statusAsAgent('site/updateBackendFunction', { projectId, functionId, accessRules })).toBe(200);
    expect(await statusAsAgent('site/setBackendFunctionAccessRules', { functionId, accessRules })).toBe(202);
    const { accessRules: live } = await done(app, 'site/getBackendFunction', { projectId, functionId });
    expect(live.execute).toBeNull();
    await versions(false);
  });

  it('another policy', async () => {
    const policy = async (name: string, condition: object) =>
      (await done(app, 'site/createAccessPolicy', { projectId, name, condition })).id;
    await policy('All', everybody);
    const policyId = await policy('Users', signedIn);
    const update = (changes: object) => statusAsAgent('site/updateAccessPolicy', { policyId, ...changes });
    expect(await update({ condition: everybody })).toBe(202);
    expect(await update({ condition: { type: 'has_entitlement', key: 'club' } })).toBe(200);
  });

  it('the rules of another channel', async () => {
    const rules = (pattern: string, subscribe: object) => ({ projectId, pattern, accessRules: { subscribe } });
    await done(app, 'site/setChannelAccessRules', rules('news', everybody));
    await done(app, 'site/setChannelAccessRules', rules('orders:*', signedIn));
    expect(await statusAsAgent('site/setChannelAccessRules', rules('orders:*', everybody))).toBe(202);
    expect(await statusAsAgent('site/setChannelAccessRules', { ...rules('news', everybody), description: 'N' })).toBe(
      200,
    );
  });
});

describe('a field of a table that everybody reads', () => {
  let tableId: string;
  let fieldId: string;
  beforeEach(async () => {
    const fields = [{ name: 'phone', type: 'text', accessRules: { read: signedIn, write: signedIn } }];
    const table = await done(app, 'bases/createTable', { baseId, name: 'people', fields });
    tableId = table.id;
    fieldId = table.fields[0].id;
    await done(app, 'bases/setTableAccessRules', { tableId, accessRules: { read: everybody, create: everybody } });
  });
  const update = (accessRules: object) => statusAsAgent('bases/updateField', { tableId, fieldId, accessRules });

  it.each([
    ['its own rule becomes public', { read: everybody, write: signedIn }],
    ['it has no rule for reading any more, so that of the table decides', { write: signedIn }],
    ['it has no rule for writing any more, so those of the table decide', { read: signedIn }],
  ])('is opened by a person if %s', async (_, accessRules) => expect(await update(accessRules)).toBe(202));

  it('is closed further, described or added at once', async () => {
    const role = await done(app, 'site/createProjectRole', { projectId, name: 'Staff' });
    expect(await update({ read: { type: 'has_role', roleId: role.id }, write: [] })).toBe(200);
    expect(await statusAsAgent('bases/updateField', { tableId, fieldId, name: 'telephone' })).toBe(200);
    expect(await statusAsAgent('bases/addField', { tableId, field: { name: 'city', type: 'text' } })).toBe(200);
  });
});

describe('patterns of channels in another order', () => {
  const set = (pattern: string, subscribe: object, sortOrder: number) =>
    ['site/setChannelAccessRules', { projectId, pattern, accessRules: { subscribe }, sortOrder }] as const;
  beforeEach(async () => {
    await done(app, ...set('orders:*', signedIn, 1));
    await done(app, ...set('*', everybody, 2));
  });

  it('wait for a person if a public one now decides first', async () => {
    expect(await statusAsAgent(...set('orders:*', signedIn, 3))).toBe(202);
    expect(await statusAsAgent(...set('*', everybody, 0))).toBe(202);
  });

  it('do not wait otherwise', async () => {
    expect(await statusAsAgent(...set('orders:*', signedIn, 0))).toBe(200);
    expect(await statusAsAgent(...set('staff:*', signedIn, 1))).toBe(200);
    expect(await statusAsAgent(...set('staff:*', signedIn, 0))).toBe(200);
  });
});

describe('a protected page', () => {
  const page = async (changes: object = {}) => {
    const path = `/p-${crypto.randomUUID()}`;
    return (await done(app, 'site/createPage', { projectId, name: 'P', path, isProtected: true, ...changes })).id;
  };
  const setRules = (pageId: string, read: object) =>
    statusAsAgent('site/setPageAccessRules', { pageId, accessRules: { read } });

  it('is opened by a person', async () => {
    const id = await page();
    expect(await statusAsAgent('site/updatePage', { id, isProtected: false })).toBe(202);
    expect(await setRules(id, everybody)).toBe(202);
    expect(await setRules(id, signedIn)).toBe(200);
    expect(await statusAsAgent('site/updatePage', { id, isProtected: false })).toBe(202);
    expect(await setRules(await page({ isProtected: false }), everybody)).toBe(200);
  });

  it('moves to an open path at once, because that opens nothing before a person publishes it', async () => {
    expect(await statusAsAgent('site/updatePage', { id: await page(), path: '/404' })).toBe(200);
    expect(await statusAsAgent('site/publish', { id: projectId })).toBe(202);
  });
});

describe('a public function that was switched off', () => {
  it.each([
    ['site', everybody, 202],
    ['site', signedIn, 200],
    ['workspace', internet, 202],
    ['workspace', signedIn, 200],
  ])('of a %s, with the rule %j: switching it on answers %d', async (of, execute, status) => {
    const name = `fn ${crypto.randomUUID()}`;
    const area = of === 'site' ? 'site' : 'automations';
    const sent = {
      name,
      code: 'return 1',
      accessRules: { execute, runBy: { pages: true, functions: [], agents: [] } },
    };
    const named =
      of === 'site'
        ? { projectId, functionId: (await done(app, 'site/createBackendFunction', { projectId, ...sent })).id }
        : { id: (await done(app, 'automations/createFunction', sent)).id };
    const update = `${area}/${of === 'site' ? 'updateBackendFunction' : 'updateFunction'}`;
    await done(app, update, { ...named, isActive: false });
    expect(await statusAsAgent(update, { ...named, isActive: true })).toBe(status);
    expect(await statusAsAgent(update, { ...named, isActive: false })).toBe(200);
  });
});

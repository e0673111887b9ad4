import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { accountFunctions } from '../../../src/areas/functions/function/function.record.js';
import type { TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { agentWith } from '../../support/automations/agents.js';
import { done, keyOf } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { recordedBefore } from '../../support/stores/recorded-before.js';

let app: TestApp;
let agentKey: string;
const keys = new Map<string, string>();
beforeAll(async () => {
  app = await sharedApp();
  const agent = await agentWith(app, { canCreateFunctions: true });
  agentKey = await keyOf(app, { kind: 'agent', agentId: agent.id });
  for (const kind of ['automation', 'flow']) keys.set(kind, await keyOf(app, { kind }));
  await done(app, 'automations/setEnvVar', { name: 'KEY', value: 'hidden', allowedHosts: ['api.example.org'] });
});
afterAll(() => app.close());

let made = 0;
const create = (sent: object = {}, key?: string) =>
  done(app, 'automations/createFunction', { name: `Held ${made++}`, code: 'return 1', ...sent }, key);
const get = (id: string) => done(app, 'automations/getFunction', { id });
const versions = (on: boolean) => done(app, 'workspace/updateSettings', { versions: on });
const runBy = { pages: false, functions: 'any', agents: 'any' };
const tools = { serviceTools: ['automations_listFunctions'] };

async function withPower(): Promise<{ id: string }> {
  const fn = await create();
  await approved(app, await app.call('automations/setFunctionCapabilities', { id: fn.id, capabilities: ['email'] }));
  return fn;
}

const holders: Readonly<Record<string, () => Promise<{ id: string }>>> = {
  secrets: async () => {
    const fn = await create();
    const secrets = [{ name: 'KEY', hosts: ['api.example.org'] }];
    await approved(app, await app.call('automations/setFunctionSecrets', { id: fn.id, secrets }));
    return fn;
  },
  'a power': withPower,
  'a connected app': async () => {
    const fn = await create();
    await recordedBefore(app, accountFunctions, fn.id, ({ grants, liveVersionId: versionId }) => ({
      type: 'FunctionDefinitionChanged' as const,
      data: { grants: { ...grants, connections: [{ id: 'crm' }] }, versionId, linesChanged: 0 },
    }));
    return fn;
  },
  'service tools': () => create({ grants: tools }),
};

const saves = {
  code: { code: 'return 2' },
  grants: { grants: { databaseIds: ['d'] } },
  'access rules': { accessRules: { runBy } },
};

const saved = async (id: string, sent: object, key: string | undefined) => {
  const { updatedAt } = await get(id);
  return app.call('automations/updateFunction', { id, seenUpdatedAt: updatedAt, ...sent }, key);
};

describe('if every save is live', () => {
  beforeEach(() => versions(false));

  describe.each(Object.entries(holders))('a function that holds %s', (_, make) => {
    it.each(Object.entries(saves))('keeps its %s for every machine; a person can change them', async (__, sent) => {
      const { id } = await make();
      const before = await get(id);
      for (const key of keys.values()) {
        const { status, body } = await saved(id, sent, key);
        expect([status, body.code]).toEqual([403, 'automation-may-not-change']);
      }
      expect(await get(id)).toEqual(before);
      expect((await saved(id, sent, undefined)).status).toBe(200);
    });
  });

  it('a function that holds nothing can be changed by an automation, and its rules if it created it', async () => {
    const key = keys.get('automation');
    const { id } = await create();
    expect((await saved(id, { code: 'return 2' }, key)).status).toBe(200);
    expect((await get(id)).code).toBe('return 2');
    const { status, body } = await saved(id, { accessRules: { runBy } }, key);
    expect([status, body.code]).toEqual([403, 'automation-may-not-change']);
    const own = await create({}, key);
    expect((await saved(own.id, { accessRules: { runBy } }, key)).status).toBe(200);
  });

  it('code cannot change a function that holds something through its tools', async () => {
    const { id } = await withPower();
    const { updatedAt } = await get(id);
    const sent = JSON.stringify({ id, code: 'return 2', seenUpdatedAt: updatedAt });
    expect(await codeOf(`ctx.connections.call('service', 'automations_updateFunction', ${sent})`)).toBe(
      'automation-may-not-change',
    );
  });

  it('code cannot pass on a tool that is not on its own list', async () => {
    const { id, updatedAt } = await create();
    const sent = JSON.stringify({ id, grants: { serviceTools: ['audit_listEvents'] }, seenUpdatedAt: updatedAt });
    expect(await codeOf(`ctx.connections.call('service', 'automations_updateFunction', ${sent})`)).toBe(
      'tool-not-yours',
    );
    const own = sent.replace('audit_listEvents', 'automations_updateFunction');
    expect(await codeOf(`ctx.connections.call('service', 'automations_updateFunction', ${own})`)).toBe('done');
  });

  it('an agent cannot decide who may start a function', async () => {
    const { id } = await create();
    const { status, body } = await saved(id, { accessRules: { runBy } }, agentKey);
    expect([status, body.code]).toEqual([403, 'agent-may-not-change']);
    expect((await get(id)).accessRules.runBy).toBeNull();
  });
});

describe('service tools of a function', () => {
  const result = async (code: string, grants: object) => {
    const { id } = await create({ code, grants });
    const { body } = await app.call('automations/invokeFunction', { id });
    return body.result;
  };
  const using = (tool: string, args: object = {}) =>
    `try { await ctx.connections.call('service', '${tool}', ${JSON.stringify(args)}); return 'done' } catch (error) { return error.code }`;

  it('FC-23, GR-08: runs only listed operations', async () => {
    expect(await result(using('automations_listFunctions'), tools)).toBe('done');
    expect(await result(using('automations_listTriggers'), tools)).toBe('tool-not-granted');
    expect(await result(using('automations_listFunctions'), {})).toBe('tool-not-granted');
  });

  it('FC-24: works only on sites in grants.bases, and does not change those with read access', async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Granted' });
    const serviceTools = ['site_listPages', 'site_createProjectRole'];
    const reads = using('site_listPages', { projectId });
    const changes = using('site_createProjectRole', { projectId, name: 'Guest' });
    expect(await result(reads, { serviceTools })).toBe('site-not-granted');
    const readable = { serviceTools, bases: [{ projectId, access: 'read' }] };
    expect(await result(reads, readable)).toBe('done');
    expect(await result(changes, readable)).toBe('site-read-only');
    expect(await result(changes, { serviceTools, bases: [{ projectId, access: 'write' }] })).toBe('done');
  });

  it.each([
    ['FC-25: one that runs functions', 'automations_invokeFunction'],
    ['FC-25: one that runs functions of sites', 'site_invokeBackendFunction'],
    ['FC-26: secrets', 'automations_setEnvVar'],
    ['FC-26: sign-ins', 'workspace_createApiKey'],
    ['FC-26: agents', 'workspace_createAgent'],
    ['FC-26: approvals', 'approvals_approve'],
  ])('is never %s', async (_, tool) => {
    const { status, body } = await app.call('automations/createFunction', {
      name: `Held ${made++}`,
      code: 'return 1',
      grants: { serviceTools: [tool] },
    });
    expect([status, body.errors[0].path]).toEqual([400, 'grants.serviceTools[0]']);
    const { id } = await create({ code: using(tool) });
    expect((await app.call('automations/invokeFunction', { id })).body.result).toBe('tool-not-granted');
  });

  it('FC-27: can be listed only by those who may use them', async () => {
    const key = await keyOf(app, { kind: 'person', areas: ['automations'] });
    const sent = { name: `Held ${made++}`, code: 'return 1', grants: { serviceTools: ['audit_listEvents'] } };
    const { status, body } = await app.call('automations/createFunction', sent, key);
    expect([status, body.code]).toEqual([403, 'tool-not-yours']);
    await done(app, 'automations/createFunction', sent);
  });
});

describe('if saves are drafts', () => {
  beforeEach(() => versions(true));

  it('automations can save drafts of anything that a function holds, and agents drafts of its rules', async () => {
    const { id } = await withPower();
    expect((await saved(id, { code: 'return 2', accessRules: { runBy } }, keys.get('automation'))).status).toBe(200);
    const plain = await create();
    expect((await saved(plain.id, { accessRules: { runBy } }, agentKey)).status).toBe(200);
    expect([(await get(id)).code, (await get(plain.id)).accessRules.runBy]).toEqual(['return 1', null]);
  });

  it('an agent can deactivate and hide a function that holds something, but not activate or show it', async () => {
    const { id } = await withPower();
    for (const sent of [{ isActive: true }, { exposed: true }]) {
      const { status, body } = await app.call('automations/updateFunction', { id, ...sent }, agentKey);
      expect([status, body.code]).toEqual([403, 'agent-may-not-change']);
    }
    await done(app, 'automations/updateFunction', { id, isActive: true, exposed: true });
    await done(app, 'automations/updateFunction', { id, isActive: false, exposed: false }, agentKey);
    expect(await get(id)).toMatchObject({ isActive: false, exposed: false });
  });

  it('an agent can activate a function that holds nothing', async () => {
    const { id } = await create({}, agentKey);
    await done(app, 'automations/updateFunction', { id, isActive: true, exposed: true }, agentKey);
  });
});

describe('a function beyond the reach of an agent', () => {
  /** Sends the calls as the agent. The function must be refused for all, unchanged and without a card. */
  async function refusesAll(id: string, calls: Readonly<Record<string, object>>, shown: () => Promise<object>) {
    const before = await shown();
    for (const [operation, sent] of Object.entries(calls)) {
      const { status, body } = await app.call(operation, sent, agentKey);
      expect([operation, status, body.code]).toEqual([operation, 403, 'agent-may-not-change']);
    }
    expect(await shown()).toEqual(before);
    expect((await done(app, 'approvals/listPendingChanges', { targetId: id })).pendingChanges).toEqual([]);
  }

  it.each([
    ['acts as the workspace', {}, ['service', 'email']],
    ['uses a base that the agent may not use', { grants: { databaseIds: ['base_1'] } }, ['email']],
  ])('that %s is neither changed nor deleted by it', async (_, sent, capabilities) => {
    const { id } = await create(sent);
    const seenVersion = (await get(id)).version;
    const powers = { id, capabilities, seenVersion };
    await approved(app, await app.call('automations/setFunctionCapabilities', powers));
    await done(app, 'workspace/updateSettings', { actsAsWorkspaceSwitch: true });
    const calls = {
      'automations/updateFunction': { id, description: 'x' },
      'automations/setFunctionCapabilities': { id, remove: ['email'] },
      'automations/setFunctionIdentityMode': { id, mode: 'workspace', seenVersion: (await get(id)).version },
      'automations/deleteFunction': { id },
    };
    await refusesAll(id, calls, () => get(id));
    const add = { 'automations/setFunctionCapabilities': { id, add: ['env'] } };
    await refusesAll(id, add, () => get(id));
    await done(app, 'workspace/updateSettings', { actsAsWorkspaceSwitch: false });
    await done(app, 'automations/deleteFunction', { id });
  });

  it('of a site is neither changed nor deleted by it', async () => {
    const site = await SiteFunctionsScene.of(app, 'Beyond');
    const { id: functionId } = await site.create('beyond', 'return 1');
    await site.empower(functionId, ['service', 'email']);
    const named = { projectId: site.projectId, functionId };
    const nobody = { pages: false, functions: [], agents: [] };
    const calls = {
      'site/updateBackendFunction': { ...named, description: 'x' },
      'site/setFunctionCapabilities': { ...named, remove: ['service'] },
      'site/setFunctionIdentityMode': { ...named, mode: 'as_set_up' },
      'site/setBackendFunctionAccessRules': { functionId, accessRules: { execute: null, runBy: nobody } },
      'site/deleteBackendFunction': named,
    };
    await refusesAll(functionId, calls, () => done(app, 'site/getBackendFunction', named));
  });
});

/** The code of the error that a function gets from this call, or `done`. Its tool is `updateFunction`. */
async function codeOf(call: string): Promise<string> {
  const code = `try { await ${call}; return 'done' } catch (error) { return error.code }`;
  const { id } = await create({ code, grants: { serviceTools: ['automations_updateFunction'] } });
  return (await done(app, 'automations/invokeFunction', { id })).result;
}

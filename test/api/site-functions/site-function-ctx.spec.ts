import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { siteEnvVars } from '../../../src/areas/sites/env-var/site-env-var.record.js';
import { OperatorPlans } from '../../../src/areas/workspace/workspace/operator-plans.api.js';
import type { TestApp } from '../../support/app.js';
import { EgressScene } from '../../support/egress/egress-scene.js';
import type { TestServer } from '../../support/egress/test-server.js';
import { done, otherWorkspace } from '../../support/people.js';
import { sharedOutside } from '../../support/shared-outside.js';
import { SiteFunctionsScene, siteUser } from '../../support/sites/site-functions.js';
import { recordedBefore } from '../../support/stores/recorded-before.js';

const value = 'sk_live_S1te/S3cr3t+With=Signs';
const everybody = { accessRules: { execute: { type: 'public', scope: 'everywhere' } } };
const scene = new EgressScene();
let app: TestApp;
let site: SiteFunctionsScene;
let server: TestServer;
let seen: string[] = [];
beforeAll(async () => {
  app = await sharedOutside();
  await done(app, 'workspace/updateSettings', { versions: false });
});
afterAll(() => app.close());
beforeEach(async () => {
  site = await SiteFunctionsScene.of(app);
  seen = [];
  server = await scene.http((request, response) => {
    seen.push(String(request.headers['authorization'] ?? ''));
    response.writeHead(200).end('ok');
  });
});
afterEach(() => scene.close());

const variable = (name: string, more: object = {}) =>
  done(app, 'site/createEnvVar', { projectId: site.projectId, name, value, ...more });
/** Turns the variable into a plugin's, as earlier versions recorded them. */
const ofPlugin = ({ id }: { id: string }) =>
  recordedBefore(app, siteEnvVars, id, ({ id: _, workspaceId: __, updatedAt: ___, ...facts }) => ({
    type: 'EnvVarSet' as const,
    data: { ...facts, installScopeId: 'listing_1', replaces: null },
  }));
const tried = (call: string) =>
  `try { return await ${call} } catch (error) { return [error.status, error.code, error.message] }`;
const sending = (host: string) => `
  try {
    const headers = { Authorization: ctx.secrets.ref('API_KEY') };
    const { status } = await ctx.fetch('http://${host}:${server.port}/', { headers });
    return status;
  } catch (error) { return error.code }`;
const listed = async (functionId: string, secrets: readonly object[]) => {
  const named = { projectId: site.projectId, functionId };
  const asked = await app.call('site/setFunctionSecrets', { ...named, secrets });
  expect(asked.status).toBe(202);
  await site.approve(asked.body);
};

describe('ctx.env', () => {
  const withEnv = async (name: string, code: string, more: object = {}) => {
    const fn = await site.create(name, code, more);
    await site.empower(fn.id, ['env']);
    return fn;
  };

  it("needs the power 'env'", async () => {
    await site.create('reads', tried("ctx.env.get('REGION')"));
    expect(await site.result('reads')).toEqual([403, 'power-missing', expect.any(String)]);
  });

  it('get reads the variables of the site that are not secret, with any name', async () => {
    await variable('REGION', { value: 'north', isSecret: false });
    await withEnv('reads', "return [await ctx.env.get('REGION'), await ctx.env.get('NOTHING')]");
    expect(await site.result('reads')).toEqual(['north', null]);
  });

  it('get never reads a secret', async () => {
    await variable('API_KEY');
    await withEnv('reads', tried("ctx.env.get('API_KEY')"));
    expect(await site.result('reads')).toEqual([403, 'secret-not-readable', expect.not.stringContaining(value)]);
  });

  it('get cannot read variables of the workspace, of other sites and of installed plugins', async () => {
    const other = await SiteFunctionsScene.of(app, 'Other');
    await done(app, 'site/createEnvVar', { projectId: other.projectId, name: 'THEIRS', value: 'x', isSecret: false });
    await ofPlugin(await variable('PLUGIN', { value: 'x', isSecret: false }));
    await withEnv('reads', "return [await ctx.env.get('THEIRS'), await ctx.env.get('PLUGIN')]");
    expect(await site.result('reads')).toEqual([null, null]);
  });

  it('set stores a variable of the site that is not secret; null removes it', async () => {
    await withEnv('writes', "await ctx.env.set('APP_PLAN', params.plan); return ctx.env.get('APP_PLAN')");
    const variables = async () =>
      (await done(app, 'site/listEnvVars', { projectId: site.projectId })).map(
        (one: { name: string; value: string; isSecret: boolean }) => [one.name, one.value, one.isSecret],
      );
    expect(await site.result('writes', { plan: 'gold' })).toBe('gold');
    expect(await site.result('writes', { plan: 'blue' })).toBe('blue');
    expect(await variables()).toEqual([['APP_PLAN', 'blue', false]]);
    expect(await site.result('writes', { plan: null })).toBeNull();
    expect(await variables()).toEqual([]);
  });

  it('set by several runs at once creates one variable', async () => {
    await withEnv('writes', "await ctx.env.set('APP_RACE', params.at); return 1");
    const all = await Promise.all(Array.from({ length: 6 }, (_, at) => site.invoke('writes', { at: `${at}` })));
    expect(all.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await done(app, 'site/listEnvVars', { projectId: site.projectId })).toHaveLength(1);
  });

  it.each(['REGION', 'app_plan', 'APP_', 'APP_A B'])('set refuses the name %s', async (name) => {
    await withEnv('writes', tried(`ctx.env.set(${JSON.stringify(name)}, 'x')`));
    expect((await site.result('writes'))[0]).toBe(400);
  });
});

describe("the site's secrets", () => {
  it("wait for a person, are skipped if the site has none of the name, and are separate from the workspace's", async () => {
    await variable('API_KEY');
    await done(app, 'automations/setEnvVar', { name: 'OF_WORKSPACE', value, allowedHosts: [] });
    const fn = await site.create('sends', 'return 1');
    const named = { projectId: site.projectId, functionId: fn.id };
    const { status, body } = await app.call('site/setFunctionSecrets', {
      ...named,
      secrets: [{ name: 'API_KEY', hosts: ['api.test'] }, { name: 'OF_WORKSPACE' }, { name: 'NOBODYS' }],
    });
    expect([status, body.ignored, body.secrets]).toEqual([202, ['OF_WORKSPACE', 'NOBODYS'], []]);
    await site.approve(body);
    const { secrets } = await done(app, 'site/getBackendFunction', named);
    expect(secrets).toEqual([{ name: 'API_KEY', hosts: ['api.test'] }]);
  });

  it('agents, automations and flows are refused', async () => {
    const fn = await site.create('sends', 'return 1');
    const key = (await done(app, 'workspace/createApiKey', { name: 'own', kind: 'automation' })).key;
    const { status, body } = await app.call(
      'site/setFunctionSecrets',
      { projectId: site.projectId, functionId: fn.id, secrets: [] },
      key,
    );
    expect([status, body.code]).toEqual([403, 'caller-not-allowed']);
  });

  it('a secret without hosts of its own is sent as the list permits for the owner, and nowhere for visitors', async () => {
    await variable('API_KEY');
    const fn = await site.create('sends', sending('api.test'), everybody);
    await listed(fn.id, [{ name: 'API_KEY', hosts: ['api.test'] }]);
    expect(await site.result('sends')).toBe(200);
    expect(seen).toEqual([value]);
    expect(await site.visit('sends')).toBe('secret-host');
    expect(await site.visit('sends', { visitor: siteUser() })).toBe('secret-host');
    expect(seen).toHaveLength(1);
  });

  it("a secret's own hosts bind visitors and the owner, and so does an earlier list", async () => {
    const { id } = await variable('API_KEY');
    const [here, there] = [
      await site.create('here', sending('api.test'), everybody),
      await site.create('there', sending('other.test'), everybody),
    ];
    const secrets = [{ name: 'API_KEY', hosts: ['api.test', 'other.test'] }];
    for (const fn of [here, there]) await listed(fn.id, secrets);
    expect([await site.result('here'), await site.result('there')]).toEqual([200, 200]);
    await done(app, 'site/updateEnvVar', { id, allowedHosts: ['api.test'] });
    expect([await site.visit('here'), await site.visit('there')]).toEqual([200, 'secret-host']);
    expect(await site.result('here')).toBe(200);
    expect(await site.result('there')).toBe('secret-host');
    const again = { projectId: site.projectId, functionId: there.id, secrets };
    expect((await app.call('site/setFunctionSecrets', again)).body.errors).toEqual([
      { path: 'secrets[0].hosts', message: expect.stringContaining('other.test') },
    ]);
  });

  it("a secret's use rules narrow who may use it", async () => {
    const { id } = await variable('API_KEY', { allowedHosts: ['api.test'] });
    const { id: roleId } = await done(app, 'site/createProjectRole', { projectId: site.projectId, name: 'Staff' });
    await done(app, 'site/updateEnvVar', { id, useRules: [{ type: 'has_role', roleId }] });
    const fn = await site.create('sends', sending('api.test'), everybody);
    await listed(fn.id, [{ name: 'API_KEY', hosts: ['api.test'] }]);
    expect(await site.visit('sends', { visitor: siteUser({ roleIds: [roleId] }) })).toBe(200);
    expect(await site.visit('sends', { visitor: siteUser() })).toBe('secret-not-granted');
    expect(await site.result('sends')).toBe(200);
  });

  it('its use rules may be those of a policy, with their state at the call', async () => {
    const gold = { type: 'user_property', property: 'plan', operator: 'eq', value: 'gold' };
    const { id } = await variable('API_KEY', { allowedHosts: ['api.test'] });
    const made = { projectId: site.projectId, name: 'Payers', condition: gold };
    const { id: policyId } = await done(app, 'site/createAccessPolicy', made);
    await done(app, 'site/updateEnvVar', { id, useRules: [{ policy: policyId }] });
    const fn = await site.create('sends', sending('api.test'), everybody);
    await listed(fn.id, [{ name: 'API_KEY', hosts: ['api.test'] }]);
    const seen = () =>
      Promise.all(['gold', 'basic'].map((plan) => site.visit('sends', { visitor: siteUser({ plan }) })));
    expect(await seen()).toEqual([200, 'secret-not-granted']);
    await done(app, 'site/updateAccessPolicy', { policyId, condition: { type: 'authenticated' } });
    expect(await seen()).toEqual([200, 200]);
    await done(app, 'site/deleteAccessPolicy', { policyId });
    expect(await seen()).toEqual(['secret-not-granted', 'secret-not-granted']);
  });

  it("one that an installed plugin has is not the function's", async () => {
    await ofPlugin(await variable('API_KEY'));
    const fn = await site.create('sends', 'return 1');
    const { body } = await app.call('site/setFunctionSecrets', {
      projectId: site.projectId,
      functionId: fn.id,
      secrets: [{ name: 'API_KEY' }],
    });
    expect([body.ignored, body.secrets]).toEqual([['API_KEY'], []]);
  });

  it('one that a function with Full data access reads cannot be deleted until that ends', async () => {
    const { id } = await variable('API_KEY');
    const fn = await site.create('reads', "return typeof ctx.secrets.ref('API_KEY')");
    await site.empower(fn.id, ['service']);
    const { status, body } = await app.call('site/deleteEnvVar', { id });
    expect([status, body.code, body.functions]).toEqual([409, 'env-var-in-use', [{ id: fn.id, name: 'reads' }]]);
    const named = { projectId: site.projectId, functionId: fn.id };
    await done(app, 'site/setFunctionCapabilities', { ...named, remove: ['service'] });
    expect((await app.call('site/deleteEnvVar', { id })).status).toBe(200);
  });

  it('verifyHmac checks signatures with them', async () => {
    await variable('SIGNING');
    const fn = await site.create('checks', "return ctx.secrets.verifyHmac('SIGNING', params.data, params.signature)");
    await listed(fn.id, [{ name: 'SIGNING' }]);
    const signature = `sha256=${createHmac('sha256', value).update('body').digest('hex')}`;
    expect(await site.result('checks', { data: 'body', signature })).toBe(true);
    expect(await site.result('checks', { data: 'other', signature })).toBe(false);
  });

  it('are hidden in everything that a run returns', async () => {
    await variable('API_KEY');
    await site.create('echo', 'return params.text');
    expect(await site.result('echo', { text: `it is ${value}` })).not.toContain(value);
  });

  it('{{secret:NAME}} in a text has no effect', async () => {
    await variable('API_KEY');
    const fn = await site.create(
      'sends',
      `const headers = { Authorization: '{{secret:API_KEY}}' };
       return (await ctx.fetch('http://api.test:${server.port}/', { headers })).status`,
    );
    await listed(fn.id, [{ name: 'API_KEY', hosts: ['api.test'] }]);
    await site.invoke('sends');
    expect(seen).toEqual(['{{secret:API_KEY}}']);
  });
});

describe('the budget of a run', () => {
  const code = `
    const { max } = ctx.limits.databaseCalls;
    let thrown;
    for (let n = 0; n <= max; n++) await ctx.events.emit('tick').catch((error) => { thrown = error });
    return { max, used: ctx.limits.databaseCalls.used, code: thrown.code, status: thrown.status, message: thrown.message }`;

  it.each([
    ['starter', 50],
    ['pro', 100],
    ['free', 20],
  ] as const)('is that of the plan %s, and beyond it an error names the limit', async (plan, max) => {
    const { ownerKey, workspaceId } = await otherWorkspace(app);
    await done(app, 'workspace/updateSettings', { versions: false }, ownerKey);
    const { id } = await done(app, 'site/createProject', { name: 'Plan' }, ownerKey);
    await done(app, 'site/createBackendFunction', { projectId: id, name: 'calls', code }, ownerKey);
    await app.app.get(OperatorPlans, { strict: false }).set(workspaceId, plan);
    const named = { projectId: id, functionName: 'calls' };
    expect((await done(app, 'site/invokeBackendFunction', named, ownerKey)).data).toEqual({
      max,
      used: max + 1,
      code: 'call-limit',
      status: 429,
      message: expect.stringContaining(`${max} platform calls`),
    });
  });

  it('is not used by ctx.fetch', async () => {
    await site.create(
      'fetches',
      `await ctx.fetch('http://api.test:${server.port}/'); return ctx.limits.databaseCalls.used`,
    );
    expect(await site.result('fetches')).toBe(0);
  });
});

describe('ctx.service.email', () => {
  it('works only with Full data access', async () => {
    const fn = await site.create('mails', tried('ctx.service.email.accounts()'));
    expect(await site.result('mails')).toEqual([403, 'power-missing', expect.stringContaining('ctx.service.email')]);
    await site.empower(fn.id, ['service']);
    expect(await site.result('mails')).toEqual([]);
  });

  it('finds the mailboxes of no site, while ctx.email finds those of the site as well', async () => {
    const mailbox = (name: string, more: object = {}) =>
      done(app, 'automations/createMailAccount', {
        name,
        fromAddress: `${name}@example.com`,
        host: 'smtp.example.com',
        port: 465,
        username: 'user',
        password: 'password-of-it',
        ...more,
      });
    await mailbox('of-account');
    await mailbox('of-site', { projectId: site.projectId });
    await mailbox('of-another', { projectId: (await SiteFunctionsScene.of(app, 'Other')).projectId });
    const names = 'async (lane) => (await lane.accounts()).map(({ name }) => name)';
    const fn = await site.create(
      'lanes',
      `const names = ${names}; return [await names(ctx.email), await names(ctx.service.email)]`,
    );
    await site.empower(fn.id, ['service', 'email']);
    expect(await site.result('lanes')).toEqual([['of-account', 'of-site'], ['of-account']]);
  });
});

describe("ctx.sites['…'].methods.call in functions of the workspace", () => {
  const account = async (code: string, reaches: readonly SiteFunctionsScene[] = [site]) => {
    const grants = { bases: reaches.map(({ projectId }) => ({ projectId })) };
    const fn = await done(app, 'automations/createFunction', { name: `caller ${site.projectId}`, code, grants });
    const { body } = await app.call('automations/invokeFunction', { id: fn.id });
    return { fn, result: body.result ?? body.detail };
  };
  const calling = (name: string, params = '{ a: 1 }') =>
    tried(`ctx.sites['${site.projectId}'].methods.call(${JSON.stringify(name)}, ${params})`);

  it('runs an exposed function, by id or name of the site and of the function', async () => {
    const named = await SiteFunctionsScene.of(app, `Named ${site.projectId}`);
    const fn = await named.create('adds', 'return params.a + 1', { exposed: true });
    const code = `
      const site = ctx.sites['Named ${site.projectId}'];
      return [await site.methods.call('adds', { a: 1 }), await ctx.sites['${named.projectId}'].methods.call('${fn.id}', { a: 2 })]`;
    const { result } = await account(code, [named]);
    expect(result).toEqual([2, 3]);
    const [run] = await named.runs();
    expect([run.source, run.startedBy]).toEqual(['method', 'Another function']);
  });

  it('refuses a function that is not exposed, inactive or unknown', async () => {
    await site.create('hidden', 'return 1');
    const idle = await site.create('idle', 'return 1', { exposed: true });
    await site.update(idle.id, { isActive: false });
    expect((await account(calling('hidden'))).result).toEqual([403, 'method-not-exposed', expect.any(String)]);
    site = await SiteFunctionsScene.of(app, 'Second');
    expect((await account(calling('nothing'))).result).toEqual([404, 'site-function-not-found', expect.any(String)]);
  });

  it("refuses a caller that is not on the function's list of callers", async () => {
    await site.create('picky', 'return 1', { exposed: true, accessRules: { runBy: { functions: ['fn_other'] } } });
    expect((await account(calling('picky'))).result).toEqual([403, 'run-not-allowed', expect.any(String)]);
  });

  it("passes on the function's own failure, and input that does not fit its schema", async () => {
    await site.create('fails', 'throw new Error("No such order.")', { exposed: true });
    expect((await account(calling('fails'))).result).toEqual([
      422,
      'function-failed',
      expect.stringContaining('No such order.'),
    ]);
  });

  it('does not find sites by another name, and site functions have no ctx.sites', async () => {
    expect((await account("return typeof ctx.sites['Nowhere']")).result).toBe('undefined');
    await site.create('looks', 'return typeof ctx.sites');
    expect(await site.result('looks')).toBe('undefined');
  });
});

describe('sitesManifest', () => {
  it('lists the tables and the exposed functions of each site', async () => {
    const toolSpec = { inputSchema: { type: 'object' }, kind: 'read' };
    const fn = await site.create('shown', 'return 1', { exposed: true, description: 'Shows.', toolSpec });
    await site.create('hidden', 'return 1');
    const { linkedBase } = await done(app, 'site/getProject', { id: site.projectId });
    const fields = [
      { name: 'total', type: 'number' },
      { name: 'Paid on', type: 'date' },
    ];
    await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'Orders', fields });
    const { sites } = await done(app, 'automations/sitesManifest');
    expect(sites.find(({ id }: { id: string }) => id === site.projectId)).toEqual({
      id: site.projectId,
      name: 'Shop',
      tables: [{ name: 'Orders', fields }],
      methods: [{ id: fn.id, name: 'shown', description: 'Shows.', toolSpec }],
    });
  });
});

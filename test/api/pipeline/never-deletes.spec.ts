import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { approved } from '../../support/approved.js';
import { agentWith, ran, toolFunction } from '../../support/automations/agents.js';
import { eventScene } from '../../support/automations/event-triggers.js';
import { activeFlow, endedRun } from '../../support/automations/flows.js';
import { eventually } from '../../support/eventually.js';
import { done, eventsOf, keyOf, person } from '../../support/people.js';
import { type AssistantServer, callsTools, writes } from '../../support/servers/assistant-server.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';

let server: AssistantServer;
let app: OutsideApp;
let careful: string;
beforeAll(async () => {
  app = await sharedOutside();
  ({ assistant: server } = app);
  careful = await keyOf(app, { kind: 'person', neverDeletes: true });
});
afterAll(() => app?.close());

const tool = 'automations_deleteFunction';
const serviceTools = [tool];

const refused = async (operation: string, body: object, key = careful) => {
  const reply = await app.call(operation, body, key);
  expect([operation, reply.status, reply.body.code]).toEqual([operation, 403, 'key-never-deletes']);
};

const victim = async (): Promise<string> =>
  (await done(app, 'automations/createFunction', { name: `victim ${crypto.randomUUID()}`, code: '' })).id;
const isThere = async (id: string) => (await app.call('automations/getFunction', { id })).status === 200;

/** Code that deletes the function named by `id` or by the event's property of that name. */
const deletes = `
  const id = params.id ?? params.event.properties.id;
  await ctx.connections.call('service', '${tool}', { id });
  return 'deleted';`;
const runBy = { pages: false, functions: 'any', agents: 'any' };
const axe = (code = deletes): Promise<string> =>
  toolFunction(app, { code, grants: { serviceTools }, accessRules: { runBy } });

const outcome = async (operation: string, body: object, key: string) => {
  const { body: answer } = await app.call(operation, body, key);
  return answer.result ?? answer.detail;
};
const no = expect.stringMatching(/never deletes/);

const shownFunction = async (id: string) => await done(app, 'automations/getFunction', { id });

/** Saves a draft, and returns the id of its version. */
const draftOf = async (id: string, parts: object, key = app.ownerKey): Promise<string> => {
  const { updatedAt: seenUpdatedAt } = await shownFunction(id);
  return (await done(app, 'automations/updateFunction', { id, seenUpdatedAt, ...parts }, key)).draft.versionId;
};

describe('a run that a key that never deletes started cannot delete', () => {
  it('as a function', async () => {
    const [id, fn] = [await victim(), await axe()];
    expect(await outcome('automations/invokeFunction', { id: fn, event: { id } }, careful)).toEqual(no);
    expect(await isThere(id)).toBe(true);
    expect(await outcome('automations/invokeFunction', { id: fn, event: { id } }, app.ownerKey)).toBe('deleted');
    expect(await isThere(id)).toBe(false);
  });

  it('as a function that runs another', async () => {
    const [id, fn] = [await victim(), await axe()];
    const outer = await axe(`return ctx.functions.run('${fn}', params)`);
    expect(await outcome('automations/invokeFunction', { id: outer, event: { id } }, careful)).toEqual(no);
    expect(await isThere(id)).toBe(true);
    expect(await outcome('automations/invokeFunction', { id: outer, event: { id } }, app.ownerKey)).toBe('deleted');
  });

  it('as a flow, whose function run remembers it, also when somebody else replays it', async () => {
    const [id, fn] = [await victim(), await axe()];
    const steps = [{ id: 's1', kind: 'run_function', settings: { function: fn, params: { id: '{{input.id}}' } } }];
    const flow = await activeFlow(app, steps);
    const { runId } = await done(app, 'flows/runFlow', { id: flow, input: { id } }, careful);
    expect(await endedRun(app, runId)).toMatchObject({ status: 'error', error: no });
    const [failed] = await done(app, 'automations/listRuns', { functionId: fn });
    const replay = await done(app, 'automations/replayRun', { runId: failed.id });
    const again = await eventually(
      async () =>
        (await done(app, 'automations/listRuns', { functionId: fn })).find(
          ({ id: one }: { id: string }) => one === replay.runId,
        ),
      (run) => run?.status === 'error' || run?.status === 'success',
    );
    expect([again.status, await isThere(id)]).toEqual(['error', true]);
    const types = ['StepRunAccepted', 'RunAccepted'];
    const events = await eventsOf(app, { types });
    const narrowed = events.filter(({ stream }) => stream.endsWith(fn) || stream.endsWith(runId));
    expect(narrowed.map(({ data }) => (data as { neverDeletes?: boolean }).neverDeletes)).toEqual([true, true, true]);
  });

  it('as an agent, with its tools and with its functions', async () => {
    const [id, fn] = [await victim(), await axe()];
    const agent = await agentWith(app, { tools: [tool, fn], asks: 'nothing' });
    server.plays(callsTools([tool, { id }], [fn, { id }]), writes('Tried.'));
    const run = await ran(app, agent.id, 'Delete it.', careful);
    // An agent is not offered tools that delete.
    expect(run.turns[0].tools).toMatchObject([
      { outcome: 'refused', code: 'tool-not-found' },
      { tool: fn, outcome: 'refused', code: 'function-failed' },
    ]);
    expect(await isThere(id)).toBe(true);
    server.plays(callsTools([tool, { id }]), writes('Done.'));
    await ran(app, agent.id, 'Delete it.');
    expect(await isThere(id)).toBe(false);
  });

  it('as a function that sets a setting to null', async () => {
    const code = "await ctx.env.set('APP_OWN', params.value); return (await ctx.env.get('APP_OWN')) ?? 'nothing'";
    const id = await toolFunction(app, { code });
    await approved(app, await app.call('automations/setFunctionCapabilities', { id, capabilities: ['env'] }));
    const set = (value: string | null, key: string) =>
      outcome('automations/invokeFunction', { id, event: { value } }, key);
    expect(await set('first', careful)).toBe('first');
    expect(await set('second', careful)).toBe('second');
    expect(await set(null, careful)).toEqual(no);
    expect(await set(null, app.ownerKey)).toBe('nothing');
  });

  it('as a function of a site that sets a variable to null or to another value', async () => {
    const site = await SiteFunctionsScene.of(app);
    const code = `
      const set = (value) => ctx.env.set('APP_OWN', value).catch(({ status, code }) => [status, code]);
      return [await set(params.value), await ctx.env.get('APP_OWN')]`;
    await site.empower((await site.create('sets', code)).id, ['env']);
    const set = async (value: string | null, key = careful) => (await site.invoke('sets', { value }, key)).body.data;
    const refusal = [403, 'key-never-deletes'];
    expect(await set('first')).toEqual([null, 'first']);
    expect(await set('first')).toEqual([null, 'first']);
    expect(await set('second')).toEqual([refusal, 'first']);
    expect(await set(null)).toEqual([refusal, 'first']);
    expect(await set('second', app.ownerKey)).toEqual([null, 'second']);
    expect(await set(null, app.ownerKey)).toEqual([null, null]);
    expect(await set(null)).toEqual([null, null]);
  });

  it('as an event that starts a function', async () => {
    const scene = eventScene(app);
    const [id, fn] = [await victim(), await axe()];
    const { id: triggerId } = await scene.add(fn, 'custom.unwanted');
    await done(app, 'accountEvents/raise', { name: 'unwanted', properties: { id } }, careful);
    expect(await scene.over(triggerId)).toMatchObject([{ status: 'failed' }]);
    expect(await isThere(id)).toBe(true);
    await done(app, 'accountEvents/raise', { name: 'unwanted', properties: { id } });
    await scene.over(triggerId, 2);
    expect(await isThere(id)).toBe(false);
  });
});

describe('a key that never deletes', () => {
  it('cannot instruct an agent that has tools that delete', async () => {
    const agent = await agentWith(app, { tools: [tool], instructions: 'Wait.' });
    await refused('workspace/updateAgent', { id: agent.id, instructions: 'Delete all.' });
    await done(app, 'workspace/updateAgent', { id: agent.id, name: 'Renamed' }, careful);
    const harmless = await agentWith(app, { tools: ['automations_listFunctions'] });
    await done(app, 'workspace/updateAgent', { id: harmless.id, instructions: 'Count.' }, careful);
    const shown = await done(app, 'workspace/listAgents');
    expect(shown.find(({ id }: { id: string }) => id === agent.id).instructions).toBe('Wait.');
  });

  it('cannot change live code of a function that has tools that delete', async () => {
    const fn = await axe();
    const { id: other } = await done(app, 'automations/createFunction', { name: 'other', code: '' });
    await done(app, 'workspace/updateSettings', { versions: false });
    const sent = async (id: string) => {
      const { updatedAt: seenUpdatedAt } = await done(app, 'automations/getFunction', { id });
      return { id, code: 'return 1', seenUpdatedAt };
    };
    await refused('automations/updateFunction', await sent(fn));
    await done(app, 'automations/updateFunction', await sent(other), careful);
    await done(app, 'workspace/updateSettings', { versions: true });
    expect((await done(app, 'automations/getFunction', { id: fn })).code).toBe(deletes);
  });

  it('cannot make code live in a function that has tools that delete, by a draft, a version or an Undo', async () => {
    const fn = await axe();
    const first = (await shownFunction(fn)).liveVersionId;
    const publication = async () => ({ id: fn, versionId: await draftOf(fn, { code: 'return 1' }, careful) });
    await refused('automations/publishFunction', await publication());
    expect((await shownFunction(fn)).code).toBe(deletes);
    await approved(app, await app.call('automations/setFunctionCapabilities', { id: fn, capabilities: ['env'] }));
    const { undo } = await done(app, 'automations/publishFunction', await publication());
    await refused('approvals/undoNotice', { id: undo.id });
    await refused('automations/rollBackFunction', { id: fn, versionId: first });
    expect((await shownFunction(fn)).code).toBe('return 1');
    await done(app, 'approvals/undoNotice', { id: undo.id });
    expect((await shownFunction(fn)).code).toBe(deletes);
  });

  it('cannot publish a draft that gives a function tools that delete, but others', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'later', code: deletes });
    const armed = { id, versionId: await draftOf(id, { grants: { serviceTools } }) };
    await refused('automations/publishFunction', armed);
    await done(app, 'automations/publishFunction', armed);
    const slower = { id, versionId: await draftOf(id, { timeout: 5_000 }, careful) };
    await done(app, 'automations/publishFunction', slower, careful);
    const harmless = { id, versionId: await draftOf(id, { grants: {}, code: 'return 1' }, careful) };
    await done(app, 'automations/publishFunction', harmless, careful);
    expect(await shownFunction(id)).toMatchObject({ code: 'return 1', timeout: 5_000, grants: { serviceTools: [] } });
  });

  it('cannot remove powers and secrets of a function, but can ask for more', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'holds', code: '' });
    const powers = 'automations/setFunctionCapabilities';
    await approved(app, await app.call(powers, { id, capabilities: ['env'] }));
    await done(app, 'automations/setEnvVar', { name: 'HELD', value: 'abc', allowedHosts: ['a.example.com'] });
    const secrets = [{ name: 'HELD', hosts: ['a.example.com'] }];
    await approved(app, await app.call('automations/setFunctionSecrets', { id, secrets }));
    await refused(powers, { id, remove: ['env'] });
    await refused(powers, { id, capabilities: [] });
    await refused('automations/setFunctionSecrets', { id, secrets: [] });
    expect(await done(app, 'automations/getFunction', { id })).toMatchObject({ capabilities: ['env'], secrets });
    expect((await app.call(powers, { id, capabilities: ['env', 'email'] }, careful)).status).toBe(202);
  });

  it('cannot remove secrets of a flow', async () => {
    await done(app, 'automations/setEnvVar', { name: 'OF_FLOW', value: 'abc', allowedHosts: ['a.example.com'] });
    const { id } = await done(app, 'flows/createFlow', { name: 'holds', steps: [] });
    const secrets = [{ name: 'OF_FLOW', hosts: ['a.example.com'] }];
    await approved(app, await app.call('flows/setFlowSecrets', { id, secrets }));
    await refused('flows/setFlowSecrets', { id, secrets: [] });
    expect((await done(app, 'flows/getFlow', { id })).secrets).toMatchObject(secrets);
  });

  it('cannot replace the value of a secret, but can create new ones', async () => {
    await done(app, 'automations/setEnvVar', { name: 'NEW_ONE', value: 'first', overwrite: true }, careful);
    await refused('automations/setEnvVar', { name: 'NEW_ONE', value: 'second', overwrite: true });
    await done(app, 'automations/setEnvVar', { name: 'NEW_ONE', value: 'second', overwrite: true });
  });

  it('cannot replace the password of a mailbox', async () => {
    const at = { host: 'mail.example.com', username: 'robot', password: 'first' };
    const { id } = await done(app, 'automations/createMailAccount', { name: 'm', fromAddress: 'a@example.com', ...at });
    await refused('automations/updateMailAccount', { id, password: 'second' });
    await done(app, 'automations/updateMailAccount', { id, name: 'n' }, careful);
  });

  it("cannot lower a member's role or remove a right", async () => {
    const { id } = await person(app, 'editor', ['mailboxes.manage']);
    await refused('workspace/updateMember', { id, role: 'viewer' });
    await refused('workspace/updateMember', { id, permissions: ['audit.read'] });
    const more = { id, role: 'admin', permissions: ['mailboxes.manage', 'audit.read'] };
    expect(await done(app, 'workspace/updateMember', more, careful)).toMatchObject({ role: 'admin' });
  });

  it.each(['site/updateAppUserRole', 'site/updateAppUser'])(
    'cannot take a role away from a user of a site by %s, for which an agent asks first',
    async (operation) => {
      const { id: projectId } = await done(app, 'site/createProject', { name: 'Legacy roles' });
      const user = { projectId, email: 'ada@example.com', password: 'long enough', role: 'user' };
      const { id: userId } = await done(app, 'site/createAppUser', user);
      await done(app, operation, { projectId, userId, role: 'admin' }, careful);
      await done(app, 'site/migrateProjectToRoleSystem', { projectId }, careful);
      await refused(operation, { projectId, userId, role: 'user' });
      const { id: agentId } = await agentWith(app, { asks: 'risky' });
      const agent = await keyOf(app, { kind: 'agent', agentId });
      expect((await app.call(operation, { projectId, userId, role: 'user' }, agent)).status).toBe(202);
      expect(await done(app, 'site/getAppUserRoles', { userId })).toMatchObject([{ name: 'app-super-admin' }]);
    },
  );
});

describe('a key that never deletes cannot approve', () => {
  const cardOf = async (operation: string, body: object, key?: string) => {
    const { status, body: answer } = await app.call(operation, body, key);
    expect([operation, status]).toEqual([operation, 202]);
    const { id, hash } = answer.pendingChange;
    return { id, hash };
  };

  it("an agent's call that takes something away, but can approve one that does not", async () => {
    const { id: agentId } = await agentWith(app, { asks: 'changes' });
    const agent = await keyOf(app, { kind: 'agent', agentId });
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Members' });
    const user = { projectId, email: 'ada@example.com', password: 'long enough', name: 'Ada' };
    const { id: userId } = await done(app, 'site/createAppUser', user);
    const isBanned = async () => (await done(app, 'site/getAppUser', { projectId, userId })).isBanned;
    const ban = await cardOf('site/updateAppUser', { projectId, userId, isBanned: true }, agent);
    await refused('approvals/approvePendingChange', ban);
    expect([(await done(app, 'approvals/getPendingChange', { id: ban.id })).status, await isBanned()]).toEqual([
      'pending',
      false,
    ]);
    await done(app, 'approvals/approvePendingChange', ban);
    expect(await isBanned()).toBe(true);
    const rename = await cardOf('site/updateAppUser', { projectId, userId, name: 'Ada L.' }, agent);
    expect(await done(app, 'approvals/approvePendingChange', rename, careful)).toMatchObject({ status: 'applied' });
  });

  it('code of a function that has tools that delete, but can approve other changes of it', async () => {
    const fn = await axe();
    const versionId = await draftOf(fn, { code: 'return 1' });
    await done(app, 'workspace/updateSettings', { codeCards: 'all' });
    const publishes = await cardOf('automations/publishFunction', { id: fn, versionId });
    await refused('approvals/approvePendingChange', publishes);
    await done(app, 'approvals/approvePendingChange', publishes);
    await done(app, 'workspace/updateSettings', { versions: false });
    const saved = async (id: string, parts: object) =>
      cardOf('automations/updateFunction', { id, seenUpdatedAt: (await shownFunction(id)).updatedAt, ...parts });
    await refused('approvals/approvePendingChange', await saved(fn, { code: 'return 2' }));
    expect((await shownFunction(fn)).code).toBe('return 1');
    const harmless = await saved(fn, { code: 'return 3', grants: {} });
    await done(app, 'approvals/approvePendingChange', harmless, careful);
    const armed = await saved(fn, { code: 'return 4', grants: { serviceTools } });
    await refused('approvals/approvePendingChange', armed);
    await done(app, 'workspace/updateSettings', { versions: true, codeCards: 'full-data-access' });
  });

  it('a card that moves a secret from one host to another, but can approve one that adds a host', async () => {
    const hosts = ['a.example.com', 'b.example.com', 'c.example.com'];
    await done(app, 'automations/setEnvVar', { name: 'MOVES', value: 'abc', allowedHosts: hosts });
    const { id } = await done(app, 'automations/createFunction', { name: 'moves', code: '' });
    const asked = (...named: string[]) =>
      cardOf('automations/setFunctionSecrets', {
        id,
        secrets: [{ name: 'MOVES', hosts: named }],
        keepUntilApproved: true,
      });
    await done(app, 'approvals/approvePendingChange', await asked('a.example.com'), careful);
    await done(app, 'approvals/approvePendingChange', await asked('a.example.com', 'b.example.com'), careful);
    const moves = await asked('a.example.com', 'c.example.com');
    await refused('approvals/approvePendingChange', moves);
    await done(app, 'approvals/approvePendingChange', moves);
    const { secrets } = await done(app, 'automations/getFunction', { id });
    expect(secrets).toMatchObject([{ name: 'MOVES', hosts: ['a.example.com', 'c.example.com'] }]);
  });
});

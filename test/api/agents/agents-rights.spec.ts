import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { agentWith, ended, ran, toolFunction } from '../../support/automations/agents.js';
import { creditsShown } from '../../support/automations/credits.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { type AssistantServer, callsTools, writes } from '../../support/servers/assistant-server.js';
import { sharedApp } from '../../support/shared-app.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

let server: AssistantServer;
let app: OutsideApp;
beforeAll(async () => {
  app = await sharedOutside();
  ({ assistant: server } = app);
});
afterAll(async () => {
  await app.close();
});

/** Returns the status, the code and the path of the first error. */
const refusal = async (operation: string, body: object, key?: string) => {
  const reply = await app.call(operation, body, key);
  return [reply.status, reply.body.code, reply.body.errors?.[0]?.path].filter((part) => part !== undefined);
};

describe('what an agent may do when it runs', () => {
  const work = { instructions: 'Sort.', model: 'model-2', tools: ['automations_listFunctions'] };

  it('is set by a person and shown', async () => {
    const { key } = await person(app, 'editor');
    const agent = await done(app, 'workspace/addAgent', { name: 'Busy', ...work }, key);
    expect(agent).toMatchObject(work);
    expect(await done(app, 'workspace/updateAgent', { id: agent.id, model: null, tools: [] }, key)).toMatchObject({
      instructions: 'Sort.',
      model: null,
      tools: [],
    });
    expect(await done(app, 'workspace/listAgents')).toContainEqual({ ...agent, model: null, tools: [] });
  });

  it('is not changed by a connection, which may send it unchanged', async () => {
    const { id } = await agentWith(app, work);
    const connection = await keyOf(app, { kind: 'connection' });
    for (const changed of [{ instructions: 'Hide.' }, { model: null }, { tools: [] }]) {
      expect(await refusal('workspace/updateAgent', { id, ...changed }, connection)).toEqual([
        403,
        'agent-work-by-person',
      ]);
    }
    await done(app, 'workspace/updateAgent', { id, ...work, name: 'Renamed' }, connection);
  });

  it('is never changed by an agent with its own key', async () => {
    const { id } = await agentWith(app, work);
    const key = await keyOf(app, { kind: 'agent', agentId: id });
    expect(await refusal('workspace/updateAgent', { id, tools: [] }, key)).toEqual([403, 'caller-not-allowed']);
    expect(await refusal('workspace/addAgent', { name: 'Helper', ...work }, key)).toEqual([403, 'caller-not-allowed']);
  });

  it.each([
    ['instructions', { instructions: 'x'.repeat(20_001) }],
    ['instructions', { instructions: null }],
    ['model', { model: '' }],
    ['model', { model: 'x'.repeat(201) }],
    ['model', { model: 'two words' }],
    ['tools', { tools: Array.from({ length: 65 }, (_, at) => `tool_${at}`) }],
    ['tools', { tools: [7] }],
    ['tools', { tools: 'all' }],
    ['tools[0]', { tools: ['automations_noSuch'] }],
    ['tools[0]', { tools: ['fn_00000000000000000000000000'] }],
    ['tools[0]', { tools: ['__proto__'] }],
    ['tools[1]', { tools: ['automations_listFunctions', 'automations_listFunctions'] }],
  ])('is refused with wrong %s (%#)', async (path, sent) => {
    const { id } = await agentWith(app);
    const wrong = [400, 'invalid-input', path];
    expect(await refusal('workspace/addAgent', { name: 'Wrong', ...sent }, undefined)).toEqual(wrong);
    expect(await refusal('workspace/updateAgent', { id, ...sent }, undefined)).toEqual(wrong);
  });

  it('can have the longest instructions and the maximum number of tools', async () => {
    await agentWith(app, { instructions: '🙂'.repeat(20_000), tools: ['automations_listFunctions'] });
  });

  it.each([
    'approvals_approvePendingChange',
    'approvals_listPendingChanges',
    'workspace_updateAgent',
    'workspace_createApiKey',
    'workspace_updateSettings',
    'workspace_addMember',
    'automations_setEnvVar',
    'automations_listEnvVars',
    'automations_deleteEnvVar',
    'automations_setFunctionSecrets',
    'automations_invokeFunction',
    'automations_aiAuthor',
    'agents_runAgent',
    'agents_getAgentRun',
  ])('never has the tool %s', async (tool) => {
    expect(await refusal('workspace/addAgent', { name: 'Bold', tools: [tool] })).toEqual([
      400,
      'invalid-input',
      'tools[0]',
    ]);
  });

  it('includes no tool that the listing person may not use, but keeps one that another listed', async () => {
    const never = await done(app, 'workspace/createApiKey', { name: 'own', kind: 'person', neverDeletes: true });
    const taking = { tools: ['automations_deleteFunction'] };
    expect(await refusal('workspace/addAgent', { name: 'Axe', ...taking }, never.key)).toEqual([
      403,
      'agent-tool-not-yours',
    ]);
    const { id } = await agentWith(app, taking);
    await done(app, 'workspace/updateAgent', { id, tools: [...taking.tools, 'workspace_getWorkspace'] }, never.key);
  });

  it('includes no function that the listing person may not start', async () => {
    const runBy = { pages: false, functions: [], agents: 'any', members: 'admins' };
    const fn = await toolFunction(app, { accessRules: { runBy } });
    const { key } = await person(app, 'editor');
    expect(await refusal('workspace/addAgent', { name: 'Axe', tools: [fn] }, key)).toEqual([
      403,
      'agent-tool-not-yours',
    ]);
    await agentWith(app, { tools: [fn] });
  });

  it('includes no function of another workspace', async () => {
    const { ownerKey } = await otherWorkspace(app);
    const fn = await toolFunction(app);
    expect(await refusal('workspace/addAgent', { name: 'Spy', tools: [fn] }, ownerKey)).toEqual([
      400,
      'invalid-input',
      'tools[0]',
    ]);
  });
});

describe('who may run an agent', () => {
  it("are Editors and callers with an Editor's rights, but no agents", async () => {
    const { id } = await agentWith(app);
    const { id: memberId, key } = await person(app, 'editor');
    const keys = [
      key,
      await keyOf(app, { kind: 'connection', memberId }),
      await keyOf(app, { kind: 'automation' }),
      await keyOf(app, { kind: 'flow' }),
    ];
    server.plays(writes('Done.'));
    for (const one of keys) expect(await ran(app, id, 'x', one).catch(String)).toMatchObject({ status: 'success' });
    const runs = await done(app, 'agents/listAgentRuns', { agentId: id });
    expect(runs.map(({ startedBy }: { startedBy: string }) => startedBy)).toEqual([
      'Flow made for a test',
      'Automation made for a test',
      expect.stringContaining('The editor'),
      expect.stringContaining('The editor'),
    ]);
    const agentKey = await keyOf(app, { kind: 'agent', agentId: id });
    expect(await refusal('agents/runAgent', { id, input: 'x' }, agentKey)).toEqual([403, 'caller-not-allowed']);
  });

  it('are not Viewers and read-only keys, which may see the runs', async () => {
    const { id } = await agentWith(app);
    server.plays(writes('Done.'));
    const { id: runId } = await ran(app, id);
    const viewer = await person(app, 'viewer');
    const reader = await keyOf(app, { kind: 'connection', readOnly: true });
    expect(await refusal('agents/runAgent', { id, input: 'x' }, viewer.key)).toEqual([403, 'viewer-refused']);
    expect(await refusal('agents/runAgent', { id, input: 'x' }, reader)).toEqual([403, 'read-only-key']);
    for (const key of [viewer.key, reader]) {
      expect(await done(app, 'agents/listAgentRuns', { agentId: id }, key)).toHaveLength(1);
      expect((await done(app, 'agents/getAgentRun', { id: runId }, key)).answer).toBe('Done.');
    }
  });

  it('is nobody of another workspace, for whom it does not exist', async () => {
    const { id } = await agentWith(app);
    server.plays(writes('Done.'));
    const { id: runId } = await ran(app, id);
    const { ownerKey } = await otherWorkspace(app);
    for (const [operation, body, none] of [
      ['agents/runAgent', { id, input: 'x' }, { id: 'agent_none', input: 'x' }],
      ['agents/listAgentRuns', { agentId: id }, { agentId: 'agent_none' }],
      ['agents/getAgentRun', { id: runId }, { id: 'agentrun_none' }],
    ] as const) {
      const foreign = await app.call(operation, body, ownerKey);
      const unknown = await app.call(operation, none, ownerKey);
      expect([operation, foreign.status]).toEqual([operation, 404]);
      expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
    }
  });
});

describe('runAgent', () => {
  it.each([
    ['input', {}],
    ['input', { input: '' }],
    ['input', { input: null }],
    ['input', { input: 7 }],
    ['input', { input: ['x'] }],
    ['input', { input: 'x'.repeat(99_999) }],
    ['input', { input: { text: 'x'.repeat(99_990) } }],
    ['model', { input: 'x', model: 'model-2' }],
    ['id', { input: 'x', id: 7 }],
  ])('refuses a wrong %s (%#)', async (path, sent) => {
    const { id } = await agentWith(app);
    expect(await refusal('agents/runAgent', { id, ...sent })).toEqual([400, 'invalid-input', path]);
  });

  it('accepts an input of 100,000 characters of JSON, which arrives complete', async () => {
    const { id } = await agentWith(app);
    server.plays(writes('Done.'));
    const input = 'x'.repeat(99_998);
    await ran(app, id, input);
    expect(JSON.parse(server.asked[0]?.body.messages[1].content).request).toBe(input);
  });

  it('accepts an Idempotency-Key: sent twice, it makes one run', async () => {
    const { id } = await agentWith(app);
    server.plays(writes('Done.'));
    const call = () => app.call('agents/runAgent', { id, input: 'x' }, undefined, { 'idempotency-key': `once-${id}` });
    const [first, second] = [await call(), await call()];
    expect(second.body).toEqual(first.body);
    await ended(app, first.body.runId);
    expect(server.asked).toHaveLength(1);
    expect(await done(app, 'agents/listAgentRuns', { agentId: id })).toHaveLength(1);
  });
});

describe('an agent that cannot act', () => {
  it('is not run while it is inactive', async () => {
    const { id } = await agentWith(app);
    await done(app, 'workspace/updateAgent', { id, isActive: false });
    const reply = await app.call('agents/runAgent', { id, input: 'x' });
    expect([reply.status, reply.body.code]).toEqual([409, 'agent-inactive']);
    expect(reply.body.detail).toContain('target is INACTIVE');
  });

  it('is not run when its person has been removed', async () => {
    const { id: memberId } = await person(app, 'editor');
    const { id } = await agentWith(app, { memberId });
    await done(app, 'workspace/removeMember', { id: memberId });
    expect(await refusal('agents/runAgent', { id, input: 'x' })).toEqual([409, 'agent-without-person']);
  });

  it.each([
    ['is switched off', (id: string) => done(app, 'workspace/updateAgent', { id, isActive: false }), 'INACTIVE'],
    ['is removed', (id: string) => done(app, 'workspace/removeAgent', { id }), 'removed'],
    [
      'loses its person',
      async (id: string) => {
        const { memberId } = (await done(app, 'workspace/listAgents')).find((one: { id: string }) => one.id === id);
        await done(app, 'workspace/removeMember', { id: memberId });
      },
      'person behind',
    ],
  ])(
    'ends its run with an error message when it %s during the run, and makes no more calls',
    async (_, change, sentence) => {
      const { id: memberId } = await person(app, 'editor');
      const { id } = await agentWith(app, {
        memberId,
        canCreateFunctions: true,
        tools: ['automations_createFunction'],
      });
      const name = `Never ${id}`;
      server.plays((response, asked) => {
        change(id).then(() => callsTools(['automations_createFunction', { name }])(response, asked));
      });
      const run = await ran(app, id);
      expect(run).toMatchObject({ status: 'error', error: expect.stringContaining(sentence), answer: null });
      const names = (await done(app, 'automations/listFunctions')).map((fn: { name: string }) => fn.name);
      expect(names).not.toContain(name);
    },
  );

  it('has no more than the rights of its person', async () => {
    const { id: memberId } = await person(app, 'viewer');
    const { id } = await agentWith(app, { memberId, tools: ['automations_createFunction', 'workspace_getWorkspace'] });
    server.plays(callsTools(['automations_createFunction', { name: 'Too much' }]), writes('No.'));
    const run = await ran(app, id);
    expect(server.asked[0]?.body.tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual([
      'workspace_getWorkspace',
    ]);
    expect(run.turns[0].tools[0].outcome).toBe('refused');
  });
});

describe('an assistant that is not configured', () => {
  it('is a 503 that names the setting, and nothing runs', async () => {
    const bare = await sharedApp();
    const { id } = await agentWith(bare);
    const { status, body } = await bare.call('agents/runAgent', { id, input: 'x' });
    expect([status, body.code]).toEqual([503, 'assistant-not-configured']);
    expect(body.detail).toContain('ASSISTANT_URL');
    expect(await done(bare, 'agents/listAgentRuns', { agentId: id })).toEqual([]);
    expect(await creditsShown(bare)).toBe(100);
    await bare.close();
  });
});

describe('runs that are listed', () => {
  it('are newest first, up to the limit, and continue before one if older ones are switched on', async () => {
    const { id } = await agentWith(app);
    server.plays(writes('Done.'));
    const runs: string[] = [];
    for (let count = 0; count < 3; count++) runs.unshift((await ran(app, id)).id);
    const listed = async (more: object = {}) =>
      (await done(app, 'agents/listAgentRuns', { agentId: id, ...more })).map((run: { id: string }) => run.id);
    expect(await listed()).toEqual(runs);
    expect(await listed({ limit: 2 })).toEqual(runs.slice(0, 2));
    await done(app, 'workspace/updateSettings', { runsTab: false });
    expect(await refusal('agents/listAgentRuns', { agentId: id, before: runs[0] })).toEqual([403, 'older-runs-off']);
    await done(app, 'workspace/updateSettings', { runsTab: true });
    expect(await listed({ before: runs[0] })).toEqual(runs.slice(1));
    expect(await refusal('agents/listAgentRuns', { agentId: id, before: 'agentrun_none' })).toEqual([
      404,
      'agent-run-not-found',
    ]);
  });

  it('remain when the agent is removed', async () => {
    const { id } = await agentWith(app);
    server.plays(writes('Done.'));
    await ran(app, id);
    await done(app, 'workspace/removeAgent', { id });
    await eventually(
      () => done(app, 'agents/listAgentRuns', { agentId: id }),
      (runs) => runs.length === 1,
    );
  });
});

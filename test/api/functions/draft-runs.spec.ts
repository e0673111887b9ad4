import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { agentWith } from '../../support/automations/agents.js';
import { done, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let projectId: string;
beforeAll(async () => {
  app = await sharedApp();
  projectId = (await done(app, 'site/createProject', { name: 'Drafts that run' })).id;
}, 60_000);
afterAll(() => app?.close());

const get = (id: string) => done(app, 'automations/getFunction', { id });
const invoke = (id: string, versionId?: string, key?: string, headers: Record<string, string> = {}) =>
  app.call('automations/invokeFunction', { id, ...(versionId ? { versionId } : {}) }, key, headers);
const runs = (functionId: string) => done(app, 'automations/listRuns', { functionId });
const approve = async ({ body }: { readonly body: { readonly pendingChange: { id: string; hash: string } } }) =>
  done(app, 'approvals/approvePendingChange', { id: body.pendingChange.id, hash: body.pendingChange.hash });

/** An active function whose live version returns 'live', and a draft with this code. */
async function drafted(name: string, code = "return 'draft'", more: object = {}, first: object = {}) {
  const { id } = await done(app, 'automations/createFunction', { name, code: "return 'live'", ...first });
  await done(app, 'automations/updateFunction', { id, isActive: true });
  const { updatedAt: seenUpdatedAt } = await get(id);
  const { draft } = await done(app, 'automations/updateFunction', { id, code, seenUpdatedAt, ...more });
  return { id: id as string, versionId: draft.versionId as string };
}

describe('a draft that a person runs', () => {
  it('runs instead of the live version, which remains, and is marked in the run', async () => {
    const { id, versionId } = await drafted('Draft runs', "console.log('tried'); return ['draft', ctx.run.id]");
    const { status, body } = await invoke(id, versionId);
    expect([status, body.result]).toEqual([200, ['draft', body.runId]]);
    expect((await invoke(id)).body.result).toBe('live');
    const [live, draft] = await runs(id);
    expect([live.draft, draft]).toMatchObject([
      undefined,
      { id: body.runId, draft: true, version: versionId, source: 'manual' },
    ]);
    expect(await get(id)).toMatchObject({ code: "return 'live'", draft: { versionId } });
  });

  it('runs the last save, with its own input schema and time limit', async () => {
    const { id, versionId } = await drafted('Draft again');
    await invoke(id, versionId);
    const { updatedAt: seenUpdatedAt } = await get(id);
    const toolSpec = { inputSchema: { type: 'object', required: ['n'] } };
    await done(app, 'automations/updateFunction', { id, code: 'return params.n', toolSpec, seenUpdatedAt });
    expect((await invoke(id, versionId)).body.code).toBe('params-invalid');
    const sent = { id, versionId, event: { n: 5 } };
    expect((await app.call('automations/invokeFunction', sent)).body.result).toBe(5);
    expect((await app.call('automations/invokeFunction', { id, event: {} })).body.result).toBe('live');
  });

  it('has the powers of the live function', async () => {
    const { id, versionId } = await drafted('Draft powers', "return (await ctx.env.get('APP_X')) ?? 'allowed'");
    expect((await invoke(id, versionId)).body).toMatchObject({ code: 'function-failed' });
    await approve(await app.call('automations/setFunctionCapabilities', { id, capabilities: ['env'] }));
    expect((await invoke(id, versionId)).body.result).toBe('allowed');
  });

  it.each(['powers', 'all'])('lacks powers and secrets if its code has to wait for a person: %s', async (codeCards) => {
    const { id, versionId } = await drafted(`Draft that waits for ${codeCards}`, "return ctx.env.get('APP_X')");
    await approve(await app.call('automations/setFunctionCapabilities', { id, capabilities: ['env'] }));
    await done(app, 'workspace/updateSettings', { codeCards });
    const { body } = await invoke(id, versionId);
    await done(app, 'workspace/updateSettings', { codeCards: 'full-data-access' });
    expect([body.code, body.detail]).toEqual(['function-failed', expect.stringContaining("'env'")]);
    expect((await invoke(id, versionId)).status).toBe(200);
  });

  it('cannot be run by machines, agents and triggers', async () => {
    const accessRules = { runBy: { pages: false, functions: [], agents: 'any' } };
    const { id, versionId } = await drafted('Draft of persons', undefined, {}, { accessRules });
    const { key: automation } = await done(app, 'workspace/createApiKey', { name: 'robot', kind: 'automation' });
    const { id: agentId } = await agentWith(app, { name: 'Draft agent' });
    const agent = await done(app, 'workspace/createApiKey', { name: 'scout', kind: 'agent', agentId });
    for (const key of [automation, agent.key]) {
      expect((await invoke(id, versionId, key)).body.code).toBe('drafts-tried-by-persons');
    }
    expect((await invoke(id, versionId, (await person(app, 'viewer')).key)).status).toBe(403);
    expect(await runs(id)).toEqual([]);
    const { token } = await done(app, 'automations/createWebhook', { functionId: id });
    const path = `/api/automations/functions/webhook/${token}`;
    const json = { 'content-type': 'application/json' };
    const delivered = await app.send('POST', path, JSON.stringify({ versionId }), json);
    expect(delivered.body).toMatchObject({ data: 'live' });
    expect((await runs(id)).map((run: { draft?: true }) => run.draft)).toEqual([undefined]);
  });

  it('calls live versions of other functions', async () => {
    const accessRules = { runBy: { pages: false, functions: 'any', agents: 'any' } };
    await drafted('Called by a draft', "return 'draft'", {}, { accessRules });
    const { id, versionId } = await drafted('Draft calls', "return ctx.functions.run('Called by a draft')");
    expect((await invoke(id, versionId)).body.result).toBe('live');
  });

  it('is not retried and cannot be replayed', async () => {
    const { id, versionId } = await drafted('Draft fails', "throw new Error('no')", { maxRetries: 3 });
    const { body } = await invoke(id, versionId);
    expect(body.code).toBe('function-failed');
    expect(await runs(id)).toMatchObject([{ draft: true, attempt: 1, retryAt: null, replayableUntil: null }]);
    const { runId } = body.details;
    expect((await app.call('automations/replayRun', { runId, version: 'same' })).status).toBe(409);
  });

  it('is not run by a dry run of the call', async () => {
    const { id, versionId } = await drafted('Draft tried');
    const { status, body } = await invoke(id, versionId, undefined, { 'x-dry-run': 'true' });
    expect([status, body.dryRun, body.outside]).toEqual([200, true, ['runs code']]);
    const unknown = await invoke(id, 'ver_unknown', undefined, { 'x-dry-run': 'true' });
    expect(unknown.body.code).toBe('version-not-found');
    expect(await runs(id)).toEqual([]);
  });
});

describe('a version that is not an open draft', () => {
  const code = async (id: string, versionId: string) => {
    const { status, body } = await invoke(id, versionId);
    return [status, body.code];
  };

  it('is refused: live, replaced, of another function, of a deleted one, or with versions off', async () => {
    const one = await drafted('Draft refused');
    const other = await drafted('Draft of another');
    expect(await code(one.id, other.versionId)).toEqual([404, 'version-not-found']);
    expect(await code(one.id, (await get(one.id)).liveVersionId)).toEqual([409, 'version-not-to-be-tried']);
    const editor = (await person(app, 'editor')).key;
    const { updatedAt: seenUpdatedAt } = await get(one.id);
    await done(app, 'automations/updateFunction', { id: one.id, code: 'return 3', seenUpdatedAt }, editor);
    expect(await code(one.id, one.versionId)).toEqual([409, 'version-not-to-be-tried']);
    await done(app, 'workspace/updateSettings', { versions: false });
    expect(await code(other.id, other.versionId)).toEqual([403, 'versions-off']);
    await done(app, 'workspace/updateSettings', { versions: true });
    await done(app, 'automations/deleteFunction', { id: other.id });
    expect(await code(other.id, other.versionId)).toEqual([404, 'function-not-found']);
  });
});

describe('a draft of a function of a site', () => {
  it('is run by its versionId, and marked in the list of runs', async () => {
    const made = { projectId, name: 'drafted', code: "return 'live'" };
    const { id: functionId } = await done(app, 'site/createBackendFunction', made);
    const { updatedAt: seenUpdatedAt } = await done(app, 'site/getBackendFunction', { projectId, functionId });
    const change = { projectId, functionId, code: "return 'draft'", seenUpdatedAt };
    const { versionId } = (await done(app, 'site/updateBackendFunction', change)).draft;
    const sent = { projectId, functionName: 'drafted' };
    expect((await done(app, 'site/invokeBackendFunction', { ...sent, versionId })).data).toBe('draft');
    expect((await done(app, 'site/invokeBackendFunction', sent)).data).toBe('live');
    const listed = await done(app, 'site/listFunctionRuns', { projectId, functionId });
    expect(listed.runs.map((run: { draft?: true }) => run.draft)).toEqual([undefined, true]);
  });

  it('lacks Full data access and the identity mode, because a person must approve code with them', async () => {
    const made = { projectId, name: 'powerful', code: "return 'live'" };
    const { id: functionId } = await done(app, 'site/createBackendFunction', made);
    const of = { projectId, functionId };
    const fn = () => done(app, 'site/getBackendFunction', of);
    const seenVersion = (await fn()).version;
    await approve(await app.call('site/setFunctionCapabilities', { ...of, capabilities: ['service'], seenVersion }));
    await done(app, 'workspace/updateSettings', { actsAsWorkspaceSwitch: true });
    const seen = { mode: 'workspace', seenVersion: (await fn()).version };
    await approve(await app.call('site/setFunctionIdentityMode', { ...of, ...seen }));
    await done(app, 'workspace/updateSettings', { actsAsWorkspaceSwitch: false });
    const code = "return await ctx.service.email.accounts().then(() => 'let in', (error) => error.code)";
    await done(app, 'site/updateBackendFunction', { ...of, code, seenUpdatedAt: (await fn()).updatedAt });
    const { versionId } = (await fn()).draft;
    const sent = { projectId, functionName: 'powerful' };
    expect((await done(app, 'site/invokeBackendFunction', { ...sent, versionId })).data).toBe('power-missing');
    await approve(await app.call('site/publishBackendFunction', { ...of, versionId }));
    expect((await done(app, 'site/invokeBackendFunction', sent)).data).toBe('let in');
  });
});

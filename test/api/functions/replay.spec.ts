// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { vaultEntries } from '../../support/stores/vault-entries.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

interface Hook {
  readonly functionId: string;
  readonly id: string;
  readonly token: string;
}

const broken = "throw new Error('broken on ' + params.n)";
let made = 0;

async function hooked(code = broken, more: object = {}): Promise<Hook> {
  const fn = await done(app, 'automations/createFunction', { name: `replayed ${made++}`, code, ...more });
  await done(app, 'automations/updateFunction', { id: fn.id, isActive: true });
  const { id, token } = await done(app, 'automations/createWebhook', { functionId: fn.id });
  return { functionId: fn.id, id, token };
}

/** Saves and publishes new code. It is live when the promise resolves. */
async function mend({ functionId }: Hook, code = 'return params.n'): Promise<void> {
  const { updatedAt } = await done(app, 'automations/getFunction', { id: functionId });
  await done(app, 'automations/updateFunction', { id: functionId, code, seenUpdatedAt: updatedAt });
  const { versions } = await done(app, 'automations/listFunctionVersions', { functionId });
  const draft = versions.find(({ state }: { state: string }) => state === 'draft');
  await done(app, 'automations/publishFunction', { id: functionId, versionId: draft.id });
}

const deliver = (token: string, body: object, headers: Record<string, string> = { prefer: 'respond-async' }) =>
  app.send('POST', `/api/automations/functions/webhook/${token}`, JSON.stringify(body), {
    'content-type': 'application/json',
    'x-sender': 'the sender',
    ...headers,
  });

const runOf = async (functionId: string, runId: string) =>
  (await done(app, 'automations/listRuns', { functionId })).find(({ id }: { id: string }) => id === runId);
const over = (functionId: string, runId: string) =>
  eventually(
    () => runOf(functionId, runId),
    (run) => run?.status === 'success' || run?.status === 'error',
  );

async function ended({ functionId, token }: Hook, n = 7) {
  const { body } = await deliver(token, { n });
  return over(functionId, body.runId);
}

const replay = (runId: string, more: object = {}, key?: string, headers?: Record<string, string>) =>
  app.call('automations/replayRun', { runId, ...more }, key, headers);

describe('replayRun', () => {
  it('repeats a failed accepted run once, with the delivered input, on the live version', async () => {
    const hook = await hooked();
    const first = await ended(hook);
    expect(first).toMatchObject({ status: 'error', error: 'broken on 7 (line 1)', replayOf: null, replays: [] });
    await mend(hook, 'console.log(params._request.headers["x-sender"], ctx.run); return params.n');
    const { status, body } = await replay(first.id);
    expect({ status, body }).toEqual({ status: 200, body: { runId: expect.any(String), replayOf: first.id } });
    const again = await over(hook.functionId, body.runId);
    expect(again).toMatchObject({
      status: 'success',
      attempt: 1,
      source: 'api',
      startedBy: 'Webhook',
      replayOf: first.id,
      replayedBy: 'Owner',
      replays: [],
      replayableUntil: null,
    });
    expect(again.version).not.toBe(first.version);
    const { lines } = await done(app, 'automations/getRunLog', { runId: body.runId });
    expect(lines[0].text).toContain('the sender { id:');
    expect(lines[0].text).toContain(`startedBy: { kind: "webhook", id: "${hook.id}" }, replayOf: "${first.id}"`);
  });

  it('changes nothing of the first run but its list of replays', async () => {
    const hook = await hooked();
    const first = await ended(hook);
    const runIds = [(await replay(first.id)).body.runId, (await replay(first.id)).body.runId];
    for (const runId of runIds) expect((await over(hook.functionId, runId)).error).toBe('broken on 7 (line 1)');
    expect(await runOf(hook.functionId, first.id)).toEqual({ ...first, replays: runIds });
  });

  it("runs the failed version if 'same' is requested, although another is live", async () => {
    const hook = await hooked();
    const first = await ended(hook);
    await mend(hook);
    const { body } = await replay(first.id, { version: 'same' });
    const again = await over(hook.functionId, body.runId);
    expect(again).toMatchObject({ status: 'error', error: 'broken on 7 (line 1)', version: first.version });
    const { versions } = await done(app, 'automations/listFunctionVersions', { functionId: hook.functionId });
    expect(versions.find(({ id }: { id: string }) => id === first.version).isLive).toBe(false);
    expect((await ended(hook)).status).toBe('success');
  });

  it("runs present versions of functions that the code calls, even with 'same'", async () => {
    const runBy = { pages: false, functions: 'any', agents: [] };
    const callee = await hooked('return "before"', { accessRules: { runBy } });
    await mend(callee, 'return ["after", Object.keys(ctx.run)].join()');
    const hook = await hooked(`throw new Error(await ctx.functions.run('${callee.functionId}'))`);
    const first = await ended(hook);
    await mend(hook);
    const again = await over(hook.functionId, (await replay(first.id, { version: 'same' })).body.runId);
    expect([first.error, again.error]).toEqual(Array(2).fill('after,id,startedBy (line 1)'));
  });

  it('replays a replay that failed', async () => {
    const hook = await hooked();
    const first = await ended(hook);
    const second = await over(hook.functionId, (await replay(first.id)).body.runId);
    await mend(hook);
    const third = await over(hook.functionId, (await replay(second.id)).body.runId);
    expect(third).toMatchObject({ status: 'success', replayOf: second.id });
  });

  it('is made once with an Idempotency-Key', async () => {
    const hook = await hooked();
    const first = await ended(hook);
    const once = { 'idempotency-key': `replay ${first.id}` };
    const one = await replay(first.id, {}, undefined, once);
    const other = await replay(first.id, {}, undefined, once);
    expect(other.body).toEqual(one.body);
    expect((await over(hook.functionId, first.id)).replays).toEqual([one.body.runId]);
    expect(await done(app, 'automations/listRuns', { functionId: hook.functionId })).toHaveLength(2);
  });

  it('is not counted as a use of the trigger', async () => {
    const hook = await hooked();
    const first = await ended(hook);
    const used = async () =>
      (await done(app, 'automations/listTriggers', { functionId: hook.functionId })).webhooks[0].lastTriggered;
    const before = await used();
    await over(hook.functionId, (await replay(first.id)).body.runId);
    expect(await used()).toBe(before);
  });

  it('works after the webhook is deleted', async () => {
    const hook = await hooked();
    const first = await ended(hook);
    await done(app, 'automations/deleteWebhook', { id: hook.id });
    await mend(hook);
    expect((await over(hook.functionId, (await replay(first.id)).body.runId)).status).toBe('success');
  });
});

describe('replayRun refuses', () => {
  const no = async (runId: string, more: object = {}) => {
    const { status, body } = await replay(runId, more);
    return [status, body.code, body.detail];
  };

  it('a run that succeeded', async () => {
    const first = await ended(await hooked('return 1'));
    expect(await no(first.id)).toEqual([409, 'run-not-replayable', expect.stringContaining('it succeeded')]);
  });

  it('a run in progress', async () => {
    const hook = await hooked('await new Promise((resolve) => setTimeout(resolve, 3_000))');
    const { body } = await deliver(hook.token, {});
    expect(await no(body.runId)).toEqual([409, 'run-not-replayable', expect.stringContaining('not finished yet')]);
  });

  it('a run with a waiting caller', async () => {
    const { token } = await hooked();
    const { headers } = await deliver(token, { n: 1 }, {});
    const runId = headers.get('x-run-id') ?? '';
    expect(await no(runId)).toEqual([
      409,
      'run-not-replayable',
      expect.stringContaining('caller waited for the result'),
    ]);
  });

  it('an unknown run, or one of another workspace', async () => {
    const first = await ended(await hooked());
    const { ownerKey } = await otherWorkspace(app);
    expect((await no('run_none')).slice(0, 2)).toEqual([404, 'run-not-found']);
    const { status, body } = await replay(first.id, {}, ownerKey);
    expect([status, body.code]).toEqual([404, 'run-not-found']);
  });

  it('while the function is inactive, and after its deletion', async () => {
    const hook = await hooked();
    const first = await ended(hook);
    await done(app, 'automations/updateFunction', { id: hook.functionId, isActive: false });
    expect(await no(first.id)).toEqual([409, 'target-inactive', expect.stringContaining('target is INACTIVE')]);
    await done(app, 'automations/deleteFunction', { id: hook.functionId });
    expect((await no(first.id)).slice(0, 2)).toEqual([404, 'function-not-found']);
  });

  it('an unknown version', async () => {
    const first = await ended(await hooked());
    expect((await no(first.id, { version: 'newest' })).slice(0, 2)).toEqual([400, 'invalid-input']);
  });

  it('a version that is no longer live if the function has Full data access, until it is rolled back to', async () => {
    const hook = await hooked();
    const first = await ended(hook);
    await mend(hook);
    await done(app, 'workspace/updateSettings', { actsAsWorkspaceSwitch: true });
    const { version } = await done(app, 'automations/getFunction', { id: hook.functionId });
    const wanted = { id: hook.functionId, mode: 'workspace', seenVersion: version };
    await approved(app, await app.call('automations/setFunctionIdentityMode', wanted));
    expect((await no(first.id, { version: 'same' })).slice(0, 2)).toEqual([403, 'replay-with-full-data-access']);
    expect((await replay(first.id)).status).toBe(200);
  });

  it('a version that is no longer live while code waits for approval in the workspace', async () => {
    const hook = await hooked();
    const first = await ended(hook);
    await mend(hook);
    const codeCards = (mode: string) => done(app, 'workspace/updateSettings', { codeCards: mode });
    await codeCards('all');
    const refused = await no(first.id, { version: 'same' });
    await codeCards('full-data-access');
    expect(refused.slice(0, 2)).toEqual([403, 'replay-needs-approval']);
    expect((await replay(first.id, { version: 'same' })).status).toBe(200);
  });
});

describe('the right to replay', () => {
  const keys = new Map<string, string>();
  const runBy = { pages: false, functions: [], agents: 'any' };
  let hook: Hook;
  let runId = '';
  let earlier = '';
  beforeAll(async () => {
    hook = await hooked(broken, { accessRules: { runBy } });
    earlier = (await ended(hook)).id;
    await mend(hook, `${broken} // again`);
    runId = (await ended(hook)).id;
    keys.set('owner', app.ownerKey);
    for (const role of ['admin', 'editor', 'viewer'] as const) keys.set(role, (await person(app, role)).key);
    keys.set('viewer who edits', (await person(app, 'viewer', ['functions.edit'])).key);
    const agent = await done(app, 'workspace/addAgent', { name: 'Scout' });
    keys.set('agent', await keyOf(app, { kind: 'agent', agentId: agent.id }));
    for (const kind of ['connection', 'automation', 'flow'] as const) keys.set(kind, await keyOf(app, { kind }));
    keys.set('readOnly', await keyOf(app, { kind: 'person', readOnly: true }));
    keys.set('neverDeletes', await keyOf(app, { kind: 'person', neverDeletes: true }));
  });

  it.each([
    ['owner', undefined],
    ['admin', undefined],
    ['editor', undefined],
    ['connection', undefined],
    ['agent', undefined],
    ['automation', undefined],
    ['flow', undefined],
    ['neverDeletes', undefined],
    ['viewer', 'viewer-refused'],
    ['viewer who edits', 'permission-missing'],
    ['readOnly', 'read-only-key'],
  ])('of a failed run: %s', async (who, code) => {
    const { status, body } = await replay(runId, {}, keys.get(who));
    expect([status, body.code]).toEqual(code === undefined ? [200, undefined] : [403, code]);
  });

  it.each([
    ['connection', undefined],
    ['agent', 'replay-live-only'],
    ['automation', 'replay-live-only'],
    ['flow', 'replay-live-only'],
  ])('a version that is no longer live, of: %s', async (who, code) => {
    const { status, body } = await replay(earlier, { version: 'same' }, keys.get(who));
    expect([status, body.code]).toEqual(code === undefined ? [200, undefined] : [403, code]);
  });

  it('of an agent covers what it may start, and the code learns of the agent', async () => {
    const { body } = await replay(runId, { version: 'same' }, keys.get('agent'));
    expect(await over(hook.functionId, body.runId)).toMatchObject({
      startedBy: 'Webhook',
      replayedBy: 'AI agent Scout',
    });
    const closed = await hooked();
    const first = await ended(closed);
    const refused = await replay(first.id, {}, keys.get('agent'));
    expect([refused.status, refused.body.code]).toEqual([403, 'run-not-allowed']);
  });

  it("is never a function's, whatever its grants are", async () => {
    const grants = { serviceTools: ['automations_replayRun'] };
    const { status, body } = await app.call('automations/createFunction', { name: 'sly', code: 'return 1', grants });
    expect([status, body.code]).toEqual([400, 'invalid-input']);
  });
});

describe('setTriggerReplay', () => {
  it('is shown in listTriggers and listAllWebhooks', async () => {
    const hook = await hooked();
    const shown = async () => {
      const { webhooks } = await done(app, 'automations/listTriggers', { functionId: hook.functionId });
      const all: { id: string; keepInput: boolean }[] = await done(app, 'automations/listAllWebhooks');
      return [webhooks[0].keepInput, all.find(({ id }) => id === hook.id)?.keepInput];
    };
    expect(await shown()).toEqual([true, true]);
    expect(await done(app, 'automations/setTriggerReplay', { id: hook.id, keepInput: false })).toEqual({
      success: true,
    });
    expect(await shown()).toEqual([false, false]);
    await done(app, 'automations/setTriggerReplay', { id: hook.id, keepInput: true });
    expect(await shown()).toEqual([true, true]);
  });

  it('off makes later runs not replayable', async () => {
    const hook = await hooked();
    const before = await ended(hook);
    await done(app, 'automations/setTriggerReplay', { id: hook.id, keepInput: false });
    const after = await ended(hook);
    expect([before.replayableUntil, after.replayableUntil]).toEqual([expect.any(String), null]);
    const { status, body } = await replay(after.id);
    expect([status, body.code]).toEqual([409, 'run-input-gone']);
    const again = await over(hook.functionId, (await replay(before.id)).body.runId);
    expect(again).toMatchObject({ status: 'error', replayableUntil: null });
  });

  it('refuses an unknown trigger, or one of another workspace', async () => {
    const hook = await hooked();
    const { ownerKey } = await otherWorkspace(app);
    for (const [id, key] of [
      ['wh_none', app.ownerKey],
      [hook.id, ownerKey],
    ]) {
      const { status, body } = await app.call('automations/setTriggerReplay', { id, keepInput: false }, key);
      expect([status, body.code]).toEqual([404, 'trigger-not-found']);
    }
  });

  it('is refused to Viewers and read-only keys', async () => {
    const hook = await hooked();
    const keys = [(await person(app, 'viewer')).key, await keyOf(app, { kind: 'person', readOnly: true })];
    for (const key of keys) {
      expect((await app.call('automations/setTriggerReplay', { id: hook.id, keepInput: false }, key)).status).toBe(403);
    }
  });
});

const embedded = process.env['TEST_ENGINES'] ? describe.skip : describe;

embedded('the input of an accepted run, in the vault,', () => {
  const inputOf = (runId: string) => vaultEntries(app, 'run-input/').find(({ name }) => name.endsWith(`/${runId}`));
  const gone = (runId: string) =>
    eventually(
      async () => inputOf(runId),
      (entry) => entry === undefined,
    );

  it('is retained for seven days after acceptance, if the run failed', async () => {
    const first = await ended(await hooked());
    const until = Date.parse(first.replayableUntil);
    expect(until - Date.parse(first.startedAt)).toBeLessThanOrEqual(7 * 24 * 3_600_000);
    expect(until - Date.now()).toBeGreaterThan(7 * 24 * 3_600_000 - 60_000);
    expect(Math.abs((inputOf(first.id)?.expiresAt ?? 0) - until)).toBeLessThan(60_000);
  });

  it("is destroyed at once if the run succeeded, also a replay's, while the first one's remains", async () => {
    const hook = await hooked();
    const first = await ended(hook);
    await mend(hook);
    await gone((await ended(hook)).id);
    const { body } = await replay(first.id);
    await over(hook.functionId, body.runId);
    await gone(body.runId);
    expect(inputOf(first.id)).toBeDefined();
  });

  it('is destroyed after any end of the run, if the trigger is set so', async () => {
    const hook = await hooked();
    await done(app, 'automations/setTriggerReplay', { id: hook.id, keepInput: false });
    await gone((await ended(hook)).id);
    await done(app, 'automations/updateFunction', { id: hook.functionId, isActive: false });
    await gone((await ended(hook)).id);
  });
});

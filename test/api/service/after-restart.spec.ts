// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { activeFunction } from '../../support/automations/flows.js';
import { eventually } from '../../support/eventually.js';
import { done, person } from '../../support/people.js';
import { signedBy } from '../../support/servers/signed-delivery.js';
import { visitorPassword as password, siteVisitors, visitorsOf } from '../../support/sites/site-visitors.js';

/** The service is restarted once for all tests. `before` is what each of them must find again. */
let app: TestApp;
let before: Awaited<ReturnType<typeof prepared>>;
beforeAll(async () => {
  app = await startApp({ environment: { TRUST_PROXY: '1' } });
  before = await prepared();
  app = await app.restart();
}, 60_000);
afterAll(() => app.close());

const secret = 'a secret of the sender';
const ada = 'ada@example.com';
const toolSpec = { inputSchema: { type: 'object' } };
const update = (id: string, more: object) => done(app, 'automations/updateFunction', { id, ...more });
const updatedAt = async (id: string) => (await done(app, 'automations/getFunction', { id })).updatedAt;
const saveTool = async (id: string) =>
  (await update(id, { toolSpec, seenUpdatedAt: await updatedAt(id) })).draft ?? null;
const post = (token: string, body: string, headers: object) =>
  app.send('POST', `/api/automations/functions/webhook/${token}`, body, {
    'content-type': 'application/json',
    ...headers,
  });
const deliveries = (token: string) =>
  Promise.all(
    ['idempotency-key', 'webhook-id'].map(async (header) => (await post(token, '{}', { [header]: header })).body),
  );
const runOver = (functionId: string, runId: string) =>
  eventually(
    async () =>
      (await done(app, 'automations/listRuns', { functionId })).find((run: { id: string }) => run.id === runId),
    (run) => run?.status === 'success' || run?.status === 'error',
  );
const tries = (site: ReturnType<typeof visitorsOf>, word: string, address: string) =>
  site.post('auth/login', { email: ada, password: word }, undefined, { 'x-forwarded-for': address });

async function prepared() {
  const webhookOf = (functionId: string) => done(app, 'automations/createWebhook', { functionId });

  const broken = await activeFunction(app, "throw new Error('broken')");
  const { body: failing } = await post((await webhookOf(broken)).token, '{}', { prefer: 'respond-async' });
  await runOver(broken, failing.runId);
  await update(broken, { code: 'return 1', seenUpdatedAt: await updatedAt(broken) });
  const { versions } = await done(app, 'automations/listFunctionVersions', { functionId: broken });
  const { id: versionId } = versions.find(({ state }: { state: string }) => state === 'draft');
  await done(app, 'automations/publishFunction', { id: broken, versionId });

  const random = await activeFunction(app, 'return Math.random()');
  const { token } = await webhookOf(random);
  const ruled = await webhookOf(random);
  await done(app, 'automations/setWebhookVerification', { id: ruled.id, scheme: 'github', secret });

  const { id: tool } = await done(app, 'automations/createFunction', { name: 'same', code: 'return 1', toolSpec });
  expect(await saveTool(tool)).toBeNull();

  const { key } = await person(app, 'viewer');
  const { decisionId } = (await app.call('workspace/updateSettings', {}, key)).body;

  const signedIn = await siteVisitors(app);
  const { id: userId } = await signedIn.user(ada);
  const locked = await siteVisitors(app);
  await locked.user(ada);
  for (let n = 0; n < 10; n += 1) await tries(locked, 'wrong horse', `198.51.100.${n}`);

  return {
    replayed: { functionId: broken, runId: failing.runId as string },
    delivered: { functionId: random, token, answers: await deliveries(token) },
    ruled: ruled.token as string,
    tool,
    decisionId: decisionId as string,
    pass: { userId, projectId: signedIn.projectId, token: await signedIn.logIn(ada) },
    locked: locked.projectId,
  };
}

describe('after a restart', () => {
  it('a run that failed can be replayed', async () => {
    const { functionId, runId: failed } = before.replayed;
    const { runId } = await done(app, 'automations/replayRun', { runId: failed });
    expect((await runOver(functionId, runId)).status).toBe('success');
  });

  it('a delivery to a webhook is recognised, and runs nothing again', async () => {
    const { functionId, token, answers } = before.delivered;
    expect(await deliveries(token)).toEqual(answers);
    expect(await done(app, 'automations/listRuns', { functionId })).toHaveLength(2);
  });

  it('the verification of a webhook still applies', async () => {
    expect((await post(before.ruled, '{}', signedBy.github(secret, '{}'))).status).toBe(200);
    expect((await post(before.ruled, '{}', {})).status).toBe(403);
  });

  it('an unchanged tool of a function is no change', async () => {
    expect(await saveTool(before.tool)).toBeNull();
  });

  it('the id of a refusal is explained', async () => {
    const told = await done(app, 'workspace/explainDecision', { id: before.decisionId });
    expect(told).toMatchObject({ code: 'viewer-refused', allowed: false });
  });

  it('visitors are still signed in', async () => {
    const { userId, projectId, token } = before.pass;
    expect((await visitorsOf(app, projectId).me(token))?.id).toBe(userId);
  });

  it('the failed sign-ins of an email still lock it', async () => {
    const { status, body } = await tries(visitorsOf(app, before.locked), password, '192.0.2.1');
    expect([status, body.code]).toEqual([429, 'sign-in-tries']);
  });
});

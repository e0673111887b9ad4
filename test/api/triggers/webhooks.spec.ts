// Engines: one process, and several.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { approved } from '../../support/approved.js';
import { eventually } from '../../support/eventually.js';
import { onSeveral } from '../../support/shared-app.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

let app: OutsideApp;
beforeAll(async () => {
  app = await sharedOutside({ several: onSeveral });
});
afterAll(() => app.close());

let made = 0;
async function active(code: string, more: object = {}) {
  const fn = (await app.call('automations/createFunction', { name: `hook ${made++}`, code, ...more })).body;
  await app.call('automations/updateFunction', { id: fn.id, isActive: true });
  return fn;
}

async function hooked(code: string, more: object = {}) {
  const fn = await active(code, more);
  const { body } = await app.call('automations/createWebhook', { functionId: fn.id });
  return { fn, id: body.id as string, token: body.token as string };
}

const path = (token: string) => `/api/automations/functions/webhook/${token}`;
const post = (token: string, body: unknown, headers: Record<string, string> = {}) =>
  app.send('POST', path(token), JSON.stringify(body), { 'content-type': 'application/json', ...headers });
const runsOf = async (functionId: string) => (await app.call('automations/listRuns', { functionId })).body;

describe('a webhook', () => {
  it('runs its function with the body as params and answers { success, data } and X-Run-Id', async () => {
    const { fn, token } = await hooked('return { sum: params.items.reduce((a, b) => a + b, 0) }');
    const { status, body, headers } = await post(token, { items: [1, 2, 3] });
    expect({ status, body }).toEqual({ status: 200, body: { success: true, data: { sum: 6 } } });
    const runs = await runsOf(fn.id);
    expect(runs.map((run: { id: string }) => run.id)).toEqual([headers.get('x-run-id')]);
    expect(runs[0]).toMatchObject({ status: 'success', startedBy: 'Webhook', source: 'api', attempt: 1, error: null });
  });

  it('passes the raw body and the headers in params._request', async () => {
    const { token } = await hooked('return params._request');
    const raw = '{ "a" : 1 }';
    const { body } = await app.send('POST', `${path(token)}?x=1&x=2&y=3`, raw, {
      'content-type': 'application/json; charset=utf-8',
      'x-signature': 'sha256=abc',
    });
    expect(body.data).toMatchObject({
      method: 'POST',
      body: raw,
      rawBody: raw,
      rawBodyEncoding: 'utf8',
      query: { x: ['1', '2'], y: '3' },
    });
    expect(body.data.headers).toMatchObject({ 'x-signature': 'sha256=abc' });
  });

  it.each([
    ['a form', 'a=1&b=2&b=3', 'application/x-www-form-urlencoded', { a: '1', b: ['2', '3'] }],
    ['an array', '[1,2]', 'application/json', { body: [1, 2] }],
    ['a number', '7', 'application/json', { body: 7 }],
    ['text', 'hello', 'text/plain', { body: 'hello' }],
    ['broken JSON', '{"a":', 'application/json', { body: '{"a":' }],
    ['nothing', '', 'application/json', {}],
  ])('accepts %s as in the contract', async (_, raw, type, expected) => {
    const { token } = await hooked('const { _request, ...rest } = params; return rest');
    const { body } = await app.send('POST', path(token), raw, { 'content-type': type });
    expect(body.data).toEqual(expected);
  });

  it('lets code verify a signature over params._request.body', async () => {
    const { fn, token } = await hooked(
      "return ctx.secrets.verifyHmac('SIGNING_KEY', params._request.body, params._request.headers['x-signature'])",
    );
    await app.call('automations/setEnvVar', { name: 'SIGNING_KEY', value: 'a signing key', allowedHosts: [] });
    const asked = await app.call('automations/setFunctionSecrets', {
      id: fn.id,
      secrets: [{ name: 'SIGNING_KEY', hosts: [] }],
    });
    await approved(app, asked);
    const raw = '{ "order" :\t"é" }\n';
    const signature = createHmac('sha256', 'a signing key').update(raw).digest('hex');
    const { body } = await app.send('POST', path(token), raw, { 'x-signature': signature });
    expect(body).toEqual({ success: true, data: true });
  });

  it('passes the raw text in an accepted run, in a retry and in a replay too', async () => {
    const { fn, token } = await hooked("throw new Error('got ' + params._request.body)", { maxRetries: 1 });
    const { body } = await app.send('POST', path(token), 'plain text', { prefer: 'respond-async' });
    const retried = (runId: string) =>
      eventually(
        async () => (await runsOf(fn.id)).find(({ id }: { id: string }) => id === runId),
        (run) => run?.status === 'error' && run.attempt === 2,
      );
    const over = (runId: string) => app.clock.hasten(() => retried(runId));
    expect((await over(body.runId)).error).toContain('got plain text');
    const replay = await app.call('automations/replayRun', { runId: body.runId });
    expect((await over(replay.body.runId)).error).toContain('got plain text');
  });

  it('passes bytes that are not text as base64, and has no raw text of them', async () => {
    const { token } = await hooked(
      'const { body, rawBody, rawBodyEncoding } = params._request; return [params.body === rawBody, body, rawBodyEncoding]',
    );
    const raw = new Uint8Array([0xff, 0xfe, 0x00]);
    const { body } = await app.send('POST', path(token), raw, { 'content-type': 'application/octet-stream' });
    expect(body.data).toEqual([true, null, 'base64']);
  });

  it('passes bytes that are not text as base64, in params.body too', async () => {
    const { token } = await hooked('return [params.body, params._request.rawBodyEncoding]');
    const bytes = new Uint8Array([0xff, 0xfe, 0x00]);
    const { body } = await app.send('POST', path(token), bytes, { 'content-type': 'application/octet-stream' });
    expect(body.data).toEqual([Buffer.from(bytes).toString('base64'), 'base64']);
  });

  it('keeps a member called __proto__ as a member', async () => {
    const { token } = await hooked('return [Object.keys(params).includes("__proto__"), params.polluted === undefined]');
    const { body } = await app.send('POST', path(token), '{"__proto__":{"polluted":1}}', {
      'content-type': 'application/json',
    });
    expect(body.data).toEqual([true, true]);
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('answers 405 to %s and runs nothing', async (method) => {
    const { fn, token } = await hooked('return 1');
    const { status, headers, body } = await app.send(method, path(token));
    expect({ status, allow: headers.get('allow'), code: body.code }).toEqual({
      status: 405,
      allow: 'POST',
      code: 'method-not-allowed',
    });
    expect(await runsOf(fn.id)).toEqual([]);
  });

  it('answers 413 to more than 1 MB and runs nothing', async () => {
    const { fn, token } = await hooked('return 1');
    const { status, body } = await app.send('POST', path(token), 'x'.repeat(1024 * 1024 + 1), {
      'content-type': 'text/plain',
    });
    expect({ status, code: body.code }).toEqual({ status: 413, code: 'body-too-large' });
    expect(await runsOf(fn.id)).toEqual([]);
  });

  it("fails with 'target is INACTIVE' while its function is inactive, and the failed run is listed", async () => {
    const { fn, token } = await hooked('return 1');
    await app.call('automations/updateFunction', { id: fn.id, isActive: false });
    const { status, body, headers } = await post(token, {});
    expect({ status, success: body.success }).toEqual({ status: 500, success: false });
    expect(body.error).toContain('target is INACTIVE');
    const [run, ...others] = await runsOf(fn.id);
    expect(others).toEqual([]);
    expect(run).toMatchObject({ id: headers.get('x-run-id'), status: 'error', startedBy: 'Webhook' });
    expect(run.error).toContain('target is INACTIVE');
    await app.call('automations/updateFunction', { id: fn.id, isActive: true });
    expect((await post(token, {})).status).toBe(200);
  });

  it('answers a failing function with its own message in one line, never a stack', async () => {
    const { token } = await hooked('throw new Error("no such\\norder")');
    const { status, body } = await post(token, {});
    expect({ status, success: body.success }).toEqual({ status: 500, success: false });
    expect(body.error).toMatch(/^[^\n]*no such order[^\n]*$/);
    expect(JSON.stringify(body)).not.toMatch(/ at |\.js|node:/);
  });

  it('gives the same 404 for off, deleted, unknown and a deleted function', async () => {
    const off = await hooked('return 1');
    await app.call('automations/setWebhookActive', { id: off.id, isActive: false });
    const deleted = await hooked('return 1');
    await app.call('automations/deleteWebhook', { id: deleted.id });
    const orphan = await hooked('return 1');
    await app.call('automations/deleteFunction', { id: orphan.fn.id });
    const answers = await Promise.all(
      [off.token, deleted.token, orphan.token, 'nothing'].map((token) => post(token, {})),
    );
    const seen = answers.map(({ status, body: { requestId: _, ...body } }) => ({ status, body }));
    expect(new Set(seen.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(seen[0]).toMatchObject({ status: 404, body: { code: 'webhook-not-found' } });
    await app.call('automations/setWebhookActive', { id: off.id, isActive: true });
    expect((await post(off.token, {})).status).toBe(200);
  });

  it('retries a failing function as often as maxRetries says, each attempt visible', async () => {
    const { fn, token } = await hooked('throw new Error("again")', { maxRetries: 1 });
    expect((await app.clock.hasten(() => post(token, {}))).status).toBe(500);
    const [run] = await runsOf(fn.id);
    expect(run.attempts.map((attempt: { number: number }) => attempt.number)).toEqual([1, 2]);
    expect(run).toMatchObject({ status: 'error', attempt: 2 });
  });
});

describe('Prefer: respond-async', () => {
  it('answers 202 with the run id, and the run ends by itself', async () => {
    const { fn, token } = await hooked('console.log("hi"); return params.a');
    const { status, body, headers } = await post(token, { a: 1 }, { prefer: 'respond-async' });
    expect({ status, applied: headers.get('preference-applied') }).toEqual({ status: 202, applied: 'respond-async' });
    expect(body).toEqual({ runId: headers.get('x-run-id') });
    const [run] = await eventually(
      () => runsOf(fn.id),
      ([first]) => first?.status === 'success',
    );
    expect(run).toMatchObject({ id: body.runId, attempt: 1, startedBy: 'Webhook' });
    const log = await app.call('automations/getRunLog', { runId: body.runId });
    expect(log.body.lines).toEqual([{ at: expect.any(String), level: 'info', text: 'hi' }]);
  });

  it('keeps the order for one function', async () => {
    const { fn, token } = await hooked('return 1');
    const ids: string[] = [];
    for (let n = 0; n < 10; n++) ids.push((await post(token, { n }, { prefer: 'respond-async' })).body.runId);
    const runs = await eventually(
      () => runsOf(fn.id),
      (all) => all.every((run: { status: string }) => run.status === 'success'),
    );
    const byStart = [...runs].sort((a, b) => (a.attempts[0].startedAt < b.attempts[0].startedAt ? -1 : 1));
    expect(byStart.map((run) => run.id).sort()).toEqual([...ids].sort());
    expect(runs.map((run: { id: string }) => run.id)).toEqual([...ids].reverse());
  });
});

describe.each(['Idempotency-Key', 'webhook-id'])('a delivery with the header %s', (header) => {
  it('answers a repeated delivery with the first outcome and runs nothing', async () => {
    const { fn, token } = await hooked('return Math.random()');
    const first = await post(token, {}, { [header]: 'evt_1' });
    const again = await post(token, {}, { [header]: 'evt_1' });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('x-run-id')).toBe(first.headers.get('x-run-id'));
    expect(await runsOf(fn.id)).toHaveLength(1);
    expect((await post(token, {}, { [header]: 'evt_2' })).body).not.toEqual(first.body);
  });

  it('answers a failure again too', async () => {
    const { fn, token } = await hooked('throw new Error(String(Math.random()))');
    const first = await post(token, {}, { [header]: 'evt_f' });
    const again = await post(token, {}, { [header]: 'evt_f' });
    expect([again.status, again.body]).toEqual([500, first.body]);
    expect(await runsOf(fn.id)).toHaveLength(1);
  });

  it('runs once for fifty simultaneous deliveries', async () => {
    const { fn, token } = await hooked('return Math.random()');
    const all = await Promise.all(Array.from({ length: 50 }, () => post(token, {}, { [header]: 'evt_c' })));
    expect(new Set(all.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await runsOf(fn.id)).toHaveLength(1);
  });

  it('runs every delivery if the header is empty', async () => {
    const { fn, token } = await hooked('return Math.random()');
    const first = await post(token, {}, { [header]: '' });
    const second = await post(token, {}, { [header]: '' });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.headers.get('x-run-id')).not.toBe(first.headers.get('x-run-id'));
    expect(await runsOf(fn.id)).toHaveLength(2);
  });

  it('belongs to the webhook, not to all', async () => {
    const one = await hooked('return Math.random()');
    const other = await hooked('return Math.random()');
    await post(one.token, {}, { [header]: 'same' });
    await post(other.token, {}, { [header]: 'same' });
    expect(await runsOf(other.fn.id)).toHaveLength(1);
  });
});

describe('webhook operations', () => {
  it('createWebhook answers { id, token, url } with at least 128 random bits', async () => {
    const fn = await active('return 1');
    const { body } = await app.call('automations/createWebhook', { functionId: fn.id });
    expect(body).toEqual({
      id: expect.stringMatching(/^wh_/),
      token: expect.stringMatching(/^[A-Za-z0-9_-]{32}$/),
      url: expect.stringContaining(`/api/automations/functions/webhook/${body.token}`),
    });
  });

  it("refuses an inactive function with 'target is INACTIVE' and records nothing", async () => {
    const fn = (await app.call('automations/createFunction', { name: 'never active' })).body;
    const { status, body } = await app.call('automations/createWebhook', { functionId: fn.id });
    expect(status).toBe(409);
    expect(body.detail).toContain('target is INACTIVE');
    expect((await app.call('automations/listTriggers', { functionId: fn.id })).body).toEqual({
      webhooks: [],
      schedules: [],
    });
  });

  it("refuses kind 'site' if it is switched off", async () => {
    await app.call('workspace/updateSettings', { siteFunctionWebhooks: false });
    const { status, body } = await app.call('automations/createWebhook', { functionId: 'x', kind: 'site' });
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'site-webhooks-off' });
    expect(body.detail).toContain('cannot have a webhook yet');
    await app.call('workspace/updateSettings', { siteFunctionWebhooks: true });
    expect((await app.call('automations/createWebhook', { functionId: 'x', kind: 'site' })).status).toBe(404);
  });

  it('listTriggers shows the live links and when they were last used', async () => {
    const { fn, id, token } = await hooked('return 1');
    const before = await app.call('automations/listTriggers', { functionId: fn.id });
    const plain = { id, token, verification: null, keepInput: true };
    expect(before.body).toEqual({ webhooks: [{ ...plain, isActive: true, lastTriggered: null }], schedules: [] });
    await post(token, {});
    await app.call('automations/setWebhookActive', { id, isActive: false });
    const after = await app.call('automations/listTriggers', { functionId: fn.id });
    expect(after.body.webhooks).toEqual([{ ...plain, isActive: false, lastTriggered: expect.stringMatching(/Z$/) }]);
  });

  it('listAllWebhooks shows every webhook, newest first, without its link', async () => {
    const older = await hooked('return 1');
    const newer = await hooked('return 1');
    const { body } = await app.call('automations/listAllWebhooks');
    expect(body.slice(0, 2).map((item: { id: string }) => item.id)).toEqual([newer.id, older.id]);
    expect(body[1]).toEqual({
      id: older.id,
      lane: 'account_function',
      siteId: null,
      siteName: null,
      targetId: older.fn.id,
      targetName: older.fn.name,
      triggerId: null,
      isActive: true,
      lastTriggered: null,
      createdAt: expect.any(String),
      verification: null,
      keepInput: true,
    });
    expect(JSON.stringify(body)).not.toContain(older.token);
  });

  it('is implied by the deletion of its function', async () => {
    const { fn, id } = await hooked('return 1');
    await app.call('automations/deleteFunction', { id: fn.id });
    const { body } = await app.call('automations/listAllWebhooks');
    expect(body.map((item: { id: string }) => item.id)).not.toContain(id);
    const history = await eventually(
      () => app.call('audit/getHistory', { kind: 'webhook', id }),
      ({ body: { events } }) => events.length === 2,
    );
    expect(history.body.events[1]).toMatchObject({
      type: 'WebhookDeleted',
      data: { reason: 'function-deleted' },
      actor: { kind: 'system', name: 'deleted-targets-take-their-triggers' },
      causationId: expect.any(String),
    });
    expect((await app.call('automations/setWebhookActive', { id, isActive: true })).status).toBe(404);
  });

  it('never put a token into the log, the audit or an error', async () => {
    const { id, token } = await hooked('return 1');
    await post(token, {});
    await app.call('automations/deleteWebhook', { id });
    const audit = await app.call('audit/listEvents', { limit: 200 });
    expect(JSON.stringify(audit.body)).not.toContain(token);
    expect(JSON.stringify((await post(token, {})).body)).not.toContain(token);
  });
});

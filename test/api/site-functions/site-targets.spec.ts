import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventScene, eventScene } from '../../support/automations/event-triggers.js';
import { eventually } from '../../support/eventually.js';
import { mailsOf } from '../../support/mail/mailhooks.js';
import { mailWith } from '../../support/mail/mails.js';
import { deliver } from '../../support/mail/smtp-client.js';
import { done, person } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

let app: OutsideApp;
let port: number;
let projectId: string;
let scene: EventScene;
beforeAll(async () => {
  app = await sharedOutside();
  ({ smtpPort: port } = app);
  await done(app, 'workspace/updateSettings', { versions: false });
  scene = eventScene(app);
});
afterAll(() => app.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Shop' })).id;
});

let made = 0;
const site = async (
  code = 'return params',
  more: object = {},
): Promise<{ readonly id: string; readonly name: string }> =>
  done(app, 'site/createBackendFunction', { projectId, name: `fn_${made++}`, code, ...more });
const inactive = (functionId: string) =>
  done(app, 'site/updateBackendFunction', { projectId, functionId, isActive: false });
const webhook = (functionId: string) => done(app, 'automations/createWebhook', { functionId, kind: 'site' });
const refused = async (operation: string, body: object, key?: string) => {
  const reply = await app.call(operation, body, key);
  return [reply.status, reply.body.code];
};
const path = (token: string) => `/api/automations/functions/webhook/${token}`;
const post = (token: string, body: unknown, headers: Record<string, string> = {}) =>
  app.send('POST', path(token), JSON.stringify(body), { 'content-type': 'application/json', ...headers });
async function without<T>(off: 'siteFunctionWebhooks' | 'siteFunctionTargets', work: () => Promise<T>): Promise<T> {
  await done(app, 'workspace/updateSettings', { [off]: false });
  try {
    return await work();
  } finally {
    await done(app, 'workspace/updateSettings', { [off]: true });
  }
}
const runOf = async (runId: string | null) => {
  const { runs } = await done(app, 'site/listFunctionRuns', { projectId, limit: 200 });
  return runs.find(({ id }: { id: string }) => id === runId);
};

describe('a webhook of a site function', () => {
  it('runs it without an execute rule, and answers { success, data } and nothing else', async () => {
    const fn = await site('return { sum: params.a + params.b }');
    const { id, token } = await webhook(fn.id);
    expect(id).toMatch(/^wh_/);
    const { status, body, headers } = await post(token, { a: 1, b: 2 });
    expect([status, body]).toEqual([200, { success: true, data: { sum: 3 } }]);
    expect(await runOf(headers.get('x-run-id'))).toMatchObject({
      functionId: fn.id,
      source: 'api',
      startedBy: 'Webhook',
      status: 'success',
    });
  });

  it('passes the raw body and the signing headers, and the files of a form', async () => {
    const hook = await webhook((await site('return params._request')).id);
    const raw = '{ "a" : 1 }';
    const { body } = await app.send('POST', path(hook.token), raw, {
      'content-type': 'application/json',
      'x-signature': 'sha256=abc',
    });
    expect(body.data).toMatchObject({ body: raw, headers: { 'x-signature': 'sha256=abc' } });
    const files = await webhook((await site('return ctx.files.read(params.f.fileId)')).id);
    const form = new FormData();
    form.set('f', new Blob(['in a form']), 'f.txt');
    const response = await fetch(`${app.url}${path(files.token)}`, { method: 'POST', body: form });
    const { data } = (await response.json()) as { data: unknown };
    expect(data).toMatchObject({ name: 'f.txt', base64: Buffer.from('in a form').toString('base64') });
  });

  it("answers a failure with the function's own message, and an inactive function with a failed run", async () => {
    const failing = await webhook((await site("throw new Error('Sold out')")).id);
    const { status, body } = await post(failing.token, {});
    expect([status, body]).toEqual([500, { success: false, error: expect.stringContaining('Sold out') }]);
    const fn = await site();
    const { token } = await webhook(fn.id);
    await inactive(fn.id);
    const off = await post(token, {});
    expect(off.body).toEqual({ success: false, error: expect.stringContaining('target is INACTIVE') });
    expect(await runOf(off.headers.get('x-run-id'))).toMatchObject({ functionId: fn.id, status: 'error' });
  });

  it('answers 202 at once if that is preferred, and starts one run for a repeated delivery', async () => {
    const { token } = await webhook((await site('return Math.random()')).id);
    const accepted = await post(token, {}, { prefer: 'respond-async' });
    expect([accepted.status, accepted.body]).toEqual([202, { runId: expect.stringMatching(/^run_/) }]);
    const once = { 'idempotency-key': 'delivery-7' };
    const [first, second] = [await post(token, {}, once), await post(token, {}, once)];
    expect(second.body).toEqual(first.body);
  });

  it('is refused while it is switched off; existing ones remain listed, do not run, and state why', async () => {
    const fn = await site();
    const { id, token } = await webhook(fn.id);
    await without('siteFunctionWebhooks', async () => {
      const again = await app.call('automations/createWebhook', { functionId: fn.id, kind: 'site' });
      expect([again.status, again.body.code]).toEqual([403, 'site-webhooks-off']);
      const called = await post(token, {});
      expect([called.status, called.body.detail]).toEqual([403, expect.stringContaining('siteFunctionWebhooks')]);
      const listed = await done(app, 'automations/listTriggers', { functionId: fn.id, kind: 'site' });
      expect(listed.webhooks).toMatchObject([{ id, isActive: true, lastTriggered: null }]);
    });
    expect((await post(token, {})).status).toBe(200);
  });

  it('requires a function that exists, is active, and of the named kind', async () => {
    const fn = await site();
    const account = await scene.fn();
    const make = (body: object) => refused('automations/createWebhook', body);
    expect(await make({ functionId: fn.id })).toEqual([404, 'function-not-found']);
    expect(await make({ functionId: account, kind: 'site' })).toEqual([404, 'site-function-not-found']);
    await inactive(fn.id);
    expect(await make({ functionId: fn.id, kind: 'site' })).toEqual([409, 'target-inactive']);
  });

  it('is listed with its site, its link only for those who may edit, and deleted with its function', async () => {
    const fn = await site();
    const { id, token } = await webhook(fn.id);
    const listed = await done(app, 'automations/listTriggers', { functionId: fn.id, kind: 'site' });
    expect(listed).toEqual({ webhooks: [expect.objectContaining({ id, token })], schedules: [] });
    const all: readonly { readonly id: string }[] = await done(app, 'automations/listAllWebhooks');
    expect(all.find((one) => one.id === id)).toMatchObject({
      lane: 'site_function',
      siteId: projectId,
      siteName: 'Shop',
      targetId: fn.id,
      targetName: fn.name,
    });
    expect(JSON.stringify(all)).not.toContain(token);
    const viewer = (await person(app, 'viewer')).key;
    const list = { functionId: fn.id, kind: 'site' };
    expect((await app.call('automations/listTriggers', list, viewer)).status).toBe(403);
    await done(app, 'site/deleteBackendFunction', { projectId, functionId: fn.id });
    expect((await post(token, {})).status).toBe(404);
    await eventually(
      () => done(app, 'automations/listAllWebhooks'),
      (left) => !left.some((one: { id: string }) => one.id === id),
    );
  });
});

describe('a mailhook of a site function', () => {
  const target = (targetRef: string) => ({ name: 'Orders', targetKind: 'site_function', targetRef });
  const send = (address: string) => deliver(port, address, mailWith([], [`Message-ID: <${made++}@example.com>`]));
  const settled = (id: string, count = 1) =>
    eventually(
      () => mailsOf(app, id),
      (mails) => mails.length === count && mails.every(({ status }: { status: string }) => status !== 'received'),
      30_000,
    );

  it('runs it with the mail, with source event', async () => {
    const fn = await site();
    const { id, address } = await done(app, 'automations/createMailhook', target(fn.id));
    await send(address);
    const [mail] = await settled(id);
    expect(mail).toMatchObject({ status: 'ok', error: null });
    expect(await runOf(mail.runId)).toMatchObject({
      functionId: fn.id,
      source: 'event',
      startedBy: 'Mailhook',
    });
  });

  it('is refused while site functions are no targets; existing ones remain listed, and their mail states why', async () => {
    const fn = await site();
    const { id, address } = await done(app, 'automations/createMailhook', target(fn.id));
    await without('siteFunctionTargets', async () => {
      expect(await refused('automations/createMailhook', target(fn.id))).toEqual([403, 'site-targets-off']);
      const { mailhooks } = await done(app, 'automations/listMailhooks');
      expect(mailhooks.find((hook: { id: string }) => hook.id === id)).toMatchObject({ isActive: true });
      await send(address);
      const [mail] = await settled(id);
      expect(mail).toMatchObject({ status: 'failed', error: expect.stringContaining('siteFunctionTargets') });
      expect(await runOf(mail.runId)).toBeUndefined();
    });
    const [kept] = await mailsOf(app, id);
    await done(app, 'automations/rerunInboundEmail', { id: kept.id });
    const [mail] = await eventually(
      () => settled(id),
      ([one]) => one.status === 'ok',
    );
    expect(await runOf(mail.runId)).toMatchObject({ status: 'success' });
  });

  it('is deleted with its function', async () => {
    const fn = await site();
    const { id } = await done(app, 'automations/createMailhook', target(fn.id));
    await done(app, 'site/deleteBackendFunction', { projectId, functionId: fn.id });
    await eventually(
      () => done(app, 'automations/listMailhooks'),
      ({ mailhooks }) => !mailhooks.some((hook: { id: string }) => hook.id === id),
    );
  });
});

describe('an event trigger of a site function', () => {
  const add = (targetRef: string, event: string, more: object = {}) =>
    scene.ok('addEventTrigger', { event, targetKind: 'site_function', targetRef, ...more });

  it('runs it with event and trigger, with source event, without an execute rule', async () => {
    const fn = await site();
    const trigger = await add(fn.id, 'custom.order', { config: { params: { lane: 'a' } } });
    expect(trigger).toMatchObject({ targetKind: 'site_function', targetRef: fn.id, targetName: fn.name });
    await scene.ok('raise', { name: 'order', properties: { size: 3 } });
    const [run] = await scene.over(trigger.id);
    expect(run).toMatchObject({ status: 'ok', reason: null });
    const { runs } = await done(app, 'site/listFunctionRuns', { projectId, functionId: fn.id });
    expect(runs).toMatchObject([{ source: 'event', startedBy: 'Event', status: 'success' }]);
  });

  it('is refused while site functions are no targets, and existing ones are skipped with switched-off', async () => {
    const fn = await site();
    const trigger = await add(fn.id, 'custom.later');
    await without('siteFunctionTargets', async () => {
      const again = { event: 'custom.later', targetKind: 'site_function', targetRef: fn.id };
      expect(await refused('accountEvents/addEventTrigger', again)).toEqual([403, 'site-targets-off']);
      await scene.ok('raise', { name: 'later' });
      expect(await scene.over(trigger.id)).toMatchObject([{ status: 'skipped', reason: 'switched-off' }]);
      expect(await scene.ok('listEventTriggers', { targetRef: fn.id })).toMatchObject([{ isActive: true }]);
    });
  });

  it('is skipped with its reason if its function is inactive or deleted, and remains', async () => {
    const fn = await site();
    const trigger = await add(fn.id, 'custom.reason');
    await inactive(fn.id);
    await scene.ok('raise', { name: 'reason' });
    expect(await scene.over(trigger.id)).toMatchObject([{ status: 'skipped', reason: 'target-inactive' }]);
    await done(app, 'site/deleteBackendFunction', { projectId, functionId: fn.id });
    await scene.ok('raise', { name: 'reason' });
    const [last] = await scene.over(trigger.id, 2);
    expect(last).toMatchObject({ status: 'skipped', reason: 'target-missing' });
    expect(await scene.ok('listEventTriggers', { targetRef: fn.id })).toMatchObject([{ targetName: null }]);
  });

  it('ends after eight rounds if its function raises the event again', async () => {
    const fn = await site("await ctx.events.emit('round', { properties: { n: params.event.properties.n + 1 } })");
    const trigger = await add(fn.id, 'custom.round');
    await scene.ok('raise', { name: 'round', properties: { n: 0 } });
    const runs = await eventually(
      () => scene.runs(trigger.id, { limit: 200 }),
      (all) => all.some(({ status }) => status === 'skipped'),
      30_000,
    );
    expect(runs.filter(({ status }) => status === 'skipped')).toMatchObject([{ reason: 'loop' }]);
    expect(runs.filter(({ status }) => status !== 'skipped')).toHaveLength(8);
  });

  it("gets events of the function's own runs as those of a site function", async () => {
    const fn = await site('return 1');
    const listener = await scene.fn('return params');
    const filters = [{ field: 'subject.name', op: 'eq', value: fn.name }];
    const trigger = await scene.add(listener, 'function.run_succeeded', { filters });
    await done(app, 'site/invokeBackendFunction', { projectId, functionName: fn.name });
    const [run] = await scene.over(trigger.id);
    expect(run?.event.subject).toEqual({ type: 'siteFunction', id: fn.id, name: fn.name });
    expect(run?.event.properties.siteId).toBe(projectId);
  });
});

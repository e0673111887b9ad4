// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/mail/free-port.js';
import { hooked, mailsOf, settled } from '../../support/mail/mailhooks.js';
import { mailOf, ordinary } from '../../support/mail/mails.js';
import { deliver } from '../../support/mail/smtp-client.js';

let app: TestApp;
let port: number;
beforeAll(async () => {
  port = await freePort();
  app = await startApp({ environment: { SMTP_IN_PORT: String(port), MAILHOOK_DOMAIN: 'Hooks.Example.com' } });
});
afterAll(() => app.close());

let made = 0;
async function functionId(): Promise<string> {
  return (await app.call('automations/createFunction', { name: `target ${made++}`, code: 'return 1' })).body.id;
}
const create = async (more: object = {}) =>
  app.call('automations/createMailhook', {
    name: 'Orders',
    targetKind: 'account_function',
    targetRef: await functionId(),
    ...more,
  });
const listed = async (more: object = {}) => (await app.call('automations/listMailhooks', more)).body.mailhooks;

describe('a mailhook', () => {
  it('is created with a generated address at the mailhook domain, even for an inactive function', async () => {
    const { status, body } = await create();
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^mh_/),
      address: expect.stringMatching(/^in-[0-9a-z]{26}@hooks\.example\.com$/),
      name: 'Orders',
      targetKind: 'account_function',
      targetRef: expect.stringMatching(/^fn_/),
      projectId: null,
      keepInput: true,
      isActive: true,
      receivedCount: 0,
      lastReceivedAt: null,
    });
    expect((await create()).body.address).not.toBe(body.address);
    expect(await listed()).toContainEqual(body);
  });

  it.each([
    ['a function that is not there', { targetRef: 'fn_none' }, 404, 'target-not-found'],
    ['a flow, of which there is none', { targetKind: 'flow' }, 404, 'target-not-found'],
    ['an agent, of which there is none', { targetKind: 'specialist' }, 404, 'target-not-found'],
    ['a word that is no kind', { targetKind: 'person' }, 400, 'invalid-input'],
    ['a site that is not there', { projectId: 'site_none' }, 404, 'site-not-found'],
    ['no name', { name: '' }, 400, 'invalid-input'],
  ])('is refused for %s', async (_, more, status, code) => {
    const reply = await create(more);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  });

  it('is refused for a site function while these are switched off as targets', async () => {
    await app.call('workspace/updateSettings', { siteFunctionTargets: false });
    const { status, body } = await create({ targetKind: 'site_function', targetRef: 'sfn_1' });
    expect([status, body.code]).toEqual([403, 'site-targets-off']);
    await app.call('workspace/updateSettings', { siteFunctionTargets: true });
  });

  it('accepts each change separately, and then shows no address', async () => {
    const { id, address, ...before } = (await create()).body;
    const other = await functionId();
    const change = async (more: object) => (await app.call('automations/updateMailhook', { id, ...more })).body;
    expect(await change({ name: 'Bills' })).toEqual({ ...before, id, name: 'Bills' });
    expect(await change({ targetKind: 'account_function', targetRef: other })).toMatchObject({ targetRef: other });
    expect(await change({ isActive: false })).toMatchObject({ isActive: false, name: 'Bills', targetRef: other });
    expect(await change({ projectId: null })).toMatchObject({ projectId: null });
    expect((await listed()).find((hook: { id: string }) => hook.id === id).address).toBe(address);
  });

  it.each([{ targetKind: 'account_function' }, { targetRef: 'fn_1' }])('refuses half of a target: %j', async (half) => {
    const { id } = (await create()).body;
    const { status, body } = await app.call('automations/updateMailhook', { id, ...half });
    expect([status, body.code]).toEqual([400, 'mailhook-target-halved']);
  });

  it.each([
    [{ targetKind: 'account_function', targetRef: 'fn_none' }, 404, 'target-not-found'],
    [{ projectId: 'site_none' }, 404, 'site-not-found'],
  ])('refuses a change to %j', async (change, status, code) => {
    const { id } = (await create()).body;
    const reply = await app.call('automations/updateMailhook', { id, ...change });
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  });

  it('sends mail to its new target from then on', async () => {
    const [one, two] = [await hooked(app, 'return 1'), await hooked(app, 'return 2')];
    await app.call('automations/updateMailhook', { id: one.id, targetKind: 'account_function', targetRef: two.fnId });
    await deliver(port, one.address, mailOf(ordinary()));
    const [{ runId }] = await settled(app, one.id);
    const runs = (await app.call('automations/listRuns', { functionId: two.fnId })).body;
    expect(runs.map((run: { id: string }) => run.id)).toEqual([runId]);
  });

  it('of a site uses mailboxes bound to it and those bound to none', async () => {
    const { id } = (await create()).body;
    expect((await listed({ projectId: 'site_1' })).map((hook: { id: string }) => hook.id)).toContain(id);
  });

  it('accepts no more mail once it is deleted, and its mail is deleted too', async () => {
    const { id, address } = await hooked(app, 'return 1');
    await deliver(port, address, mailOf(ordinary()));
    const [mail] = await settled(app, id);
    expect((await app.call('automations/deleteMailhook', { id })).body).toEqual({ success: true });
    expect(await deliver(port, address, mailOf(ordinary()))).toBe('550 5.1.1 There is no such address here');
    expect((await app.call('automations/listInboundEmails', { mailhookId: id })).status).toBe(404);
    expect((await app.call('automations/rerunInboundEmail', { id: mail.id })).status).toBe(404);
    expect((await app.call('automations/deleteMailhook', { id })).status).toBe(404);
    expect((await app.call('automations/updateMailhook', { id, name: 'x' })).status).toBe(404);
  });

  it('is deleted with its function', async () => {
    const { id, fnId, address } = await hooked(app, 'return 1');
    await app.call('automations/deleteFunction', { id: fnId });
    const history = await eventually(
      () => app.call('audit/getHistory', { kind: 'mailhook', id }),
      ({ body: { events } }) => events.length === 2,
    );
    expect(history.body.events[1]).toMatchObject({ type: 'MailhookDeleted', data: { reason: 'function-deleted' } });
    expect(await deliver(port, address, mailOf(ordinary()))).toMatch(/^550/);
    expect((await listed()).map((hook: { id: string }) => hook.id)).not.toContain(id);
  });

  it('shows its address to nobody who may only read', async () => {
    const { id } = await hooked(app, 'return 1');
    const { body: member } = await app.call('workspace/addMember', {
      name: 'Vi',
      email: 'vi@example.com',
      role: 'viewer',
    });
    const viewer = (await app.call('workspace/createApiKey', { kind: 'person', memberId: member.id, name: 'v' })).body
      .key;
    const reader = (await app.call('workspace/createApiKey', { kind: 'connection', name: 'r', readOnly: true })).body
      .key;
    for (const key of [viewer, reader]) {
      expect(key).toEqual(expect.any(String));
      expect((await app.call('automations/listMailhooks', {}, key)).status).toBe(403);
      expect((await app.call('automations/createMailhook', {}, key)).status).toBe(403);
      expect((await app.call('automations/listInboundEmails', { mailhookId: id }, key)).status).toBe(200);
      expect((await app.call('automations/rerunInboundEmail', { id: 'x' }, key)).status).toBe(403);
    }
  });

  it('of another workspace is not found', async () => {
    expect(await mailsOf(app, 'mh_of_another')).toMatchObject({ code: 'mailhook-not-found' });
  });

  it('never has its address in the log, the audit, the metrics, or an answer that does not have to show it', async () => {
    const { id, address } = await hooked(app, 'throw new Error("no")');
    const secret = address.split('@')[0] ?? '';
    await deliver(port, address, mailOf([`To: ${address}`, 'From: a@b.c', `Message-ID: <${address}>`]));
    const mails = await settled(app, id);
    const replies = await Promise.all([
      app.call('audit/listEvents', { limit: 200 }),
      app.call('audit/getHistory', { kind: 'mailhook', id }),
      app.call('automations/updateMailhook', { id, targetKind: 'flow', targetRef: address }),
      app.call('automations/listMailhooks', { projectId: 7 }),
      app.send('GET', '/metrics'),
      app.send('GET', '/readyz'),
    ]);
    const shown = JSON.stringify([mails, ...replies.map(({ body }) => body)]);
    expect(shown).not.toContain(secret);
    expect(shown).toContain('countersign_mails_total');
  });
});

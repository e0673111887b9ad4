import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activeTarget, targetWords } from '../../support/automations/targets.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { type AssistantServer, writes } from '../../support/servers/assistant-server.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

let assistant: AssistantServer;
let app: OutsideApp;
beforeAll(async () => {
  app = await sharedOutside();
  ({ assistant } = app);
  assistant.plays(writes('Seen.'));
}, 60_000);
afterAll(() => app?.close());

const deliver = (token: string, body: object, headers: Record<string, string> = {}) =>
  app.send('POST', `/api/automations/functions/webhook/${token}`, JSON.stringify(body), {
    'content-type': 'application/json',
    ...headers,
  });
const listedWebhook = async (id: string) =>
  (await done(app, 'automations/listAllWebhooks')).find((webhook: { id: string }) => webhook.id === id);

describe.each(targetWords)('a webhook of %s', (word) => {
  it('runs it once with the delivery, and both lists show it', async () => {
    const target = await activeTarget(app, word, assistant);
    const { id, token } = await target.webhook();
    const fresh = { lane: target.kind, targetId: target.id, targetName: target.name, siteId: null, siteName: null };
    expect(await listedWebhook(id)).toMatchObject({ ...fresh, triggerId: null, isActive: true, lastTriggered: null });
    const { status, body, headers } = await deliver(token, { order: 7 }, { 'idempotency-key': 'once' });
    const again = await deliver(token, { order: 7 }, { 'idempotency-key': 'once' });
    expect([status, body]).toEqual(
      word === 'a function' ? [200, { success: true, data: 1 }] : [202, { runId: headers.get('x-run-id') }],
    );
    expect([again.status, again.body]).toEqual([status, body]);
    const [run] = await target.over();
    expect(run).toMatchObject({
      id: headers.get('x-run-id'),
      status: 'success',
      error: null,
      source: 'api',
      startedBy: 'Webhook',
    });
    expect(await target.inputs()).toMatchObject([{ order: 7, _request: { method: 'POST', rawBody: '{"order":7}' } }]);
    const used = (await listedWebhook(id)).lastTriggered;
    expect(used).toEqual(expect.any(String));
    const { webhooks, schedules } = await target.triggers();
    expect(webhooks).toMatchObject([{ id, token, isActive: true, lastTriggered: used }]);
    expect(schedules).toEqual([]);
  });

  it('that is inactive makes a failed run with that reason', async () => {
    const target = await activeTarget(app, word, assistant);
    const { token } = await target.webhook();
    await target.switchOff();
    await deliver(token, {});
    const [run] = await target.over();
    expect(run).toMatchObject({ status: 'error', error: expect.stringContaining('target is INACTIVE') });
    expect(await target.inputs()).toEqual([]);
  });

  it('is deleted with it', async () => {
    const target = await activeTarget(app, word, assistant);
    const { id, token } = await target.webhook();
    await target.remove();
    expect((await deliver(token, {})).status).toBe(404);
    expect(await listedWebhook(id)).toBeUndefined();
    const gone = async () => app.call('automations/setWebhookActive', { id, isActive: false });
    await eventually(gone, ({ status }) => status === 404);
  });
});

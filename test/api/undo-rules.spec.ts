import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Reply, startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { activeFunction } from '../support/flows.js';
import { done, keyOf, person } from '../support/people.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
}, 60_000);
afterAll(() => app?.close());

const json = { 'content-type': 'application/json' };

const last = async (kind: string, id: string) =>
  (await done(app, 'audit/getHistory', { kind, id, limit: 200 })).events.at(-1);
const undo = (position: number, key?: string): Promise<Reply> => app.call('audit/undoChange', { position }, key);
const refused = ({ status, body }: Reply) => [status, body.code];

describe('what undoing is no way round', () => {
  it('the rule for keys that never delete: they undo no making', async () => {
    const { id: memberId } = await person(app, 'editor');
    const key = await keyOf(app, { kind: 'person', memberId, neverDeletes: true });
    const id = await activeFunction(app, 'return 1');
    await done(app, 'automations/updateFunction', { id, description: 'one' });
    expect((await undo((await last('function', id)).position, key)).status).toBe(200);
    const { id: made } = await done(app, 'automations/createFunction', { name: 'Undo never', code: '' });
    expect(refused(await undo((await last('function', made)).position, key))).toEqual([403, 'key-never-deletes']);
  });

  it('a signature: a webhook whose secret was destroyed comes back off, and lets nothing in when switched on', async () => {
    const id = await activeFunction(app, 'return 1');
    const webhook = await done(app, 'automations/createWebhook', { functionId: id });
    const signed = { id: webhook.id, scheme: 'github', secret: 'a-long-enough-secret' };
    await done(app, 'automations/setWebhookVerification', signed);
    await done(app, 'automations/deleteFunction', { id });
    expect((await undo((await last('function', id)).position)).status).toBe(200);
    const back = await eventually(
      () => last('webhook', webhook.id),
      ({ type }) => type === 'WebhookRestored',
    );
    expect(back).toMatchObject({ data: { isActive: false, verification: { signature: { scheme: 'github' } } } });
    await done(app, 'automations/setWebhookActive', { id: webhook.id, isActive: true });
    const delivered = await app.send('POST', `/api/automations/functions/webhook/${webhook.token}`, '{}', json);
    expect([delivered.status, delivered.body.code]).toEqual([403, 'delivery-not-verified']);
  });

  it('the callers that it is for: no connection, and no code', async () => {
    const id = await activeFunction(app, 'return 1');
    const { position } = await last('function', id);
    for (const kind of ['connection', 'automation']) {
      expect((await undo(position, await keyOf(app, { kind }))).status).toBe(403);
    }
  });

  it('the end of a project: what was deleted in it stays gone', async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Undo gone' });
    const fn = await done(app, 'site/createBackendFunction', { projectId, name: 'inside', code: 'return 1' });
    await done(app, 'site/deleteBackendFunction', { projectId, functionId: fn.id });
    const { position } = await last('siteFunction', fn.id);
    await done(app, 'site/deleteProject', { id: projectId });
    expect((await undo(position)).status).toBe(404);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { PageClient } from '../support/page-client.js';
import { done, otherWorkspace, type Person, person } from '../support/people.js';

let app: TestApp;
let viewer: Person;
let editor: Person;
let functionId: string;
let position: number;
const hostile = `<script>alert(1)</script>" onmouseover="x" \u202e gpj`;
beforeAll(async () => {
  app = await startApp();
  [viewer, editor] = [await person(app, 'viewer'), await person(app, 'editor')];
  functionId = (await done(app, 'automations/createFunction', { name: 'Shown', code: 'return 1;' })).id;
  await done(app, 'automations/updateFunction', { id: functionId, description: hostile });
  position = (await done(app, 'audit/listEvents', { kind: 'function', limit: 1 })).events[0].position;
}, 60_000);
afterAll(() => app?.close());

const signedIn = async (key = app.ownerKey): Promise<PageClient> => {
  const client = new PageClient(app);
  expect((await client.signIn(key)).status).toBe(303);
  return client;
};
const everyPage = () => [
  '/audit',
  '/audit?kind=function&from=2000-01-01T00:00&to=2999-01-01T00:00',
  `/audit/events/${position}`,
  `/audit/resources/function/${functionId}`,
  `/audit/resources/function/${functionId}?version=1&from=0&to=${position}`,
  '/audit/export',
];

describe('the pages of the audit', () => {
  it('lead whoever is signed out to the sign-in page, and then to the page that was asked for', async () => {
    for (const path of everyPage()) {
      const client = new PageClient(app);
      const sent = await client.get(path);
      expect([path, sent.status, sent.location]).toEqual([
        path,
        303,
        `/approvals/sign-in?next=${encodeURIComponent(path)}`,
      ]);
      expect((await client.signIn(app.ownerKey, path)).location).toBe(path);
      expect((await client.get(path)).status).toBe(200);
    }
  });

  it.each(['//elsewhere.example', '/audit//elsewhere', '/audit/../..', 'https://elsewhere.example', '/audit?x=<'])(
    'lead to the approvals after signing in when a link says %s',
    async (next) => {
      expect((await new PageClient(app).signIn(app.ownerKey, next)).location).toBe('/approvals');
    },
  );

  it('show what people wrote as text, and name what is invisible', async () => {
    const client = await signedIn();
    for (const path of everyPage()) {
      const { text } = await client.get(path);
      expect([path, text.includes('<script>alert'), text.includes('\u202e')]).toEqual([path, false, false]);
    }
    const { text } = await client.get(`/audit/resources/function/${functionId}`);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect((await client.get(`/audit?kind=${encodeURIComponent(hostile)}`)).text).not.toContain('<script>alert');
  });

  it('are not kept, framed or scripted by others', async () => {
    const { headers } = await (await signedIn()).get('/audit');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  it('are read like the audit itself, which is on record', async () => {
    await (await signedIn(editor.key)).get(`/audit/resources/function/${functionId}`);
    const { events } = await done(app, 'audit/listEvents', { types: ['AuditRead'], actorId: editor.id });
    const asked = events.map(({ data }: { data: { operation: string } }) => data.operation);
    expect(new Set(asked)).toEqual(new Set(['audit/getHistory', 'audit/getStateAt']));
  });
});

describe('who sees what', () => {
  it('is what the audit shows them: no events of kinds they may not see, no export without the right', async () => {
    const schedule = await done(app, 'automations/createSchedule', { functionId, cronExpression: '0 3 * * *' });
    const client = await signedIn(viewer.key);
    expect((await client.get('/audit')).text).not.toContain(schedule.id);
    expect((await client.get(`/audit/resources/schedule/${schedule.id}`)).status).toBe(404);
    expect((await client.get('/audit')).text).not.toContain('/audit/export');
    expect((await client.get('/audit/export')).status).toBe(403);
    expect((await client.get('/api/v1/audit/export')).status).toBe(403);
  });

  it('is nothing of other workspaces, nor of what is not there', async () => {
    const other = await otherWorkspace(app);
    const client = await signedIn(other.ownerKey);
    for (const path of [
      `/audit/events/${position}`,
      `/audit/resources/function/${functionId}`,
      '/audit/events/999999999',
      '/audit/events/x',
      '/audit/resources/nothing/x',
      '/audit/nodes/event/x',
      '/audit/nodes/run/x',
      '/audit/decision?decision=dec_x',
    ]) {
      expect([path, (await client.get(path)).status]).toEqual([path, 404]);
    }
  });
});

describe('bad input', () => {
  it.each([
    '/audit?from=2999-01-01T00:00&to=2000-01-01T00:00',
    '/audit?before=-1',
    '/audit?before=abc',
    '/audit?kind=a&kind=b',
    '/audit?from=yesterday',
    `/audit?id=${'x'.repeat(500)}`,
    '/audit?type=__proto__',
  ])('never ends in a fault: %s', async (path) => {
    const { status, text } = await (await signedIn()).get(path);
    expect(status).toBeLessThan(500);
    expect(text).toContain('<h1>Audit</h1>');
  });

  it('of a comparison is told on the page', async () => {
    const client = await signedIn();
    const own = `/audit/resources/function/${functionId}`;
    for (const query of ['version=99999', 'version=0', 'after=999999', `from=${position}&to=0`, 'from=1&to=99999999']) {
      expect([query, (await client.get(`${own}?${query}`)).status]).toEqual([query, 200]);
    }
  });
});

describe('undoing on a page', () => {
  it('takes a form of this session only, and tells why it cannot', async () => {
    const fn = await done(app, 'automations/createFunction', { name: 'Undone on a page', code: 'return 1;' });
    await done(app, 'automations/updateFunction', { id: fn.id, description: 'wrong' });
    const [changed] = (await done(app, 'audit/listEvents', { id: fn.id, limit: 1 })).events;
    const page = `/audit/events/${changed.position}`;
    const client = await signedIn();
    expect((await client.post(`${page}/undo`, { token: 'x' })).status).toBe(403);
    expect((await (await signedIn(viewer.key)).submit(page, `${page}/undo`)).status).toBe(403);
    expect((await client.submit(page, `${page}/undo`)).status).toBe(303);
    const again = await client.submit(page, `${page}/undo`);
    expect([again.status, again.text.includes('has changed since')]).toEqual([409, true]);
    expect((await client.get(`${page}/undo`)).location).toBe(page);
  });
});

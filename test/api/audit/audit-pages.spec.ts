import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done, otherWorkspace, type Person, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { PageClient } from '../../support/sites/page-client.js';

let app: TestApp;
let viewer: Person;
let editor: Person;
let functionId: string;
let position: number;
const hostile = `<script>alert(1)</script>" onmouseover="x" \u202e gpj`;
beforeAll(async () => {
  app = await sharedApp();
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
  it('redirect signed-out persons to the sign-in page, and then to the requested page', async () => {
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
    'redirect to the approvals after sign-in if a link is %s',
    async (next) => {
      expect((await new PageClient(app).signIn(app.ownerKey, next)).location).toBe('/approvals');
    },
  );

  it('show text by users as plain text, and name invisible characters', async () => {
    const client = await signedIn();
    for (const path of everyPage()) {
      const { text } = await client.get(path);
      expect([path, text.includes('<script>alert'), text.includes('\u202e')]).toEqual([path, false, false]);
    }
    const { text } = await client.get(`/audit/resources/function/${functionId}`);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect((await client.get(`/audit?kind=${encodeURIComponent(hostile)}`)).text).not.toContain('<script>alert');
  });

  it('show changed lines of code, like cards, and texts in them as plain text', async () => {
    const code = ['// <script>alert(2)</script>', 'const one = 1;', 'return one;'].join('\n');
    const { id } = await done(app, 'automations/createFunction', { name: 'Lines', code });
    const { updatedAt: seenUpdatedAt } = await done(app, 'automations/getFunction', { id });
    const changed = code.replace('const one = 1;', 'const two = 2;');
    await done(app, 'automations/updateFunction', { id, code: changed, seenUpdatedAt });
    const { text } = await (await signedIn()).get(`/audit/resources/function/${id}`);
    const [, history = ''] = text.split('id="history"');
    expect(history).toMatch(/<ins>1 line added<\/ins>, <del>1 line removed<\/del>/);
    expect(history).toMatch(/<tr class="removed">.*const one = 1;/);
    expect(history).toMatch(/<tr class="added">.*const two = 2;/);
    expect(history).toContain('&lt;script&gt;alert(2)');
    expect(history).not.toContain('<script>alert');
  });

  it('show every line of a comparison by a link that preserves the rest of the query', async () => {
    const description = Array.from({ length: 60 }, (_, n) => `${n}`).join('\n');
    const { id } = await done(app, 'automations/createFunction', { name: 'Long', code: '', description });
    await done(app, 'automations/updateFunction', { id, description: `${description}\nlast` });
    const { events } = await done(app, 'audit/getHistory', { kind: 'function', id });
    const [from, to] = [events[0].position, events.at(-1).position];
    const client = await signedIn();
    const page = `/audit/resources/function/${id}`;
    const rows = (text: string) => text.split('id="history"')[0]?.match(/<tr class="same">/g)?.length ?? 0;
    const { text } = await client.get(`${page}?after=0&version=1&from=${from}&to=${to}`);
    expect(rows(text)).toBeLessThan(60);
    const [, link = ''] = /<a href="([^"]+)">show every line/.exec(text) ?? [];
    const whole = await client.get(`${page}${link.replaceAll('&amp;', '&')}`);
    expect(rows(whole.text)).toBe(60);
    expect(whole.text).toContain('Version 1 of');
    expect(whole.text).toContain('name="after" value="0"');
  });

  it('cannot be cached, framed or scripted by others', async () => {
    const { headers } = await (await signedIn()).get('/audit');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  it('are read with the rights for the audit, and readings are recorded', async () => {
    await (await signedIn(editor.key)).get(`/audit/resources/function/${functionId}`);
    const { events } = await done(app, 'audit/listEvents', { types: ['AuditRead'], actorId: editor.id });
    const asked = events.map(({ data }: { data: { operation: string } }) => data.operation);
    expect(new Set(asked)).toEqual(new Set(['audit/getHistory', 'audit/getStateAt']));
  });
});

describe('the content of the pages', () => {
  it('is what the audit shows the person: no events of hidden kinds, and no export without the right', async () => {
    const schedule = await done(app, 'automations/createSchedule', { functionId, cronExpression: '0 3 * * *' });
    const client = await signedIn(viewer.key);
    expect((await client.get('/audit')).text).not.toContain(schedule.id);
    expect((await client.get(`/audit/resources/schedule/${schedule.id}`)).status).toBe(404);
    expect((await client.get('/audit')).text).not.toContain('/audit/export');
    const noExport = await client.get('/audit/export');
    expect([noExport.status, noExport.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
    expect(noExport.text).toContain('Ask an Admin or the Owner for that right');
    expect(noExport.text).not.toContain('Download');
    expect((await client.get('/api/v1/audit/export')).status).toBe(403);
  });

  it('includes nothing of other workspaces and nothing unknown', async () => {
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
  ])('never causes a fault: %s', async (path) => {
    const { status, text } = await (await signedIn()).get(path);
    expect(status).toBeLessThan(500);
    expect(text).toContain('<h1>Audit</h1>');
  });

  it('for a comparison is reported on the page', async () => {
    const client = await signedIn();
    const own = `/audit/resources/function/${functionId}`;
    for (const query of ['version=99999', 'version=0', 'after=999999', `from=${position}&to=0`, 'from=1&to=99999999']) {
      expect([query, (await client.get(`${own}?${query}`)).status]).toEqual([query, 200]);
    }
  });
});

describe('undoing on a page', () => {
  it('asks first, accepts only a form of this session, explains a refusal, and reports what was undone', async () => {
    const fn = await done(app, 'automations/createFunction', { name: 'Undone on a page', code: 'return 1;' });
    await done(app, 'automations/updateFunction', { id: fn.id, description: 'wrong' });
    const [changed] = (await done(app, 'audit/listEvents', { id: fn.id, limit: 1 })).events;
    const page = `/audit/events/${changed.position}`;
    const client = await signedIn();
    expect((await client.post(`${page}/undo`, { token: 'x' })).status).toBe(403);
    const seeing = await signedIn(viewer.key);
    const refused = await seeing.get(`${page}/undo`);
    expect([refused.status, refused.text.includes('<h1>Undo')]).toEqual([403, false]);
    const asking = await client.get(`${page}/undo`);
    expect(asking.text).toContain('The undo is recorded and can itself be undone.');
    expect((await done(app, 'automations/getFunction', { id: fn.id })).description).toBe('wrong');
    const sent = await client.submit(`${page}/undo`, `${page}/undo`);
    expect(sent.status).toBe(303);
    const again = await client.post(`${page}/undo`, { token: tokenOf(asking.text) });
    expect([again.status, again.text.includes('has changed since')]).toEqual([409, true]);
    expect((await client.get(`${page}/undo`)).status).toBe(409);
    const undoing = (await client.get(sent.location ?? '')).text;
    expect(undoing).toContain(`This undid <a href="${page}">Function details changed</a>`);
    const undone = (await client.get(page)).text;
    expect(undone).toContain(`<a href="${sent.location}">the event that undid it</a>`);
    expect(undone).not.toContain('Undo this change');
    for (const list of ['/audit?kind=function', `/audit/resources/function/${fn.id}`])
      expect((await client.get(list)).text).toContain(`<a href="${sent.location}">the event that undid it</a>`);
  });

  it('offers no undo of the undo if there is none, and states why a kind cannot be undone', async () => {
    const { id: baseId } = await done(app, 'bases/createBase', { name: 'Pages base' });
    const fields = [{ name: 'title', type: 'text' }];
    const table = await done(app, 'bases/createTable', { baseId, name: 'Pages table', fields });
    const role = await roleMade();
    const client = await signedIn();
    const asking = await client.get(`/audit/events/${role}/undo`);
    expect([asking.status, asking.text.includes('The undo is recorded.')]).toEqual([200, true]);
    const [tableMade] = (await done(app, 'audit/listEvents', { id: table.id, limit: 1 })).events;
    const never = await client.get(`/audit/events/${tableMade.position}/undo`);
    expect([never.status, never.text.includes('role="alert"')]).toEqual([409, true]);
  });
});

const tokenOf = (page: string) => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '';

/** Returns the position of the creation of a role. Its undo deletes the role, and that deletion cannot be undone. */
async function roleMade(): Promise<number> {
  const { id: projectId } = await done(app, 'site/createProject', { name: 'Pages site' });
  const role = await done(app, 'site/createProjectRole', { projectId, name: 'Pages role' });
  return (await done(app, 'audit/listEvents', { id: role.id, limit: 1 })).events[0].position;
}

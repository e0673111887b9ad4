// Engines: one process.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { keyOf, type Person, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { fieldsOf, PageClient } from '../../support/sites/page-client.js';

let app: TestApp;
let admin: Person;
let editor: Person;
let viewer: Person;
beforeAll(async () => {
  app = await sharedApp();
  [admin, editor, viewer] = [await person(app, 'admin'), await person(app, 'editor'), await person(app, 'viewer')];
}, 60_000);
afterAll(() => app.close());

let made = 0;
const create = async (more: object = {}) =>
  (await app.call('automations/createFunction', { name: `fn ${made++}`, code: 'return 1', ...more })).body;
const get = async (id: string) => (await app.call('automations/getFunction', { id })).body;
const setPowers = async (id: string, input: object, key?: string) =>
  (await app.call('automations/setFunctionCapabilities', { id, ...input }, key)).body;
const propose = async (more: object = {}, key?: string) => {
  const fn = await create(more);
  return { fn, card: (await setPowers(fn.id, { capabilities: ['email'] }, key)).pendingChange };
};
const getCard = async (id: string) => (await app.call('approvals/getPendingChange', { id })).body;

const signedIn = async (key = app.ownerKey, at: TestApp = app) => {
  const client = new PageClient(at);
  expect((await client.signIn(key)).status).toBe(303);
  return client;
};

describe('the page of a card', () => {
  it('shows the change, and approves it for the person who reads it', async () => {
    const { fn, card } = await propose({}, editor.key);
    const client = await signedIn(admin.key);
    const path = `/approvals/${card.id}`;
    const { text } = await client.get(path);
    expect(text).toContain('<li class="added"><ins><span class="sign">+ new: </span><code>email</code>');
    const done = await client.submit(path, `${path}/approve`);
    expect([done.status, done.location]).toEqual([303, path]);
    expect((await get(fn.id)).capabilities).toEqual(['email']);
    const history = (await app.call('audit/getHistory', { kind: 'function', id: fn.id })).body.events;
    expect(history.at(-1)).toMatchObject({ type: 'FunctionPowersGiven', actor: { kind: 'person', id: admin.id } });
    const after = (await client.get(path)).text;
    expect(after).toMatch(/<strong>Approved<\/strong> by <bdi>The admin \d+<\/bdi> on <time/);
    expect(after).not.toContain('<form method="post" action="/approvals/change_');
  });

  it('rejects, with or without a reason', async () => {
    const client = await signedIn(editor.key);
    for (const reason of ['Not <b>now</b>\r\nlater', '  ']) {
      const { card } = await propose();
      const path = `/approvals/${card.id}`;
      expect((await client.submit(path, `${path}/reject`, { reason })).location).toBe(path);
      const rejected = await getCard(card.id);
      expect([rejected.status, rejected.reason]).toEqual(['rejected', reason.trim().replace('\r', '') || undefined]);
      expect((await client.get(path)).text.includes('<q>Not &lt;b&gt;now&lt;/b&gt;\nlater</q>')).toBe(
        reason.trim() !== '',
      );
    }
  });

  it('shows code line by line, what is added and removed, and every line on request', async () => {
    const lines = Array.from({ length: 30 }, (_, n) => `const line${n} = ${n};`);
    const fn = await create({ code: lines.join('\n') });
    const access = await setPowers(fn.id, { capabilities: ['service'], seenVersion: fn.version });
    await app.call('approvals/approvePendingChange', { id: access.pendingChange.id, hash: access.pendingChange.hash });
    const { updatedAt } = await get(fn.id);
    const code = lines.with(15, 'const line15 = "</script>";').join('\n');
    const saved = await app.call('automations/updateFunction', { id: fn.id, code, seenUpdatedAt: updatedAt });
    const published = await app.call('automations/publishFunction', {
      id: fn.id,
      versionId: saved.body.draft.versionId,
    });
    const path = `/approvals/${published.body.pendingChange.id}`;
    const client = await signedIn();
    const { text } = await client.get(path);
    const rows = (page: string) =>
      [...page.matchAll(/<tr class="(\w[\w-]*)"><td>(\d*)<\/td><td>(\d*)<\/td>.*<code>(.*)<\/code>/g)].map((row) =>
        row.slice(1),
      );
    expect(rows(text)).toEqual([
      ...[12, 13, 14].map((n) => ['same', `${n + 1}`, `${n + 1}`, `const line${n} = ${n};`]),
      ['removed', '16', '', 'const line15 = 15;'],
      ['added', '', '16', 'const line15 = &quot;&lt;/script&gt;&quot;;'],
      ...[16, 17, 18].map((n) => ['same', `${n + 1}`, `${n + 1}`, `const line${n} = ${n};`]),
    ]);
    expect(text).toContain('12 lines unchanged');
    expect(rows((await client.get(`${path}?lines=all`)).text)).toHaveLength(31);
  });

  it('reports that the base has moved, with the former and present state, and the requested one', async () => {
    const { fn, card } = await propose();
    const client = await signedIn();
    const path = `/approvals/${card.id}`;
    const fields = fieldsOf((await client.get(path)).text, `${path}/approve`);
    const other = (await setPowers(fn.id, { capabilities: ['env'], seenVersion: fn.version })).pendingChange;
    // The newer card replaced this one, so the refusal is another one than for a base that has moved.
    expect((await client.post(`${path}/approve`, fields)).status).toBe(409);
    await app.call('approvals/approvePendingChange', { id: other.id, hash: other.hash });
    const email = (await setPowers(fn.id, { capabilities: ['env', 'email'] })).pendingChange;
    await setPowers(fn.id, { remove: ['env'] });
    const newer = `/approvals/${email.id}`;
    const { status, text } = await client.submit(newer, `${newer}/approve`);
    expect(status).toBe(409);
    expect(text).toMatch(/role="alert">.* changed after this card was made \(function powers taken: .*, by Owner on /);
    expect(text).toContain('<dt>When it was asked for</dt>');
    expect(text).toContain('<dt>Now</dt>');
    expect((await get(fn.id)).capabilities).toEqual([]);
    const again = await client.get(`${newer}/approve`);
    expect([again.status, again.location]).toEqual([303, newer]);
  });

  it('shows the present state if it differs from the former one, or is deleted', async () => {
    await app.call('workspace/updateSettings', { actsAsWorkspaceSwitch: true });
    const fn = await create();
    const setMode = (mode: string, seenVersion?: string) =>
      app.call('automations/setFunctionIdentityMode', { id: fn.id, mode, seenVersion });
    const mode = (await setMode('workspace', fn.version)).body.pendingChange;
    await app.call('workspace/updateSettings', { actsAsWorkspaceSwitch: false, versions: false });
    await app.call('automations/updateFunction', { id: fn.id, code: 'return 9', seenUpdatedAt: fn.updatedAt });
    await app.call('workspace/updateSettings', { versions: true });
    const moved = await app.call('approvals/approvePendingChange', { id: mode.id, hash: mode.hash });
    expect([moved.status, moved.body.details.standing]).toEqual([409, { identityMode: 'as_set_up' }]);
    const { fn: gone, card } = await propose();
    await app.call('automations/deleteFunction', { id: gone.id });
    const path = `/approvals/${card.id}`;
    const { status, text } = await (await signedIn()).submit(path, `${path}/approve`);
    expect([status, text.includes('<em>It no longer exists.</em>')]).toEqual([409, true]);
  });

  it('approves only what was seen: the hash in the form is that of the page', async () => {
    const { card } = await propose();
    const client = await signedIn();
    const path = `/approvals/${card.id}`;
    const fields = fieldsOf((await client.get(path)).text, `${path}/approve`);
    expect(fields['hash']).toBe(card.hash);
    const { status, text } = await client.post(`${path}/approve`, { ...fields, hash: 'f'.repeat(64) });
    expect([status, text.includes('This is not the change that was seen')]).toEqual([409, true]);
    expect((await client.post(`${path}/approve`, { token: fields['token'] ?? '' })).status).toBe(400);
    expect((await getCard(card.id)).status).toBe('pending');
  });

  it('tells the second person that it was decided, and by whom', async () => {
    const { card } = await propose();
    const [one, two] = [await signedIn(admin.key), await signedIn(editor.key)];
    const path = `/approvals/${card.id}`;
    const fields = fieldsOf((await two.get(path)).text, `${path}/approve`);
    await one.submit(path, `${path}/reject`, { reason: 'too late' });
    const { status, text } = await two.post(`${path}/approve`, fields);
    expect(status).toBe(409);
    expect(text).toContain('This change is no longer pending: it is rejected.');
    expect(text).toMatch(/<strong>Rejected<\/strong> by <bdi>The admin/);
  });

  it('links from a card that was replaced to the newer one', async () => {
    const { fn, card } = await propose();
    const newer = (await setPowers(fn.id, { capabilities: ['env'] })).pendingChange;
    const { text } = await (await signedIn()).get(`/approvals/${card.id}`);
    expect(text).toContain(`<a href="/approvals/${newer.id}">See the newer request</a>`);
  });

  it('offers no decision to a person who may not decide, states why, and refuses it as well', async () => {
    const readOnly = await keyOf(app, { kind: 'person', memberId: editor.id, readOnly: true });
    const { card } = await propose();
    const path = `/approvals/${card.id}`;
    const own = await signedIn();
    for (const [key, why] of [
      [viewer.key, 'needs the right to edit functions'],
      [readOnly, 'This key is read-only'],
    ] as const) {
      const client = await signedIn(key);
      const { text } = await client.get(path);
      expect([text.includes(why), text.includes(`action="${path}`)]).toEqual([true, false]);
      const { token = '' } = fieldsOf(text, '/approvals/sign-out');
      for (const choice of ['approve', 'reject']) {
        expect((await client.post(`${path}/${choice}`, { token, hash: card.hash })).status).toBe(403);
      }
    }
    expect((await own.get(path)).text).toContain(`action="${path}/approve"`);
    expect((await getCard(card.id)).status).toBe('pending');
  });

  it('of a change for the Owner and Admins cannot be decided by Editors', async () => {
    await app.call('workspace/updateSettings', { actsAsWorkspaceSwitch: true });
    const fn = await create();
    const input = { id: fn.id, mode: 'workspace', seenVersion: fn.version };
    const card = (await app.call('automations/setFunctionIdentityMode', input)).body.pendingChange;
    await app.call('workspace/updateSettings', { actsAsWorkspaceSwitch: false });
    const path = `/approvals/${card.id}`;
    const { text } = await (await signedIn(editor.key)).get(path);
    expect(text).toContain('Only the Owner or an Admin can decide on this change');
    expect((await (await signedIn(admin.key)).submit(path, `${path}/approve`)).status).toBe(303);
  });

  it('with fourEyes lets the requester, and the person behind a requesting agent, only reject', async () => {
    const agent = (await app.call('workspace/addAgent', { name: 'Bo', memberId: editor.id })).body;
    const agentKey = await keyOf(app, { kind: 'agent', agentId: agent.id });
    await app.call('workspace/updateSettings', { fourEyes: true });
    const client = await signedIn(editor.key);
    for (const key of [editor.key, agentKey]) {
      const fn = await create();
      const { id, hash } = (await setPowers(fn.id, { capabilities: ['email'] }, key)).pendingChange;
      const path = `/approvals/${id}`;
      const { text } = await client.get(path);
      expect(text).toContain('people may not approve a change that they or their agent requested');
      expect(text).not.toContain(`${path}/approve`);
      const { token = '' } = fieldsOf(text, `${path}/reject`);
      expect((await client.post(`${path}/approve`, { token, hash })).status).toBe(403);
      expect((await client.submit(path, `${path}/reject`)).status).toBe(303);
    }
    await app.call('workspace/updateSettings', { fourEyes: false });
  });

  it('offers a key that never deletes no approval that would delete something, but a rejection', async () => {
    const never = await keyOf(app, { kind: 'person', memberId: admin.id, neverDeletes: true });
    const client = await signedIn(never);
    for (const card of [await losingHost(), await banByAgent()]) {
      const path = `/approvals/${card.id}`;
      const { text } = await client.get(path);
      expect(text).toContain('This key never deletes');
      expect([text.includes(`${path}/approve`), text.includes(`${path}/reject`)]).toEqual([false, true]);
      const { token = '' } = fieldsOf(text, `${path}/reject`);
      expect((await client.post(`${path}/approve`, { token, hash: card.hash })).status).toBe(403);
      expect((await (await signedIn(admin.key)).get(path)).text).toContain(`${path}/approve`);
    }
  });

  it('offers nothing on a closed card to those who may not ask again, and states why', async () => {
    const { fn, card } = await propose();
    await app.call('automations/deleteFunction', { id: fn.id });
    const path = `/approvals/${card.id}`;
    const { text } = await (await signedIn()).submit(path, `${path}/approve`);
    expect([text.includes(`action="${path}`), text.includes('There is no such function')]).toEqual([false, true]);
  });
});

async function losingHost() {
  const allowedHosts = ['old.example', 'new.example'];
  await app.call('automations/setEnvVar', { name: 'KEY', value: 'a-secret-of-some-length', allowedHosts });
  const { id } = await create();
  const set = async (host: string, more: object = {}) => {
    const secrets = [{ name: 'KEY', hosts: [host] }];
    return (await app.call('automations/setFunctionSecrets', { id, secrets, ...more })).body.pendingChange;
  };
  const first = await set('old.example');
  await app.call('approvals/approvePendingChange', { id: first.id, hash: first.hash });
  return set('new.example', { keepUntilApproved: true });
}

/** The card of an agent's call that bans a user. Only a trial of the call shows that it takes something away. */
async function banByAgent() {
  const agent = (await app.call('workspace/addAgent', { name: 'Scout' })).body;
  const key = await keyOf(app, { kind: 'agent', agentId: agent.id });
  const projectId = (await app.call('site/createProject', { name: `Shop ${made++}` })).body.id;
  const user = { projectId, email: 'user@example.org', password: 'correct horse' };
  const { id: userId } = (await app.call('site/createAppUser', user)).body;
  return (await app.call('site/updateAppUser', { projectId, userId, isBanned: true }, key)).body.pendingChange;
}

// Engines: one process.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { keyOf, otherWorkspace, type Person, person } from '../../support/people.js';
import { readStream } from '../../support/servers/event-stream.js';
import { fieldsOf, PageClient } from '../../support/sites/page-client.js';

let app: TestApp;
let admin: Person;
let editor: Person;
let viewer: Person;
beforeAll(async () => {
  app = await startApp();
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

/** A browser of somebody who is signed in. */
const signedIn = async (key = app.ownerKey, at: TestApp = app) => {
  const client = new PageClient(at);
  expect((await client.signIn(key)).status).toBe(303);
  return client;
};

describe('signing in', () => {
  it('leads whoever follows an approve link signed out to the sign-in page, and then to the card', async () => {
    const { fn, card } = await propose();
    const { approveLink } = await setPowers(fn.id, { capabilities: ['email'] });
    const path = new URL(approveLink).pathname;
    const client = new PageClient(app);
    const away = await client.get(path);
    expect([away.status, away.location]).toEqual([303, `/approvals/sign-in?next=${encodeURIComponent(path)}`]);
    expect(away.text).not.toContain(card.summary);
    const page = await client.get(away.location ?? '');
    expect(page.status).toBe(200);
    const { next = '' } = fieldsOf(page.text, '/approvals/sign-in');
    const back = await client.signIn(editor.key, next);
    expect([back.status, back.location]).toEqual([303, path]);
    const shown = await client.get(path);
    expect([shown.status, shown.text.includes('Your decision')]).toEqual([200, true]);
  });

  it('gives a cookie that scripts cannot read and other sites’ forms do not bring, for twelve hours', async () => {
    const { headers } = await new PageClient(app).signIn(app.ownerKey);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^countersign=[A-Za-z0-9_-]{32}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/),
      // The form was for this once.
      'countersign-form=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
    ]);
  });

  it('gives a Secure cookie of this host alone where links begin with https', async () => {
    const own = await startApp({ environment: { BASE_URL: 'https://approvals.example.org' } });
    try {
      const client = new PageClient(own);
      const { headers } = await client.signIn(own.ownerKey);
      expect(headers.getSetCookie()[0]).toMatch(
        /^__Host-countersign=[^;]+; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/,
      );
      expect((await client.get('/approvals')).status).toBe(200);
    } finally {
      await own.close();
    }
  });

  it('answers alike an unknown key, a revoked one, an empty one, and one that is no person’s own', async () => {
    const own = await startApp();
    try {
      const agent = (await own.call('workspace/addAgent', { name: 'Bo' })).body;
      const [gone, removed, memberId] = [await person(own, 'editor'), await person(own, 'editor'), agent.memberId];
      await own.call('workspace/revokeApiKey', { id: gone.keyId });
      await own.call('workspace/removeMember', { id: removed.id });
      const wanted = [{ kind: 'agent', agentId: agent.id }, { kind: 'connection', memberId }, { kind: 'automation' }];
      const others = await Promise.all([...wanted, { kind: 'flow' }].map((more) => keyOf(own, more)));
      const keys = ['csk_unknown', '', gone.key, removed.key, ...others];
      const browser = new PageClient(own);
      await browser.signInToken();
      const replies = await Promise.all(keys.map((key) => browser.signIn(key)));
      expect(replies[0]?.text).toContain('This key does not open these pages.');
      for (const { status, text, headers } of replies) {
        expect([status, text, headers.getSetCookie()]).toEqual([401, replies[0]?.text, []]);
        expect(headers.get('www-authenticate')).toBeNull();
      }
    } finally {
      await own.close();
    }
  });

  it('takes a key with blanks around it, as it comes out of a mail', async () => {
    expect((await new PageClient(app).signIn(`  ${editor.key}\n`)).status).toBe(303);
  });

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/approvals/../../x',
    '/approvals/sign-out',
    '/approvals/assets/x',
    '/approvals/a?b',
    'javascript:alert(1)',
  ])('goes on to the inbox and not to %s', async (next) => {
    const client = new PageClient(app);
    expect((await client.signIn(editor.key, next)).location).toBe('/approvals');
    expect((await client.get(`/approvals/sign-in?next=${encodeURIComponent(next)}`)).location).toBe('/approvals');
  });

  it('takes nothing but its form', async () => {
    const body = JSON.stringify({ key: app.ownerKey });
    const { status } = await app.send('POST', '/approvals/sign-in', body, { 'content-type': 'application/json' });
    expect(status).toBe(415);
  });

  it('is refused to another site’s form', async () => {
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
      const client = new PageClient(app, headers);
      const { status, headers: answered } = await client.signIn(app.ownerKey);
      expect([status, answered.getSetCookie()]).toEqual([403, []]);
    }
  });

  it.each([
    ['none', () => ''],
    ['one made up', () => 'a'.repeat(32)],
    ['that of another browser', () => new PageClient(app).signInToken()],
  ])('is refused to a form without a token of this browser, which no other site can have: %s', async (_, token) => {
    for (const opened of [true, false]) {
      const client = new PageClient(app, { origin: 'null' });
      if (opened) await client.signInToken();
      const form = { token: await token(), key: app.ownerKey, next: '/approvals' };
      const { status, text } = await client.post('/approvals/sign-in', form);
      expect([status, client.cookies.has('countersign')]).toEqual([403, false]);
      expect(text).toContain('was not sent from a page of your own session');
      const again = await client.post('/approvals/sign-in', { ...form, token: await client.signInToken() });
      expect(again.status).toBe(303);
    }
  });

  it('leaves no trace of the key in pages, headers or the data directory', async () => {
    const { readdirSync, readFileSync } = await import('node:fs');
    const { join } = await import('node:path');
    const { key } = await person(app, 'editor');
    const client = new PageClient(app);
    const replies = [await client.signIn(key), await client.get('/approvals')];
    const token = client.cookies.get('countersign') ?? '';
    for (const { text, headers } of replies) expect(JSON.stringify([text, [...headers]])).not.toContain(key);
    expect(replies[1]?.text).not.toContain(token);
    for (const file of readdirSync(app.dataDir)) {
      const bytes = readFileSync(join(app.dataDir, file));
      expect([file, bytes.includes(key), bytes.includes(token)]).toEqual([file, false, false]);
    }
  });
});

describe('a session', () => {
  const isIn = async (client: PageClient) => (await client.get('/approvals')).status === 200;

  it('ends at once when its key is revoked', async () => {
    const { key, keyId } = await person(app, 'editor');
    const client = await signedIn(key);
    await app.call('workspace/revokeApiKey', { id: keyId });
    expect(await isIn(client)).toBe(false);
  });

  it('ends when its member is removed, and cannot decide any more', async () => {
    const { id, key } = await person(app, 'editor');
    const client = await signedIn(key);
    const { card } = await propose();
    const path = `/approvals/${card.id}`;
    const fields = fieldsOf((await client.get(path)).text, `${path}/approve`);
    await app.call('workspace/removeMember', { id });
    const reply = await client.post(`${path}/approve`, fields);
    expect([reply.status, reply.location]).toEqual([303, `/approvals/sign-in?next=${encodeURIComponent(path)}`]);
    expect((await getCard(card.id)).status).toBe('pending');
  });

  it('ends when whoever has it signs out; its cookie is of no more use', async () => {
    const client = await signedIn();
    const kept = new Map(client.cookies);
    const out = await client.submit('/approvals', '/approvals/sign-out');
    expect([out.status, out.location, client.cookies.size]).toEqual([303, '/approvals/sign-in', 0]);
    client.cookies = kept;
    expect(await isIn(client)).toBe(false);
  });

  it('ends with the next sign-in of the same browser', async () => {
    const client = await signedIn();
    const before = new PageClient(app);
    before.cookies = new Map(client.cookies);
    await client.signIn(editor.key);
    expect([await isIn(client), await isIn(before)]).toEqual([true, false]);
  });

  it('outlives a restart, and ends after twelve hours or with its key’s own end', async () => {
    const clock = new MadeUpClock(Date.now());
    let own = await startApp({ replacements: [{ provide: Clock, useValue: clock }] });
    try {
      const expiresAt = new Date(clock.now() + 3_600_000).toISOString();
      const short = await keyOf(own, { kind: 'person', expiresAt });
      const [long, brief] = [await signedIn(own.ownerKey, own), await signedIn(short, own)];
      const cookies = [long, brief].map((client) => new Map(client.cookies));
      own = await own.restart();
      const clients = cookies.map((held) => Object.assign(new PageClient(own), { cookies: held }));
      const are = () => Promise.all(clients.map(isIn));
      expect(await are()).toEqual([true, true]);
      clock.advance(3_600_000);
      expect(await are()).toEqual([true, false]);
      clock.advance(11 * 3_600_000 - 1);
      expect(await are()).toEqual([true, false]);
      clock.advance(1);
      expect(await are()).toEqual([false, false]);
    } finally {
      await own.close();
    }
  });

  it('opens no operation: those want a key', async () => {
    const client = await signedIn();
    const [[name, value] = []] = client.cookies;
    const reply = await app.send('POST', '/api/v1/workspace/getWorkspace', '{}', {
      'content-type': 'application/json',
      cookie: `${name}=${value}`,
    });
    expect([reply.status, reply.body.code]).toEqual([401, 'key-missing']);
  });

  it('opens the stream, until it ends', async () => {
    const client = await signedIn(viewer.key);
    const [[name, value] = []] = client.cookies;
    const reader = await readStream(app, { cookie: `${name}=${value}` });
    const { card } = await propose();
    await reader.read(1);
    expect(reader.events[0]?.data.id).toBe(card.id);
    await client.submit('/approvals', '/approvals/sign-out');
    await reader.ended;
  });

  it.each(['', 'countersign=', 'countersign=x', `countersign=${'a'.repeat(32)}`, '=;=;;', `other=${'a'.repeat(32)}`])(
    'is not what the cookie “%s” makes',
    async (cookie) => {
      expect((await new PageClient(app).get('/approvals', { cookie })).status).toBe(303);
    },
  );
});

describe('too many wrong keys from one address', () => {
  const wrong = 10;
  const tryTimes = async (client: PageClient, times: number) => {
    const statuses = [];
    for (let n = 0; n < times; n++) statuses.push((await client.signIn('csk_wrong')).status);
    return statuses;
  };

  it('are answered 429 for five minutes, also a right key that was never shown, with the time to wait', async () => {
    const clock = new MadeUpClock(Date.now());
    const own = await startApp({ replacements: [{ provide: Clock, useValue: clock }] });
    try {
      const client = new PageClient(own);
      const editor = await person(own, 'editor');
      expect(await tryTimes(client, wrong - 1)).toEqual(Array.from({ length: wrong - 1 }, () => 401));
      expect((await client.signIn(own.ownerKey)).status).toBe(303);
      expect(await tryTimes(client, 2)).toEqual([401, 429]);
      const right = await client.signIn(editor.key);
      expect([right.status, right.headers.get('retry-after'), right.headers.getSetCookie()]).toEqual([429, '300', []]);
      expect(right.text).toContain('Wait 300 seconds');
      // Whoever signed in here before is not shut out by a neighbour who guesses.
      expect((await new PageClient(own).signIn(own.ownerKey)).status).toBe(303);
      clock.advance(300_000);
      expect((await new PageClient(own).signIn(editor.key)).status).toBe(303);
    } finally {
      await own.close();
    }
  });

  it('are counted at once when they come at once', async () => {
    const own = await startApp();
    try {
      const all = await Promise.all(Array.from({ length: 30 }, () => new PageClient(own).signIn('csk_wrong')));
      expect(all.filter(({ status }) => status === 401)).toHaveLength(wrong);
      expect(all.filter(({ status }) => status === 429)).toHaveLength(30 - wrong);
    } finally {
      await own.close();
    }
  });

  it('are those of the address that the proxy has seen, where one stands before the service', async () => {
    const own = await startApp({ environment: { BASE_URL: 'https://approvals.example.org' } });
    try {
      const from = (address: string) => new PageClient(own, { 'x-forwarded-for': `10.0.0.1, ${address}` });
      await tryTimes(from('192.0.2.1'), wrong);
      await tryTimes(from('2001:db8::1'), wrong / 2);
      await tryTimes(from('2001:db8:0:0:ff::2'), wrong / 2);
      const statuses = [];
      for (const address of ['192.0.2.1', '192.0.2.2', '2001:db8::3', '2001:db8:0:1::1']) {
        statuses.push((await from(address).signIn('csk_wrong')).status);
      }
      expect(statuses).toEqual([429, 401, 429, 401]);
    } finally {
      await own.close();
    }
  });

  it('are those of the address that the proxy has seen over plain http as well, where TRUST_PROXY says so', async () => {
    const own = await startApp({ environment: { TRUST_PROXY: '1' } });
    try {
      await tryTimes(new PageClient(own, { 'x-forwarded-for': '192.0.2.1' }), wrong);
      const statuses = [];
      for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.9, 192.0.2.1']) {
        statuses.push((await new PageClient(own, { 'x-forwarded-for': address }).signIn('csk_wrong')).status);
      }
      expect(statuses).toEqual([429, 401, 429]);
    } finally {
      await own.close();
    }
  });

  it('are those of the address itself, where no proxy is known of, whatever headers say', async () => {
    const own = await startApp();
    try {
      for (let n = 0; n < wrong; n++) await new PageClient(own, { 'x-forwarded-for': `192.0.2.${n}` }).signIn('x');
      expect((await new PageClient(own).signIn('x')).status).toBe(429);
    } finally {
      await own.close();
    }
  });
});

describe('every page', () => {
  it('says what a browser may do with it: nothing but what is ours', async () => {
    const client = await signedIn();
    const { card } = await propose();
    const replies = [
      await new PageClient(app).get('/approvals/sign-in'),
      await new PageClient(app).signIn('wrong'),
      await new PageClient(app).get('/approvals'),
      await client.get('/approvals'),
      await client.get(`/approvals/${card.id}`),
      await client.get('/approvals/change_none'),
      await client.post(`/approvals/${card.id}/approve`, {}),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 401, 303, 200, 200, 404, 403]);
    for (const { headers } of replies) {
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(
        ['x-frame-options', 'referrer-policy', 'cache-control', 'x-content-type-options'].map((name) =>
          headers.get(name),
        ),
      ).toEqual(['DENY', 'no-referrer', 'no-store', 'nosniff']);
    }
  });

  it('holds no script and no style of its own, and names those it loads by what is in them', async () => {
    const client = await signedIn();
    const { card } = await propose();
    for (const path of ['/approvals', `/approvals/${card.id}`]) {
      const { text } = await client.get(path);
      expect(text).not.toMatch(
        /<style|\sstyle=|\son[a-z]+=|<script(?! src="\/approvals\/assets\/pages\.[0-9a-f]{16}\.js" defer><\/script>)/i,
      );
      const loaded = [...text.matchAll(/(?:href|src)="(\/approvals\/assets\/[^"]+)"/g)].map(([, asset = '']) => asset);
      expect(loaded.length).toBeGreaterThanOrEqual(3);
      for (const asset of loaded) {
        const { status, headers } = await app.send('GET', asset);
        expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
      }
    }
    expect((await app.send('GET', '/approvals/assets/other.js')).status).toBe(404);
  });

  it('is in English, fits a phone, and begins with a way past the head', async () => {
    const { text } = await (await signedIn()).get('/approvals');
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(text).toContain('<a class="skip" href="#main">');
    expect(text.match(/<h1>/g)).toHaveLength(1);
  });

  it('stands below the path that BASE_URL ends in', async () => {
    const own = await startApp({ environment: { BASE_URL: 'http://127.0.0.1/counter/sign' } });
    try {
      const client = new PageClient(own);
      expect((await client.get('/approvals')).location).toBe('/counter/sign/approvals/sign-in?next=%2Fapprovals');
      expect((await client.signIn(own.ownerKey)).location).toBe('/counter/sign/approvals');
      const { text } = await client.get('/approvals');
      expect(text.match(/(?:href|src|action|data-live|data-stream)="\/(?!counter\/sign\/)/g)).toBeNull();
    } finally {
      await own.close();
    }
  });

  it('tells a person in a page, not in JSON, that something is not there', async () => {
    const client = await signedIn();
    const { status, headers, text } = await client.get('/approvals/change_none');
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(text).toContain('There is no such pending change in this workspace');
    expect((await client.get('/approvals?before=change_none')).status).toBe(404);
    expect((await client.get(`/approvals/${'x'.repeat(300)}`)).status).toBe(400);
  });
});

describe('the inbox', () => {
  it('shows what waits, who asked and until when, and the notices with their Undo', async () => {
    const { fn, card } = await propose({}, editor.key);
    const taken = await propose();
    await app.call('approvals/approvePendingChange', { id: taken.card.id, hash: taken.card.hash });
    const { undo } = await setPowers(taken.fn.id, { remove: ['email'] });
    const client = await signedIn();
    const { text } = await client.get('/approvals');
    expect(text).toContain(
      `<a href="/approvals/${card.id}">Give the function &#39;${fn.name}&#39; the power &#39;email&#39;.</a>`,
    );
    expect(text).toContain('Asked by <bdi>The editor');
    expect(text).toContain(`<time datetime="${card.expiresAt}">`);
    expect(text).not.toContain(`/approvals/${taken.card.id}"`);
    const undone = await client.submit('/approvals', `/approvals/notices/${undo.id}/undo`);
    expect([undone.status, undone.location]).toEqual([303, '/approvals']);
    expect((await get(taken.fn.id)).capabilities).toEqual(['email']);
    expect((await client.get('/approvals')).text).not.toContain(`/approvals/notices/${undo.id}/undo`);
  });

  it('says why something can no longer be undone, and offers no Undo to who may not', async () => {
    const { fn, card } = await propose();
    await app.call('approvals/approvePendingChange', { id: card.id, hash: card.hash });
    const { undo } = await setPowers(fn.id, { remove: ['email'] });
    const action = `/approvals/notices/${undo.id}/undo`;
    expect((await (await signedIn(viewer.key)).get('/approvals')).text).not.toContain(action);
    const client = await signedIn();
    const fields = fieldsOf((await client.get('/approvals')).text, action);
    await app.call('automations/updateFunction', { id: fn.id, description: 'changed' });
    const { status, text } = await client.post(action, fields);
    expect(status).toBe(409);
    expect(text).toContain('This can no longer be undone: the function has changed since.');
    expect((await client.post('/approvals/notices/undo_none/undo', fields)).status).toBe(404);
  });

  it('shows fifty at a time, and the older ones on request', async () => {
    const other = await otherWorkspace(app);
    const ids: string[] = [];
    for (let n = 0; n < 52; n++) {
      const fn = (await app.call('automations/createFunction', { name: `${n}`, code: 'return 1' }, other.ownerKey))
        .body;
      ids.push((await setPowers(fn.id, { capabilities: ['email'] }, other.ownerKey)).pendingChange.id);
    }
    const client = await signedIn(other.ownerKey);
    const shown = async (path: string) => {
      const { text } = await client.get(path);
      return { text, ids: [...text.matchAll(/data-id="(change_[^"]+)"/g)].map(([, id = '']) => id) };
    };
    const first = await shown('/approvals');
    expect(first.ids).toHaveLength(50);
    const older = /<a href="([^"]+)">Older ones<\/a>/.exec(first.text)?.[1] ?? '';
    const second = await shown(older);
    expect([...first.ids, ...second.ids].sort()).toEqual(ids.sort());
    expect(second.text).not.toContain('Older ones');
  });

  it('shows nothing of another workspace, nor do its cards', async () => {
    const { card } = await propose();
    const other = await otherWorkspace(app);
    const client = await signedIn(other.ownerKey);
    expect((await client.get('/approvals')).text).not.toContain(card.id);
    expect((await client.get(`/approvals/${card.id}`)).status).toBe(404);
  });
});

describe('the page of a card', () => {
  it('shows what changes, and approves it for the person who looks', async () => {
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

  it('rejects, with a reason or without', async () => {
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

  it('shows code line by line, what is new and what goes, and every line on request', async () => {
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

  it('says that the base has moved, with what was there, what is there now, and what was asked for', async () => {
    const { fn, card } = await propose();
    const client = await signedIn();
    const path = `/approvals/${card.id}`;
    const fields = fieldsOf((await client.get(path)).text, `${path}/approve`);
    const other = (await setPowers(fn.id, { capabilities: ['env'], seenVersion: fn.version })).pendingChange;
    // The newer card replaced this one: a base that moves under a card that still waits is another kind's.
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

  it('shows what stands there now when that is another thing than it was, or that it is gone', async () => {
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
    expect([status, text.includes('<em>It is gone.</em>')]).toEqual([409, true]);
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

  it('tells who comes second that it was decided, by whom', async () => {
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

  it('leads from a card that was replaced to the newer one', async () => {
    const { fn, card } = await propose();
    const newer = (await setPowers(fn.id, { capabilities: ['env'] })).pendingChange;
    const { text } = await (await signedIn()).get(`/approvals/${card.id}`);
    expect(text).toContain(`<a href="/approvals/${newer.id}">See the newer request</a>`);
  });

  it('offers no decision to who may not take it, says why, and refuses it all the same', async () => {
    const readOnly = await keyOf(app, { kind: 'person', memberId: editor.id, readOnly: true });
    const { card } = await propose();
    const path = `/approvals/${card.id}`;
    const own = await signedIn();
    for (const [key, why] of [
      [viewer.key, 'needs the right to edit functions'],
      [readOnly, 'This key only reads'],
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

  it('of a change for the Owner and Admins is decided by no Editor', async () => {
    await app.call('workspace/updateSettings', { actsAsWorkspaceSwitch: true });
    const fn = await create();
    const input = { id: fn.id, mode: 'workspace', seenVersion: fn.version };
    const card = (await app.call('automations/setFunctionIdentityMode', input)).body.pendingChange;
    await app.call('workspace/updateSettings', { actsAsWorkspaceSwitch: false });
    const path = `/approvals/${card.id}`;
    const { text } = await (await signedIn(editor.key)).get(path);
    expect(text).toContain('Only the Owner or an Admin decides on this change');
    expect((await (await signedIn(admin.key)).submit(path, `${path}/approve`)).status).toBe(303);
  });

  it('with fourEyes lets whoever asked, and the person behind the agent that did, reject and not approve', async () => {
    const agent = (await app.call('workspace/addAgent', { name: 'Bo', memberId: editor.id })).body;
    const agentKey = await keyOf(app, { kind: 'agent', agentId: agent.id });
    await app.call('workspace/updateSettings', { fourEyes: true });
    const client = await signedIn(editor.key);
    for (const key of [editor.key, agentKey]) {
      const fn = await create();
      const { id, hash } = (await setPowers(fn.id, { capabilities: ['email'] }, key)).pendingChange;
      const path = `/approvals/${id}`;
      const { text } = await client.get(path);
      expect(text).toContain('nobody approves a change that they or their agent asked for');
      expect(text).not.toContain(`${path}/approve`);
      const { token = '' } = fieldsOf(text, `${path}/reject`);
      expect((await client.post(`${path}/approve`, { token, hash })).status).toBe(403);
      expect((await client.submit(path, `${path}/reject`)).status).toBe(303);
    }
    await app.call('workspace/updateSettings', { fourEyes: false });
  });
});

describe('a form', () => {
  const scene = async () => {
    const { card } = await propose();
    const path = `/approvals/${card.id}`;
    const client = await signedIn();
    const fields = fieldsOf((await client.get(path)).text, `${path}/approve`);
    const stays = async () => expect((await getCard(card.id)).status).toBe('pending');
    return { card, path, client, fields, stays };
  };

  it.each(['approve', 'reject'])(
    'to %s is refused without its token, or with that of another session',
    async (choice) => {
      const { path, client, fields, stays } = await scene();
      const foreign = fieldsOf((await (await signedIn()).get(path)).text, `${path}/approve`);
      expect(foreign['token']).not.toBe(fields['token']);
      for (const token of [{}, { token: '' }, { token: 'x' }, { token: foreign['token'] ?? '' }]) {
        const { status, text } = await client.post(`${path}/${choice}`, { hash: fields['hash'] ?? '', ...token });
        expect([status, text.includes('This form was not sent from a page of your own session')]).toEqual([403, true]);
      }
      await stays();
    },
  );

  it.each([
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ 'sec-fetch-site': 'none' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'http://127.0.0.1:1' }],
    [{ origin: 'not an origin' }],
    [{ origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ])('from elsewhere (%j) is refused, token or not', async (headers) => {
    const { path, client, fields, stays } = await scene();
    expect((await client.post(`${path}/approve`, fields, headers as Record<string, string>)).status).toBe(403);
    await stays();
  });

  it('of our own page gets through with what browsers say of it', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'same-origin', origin: 'null' },
      { 'sec-fetch-site': 'same-origin', origin: app.url },
      { origin: app.url },
    ]) {
      const { path, client, fields } = await scene();
      expect((await client.post(`${path}/approve`, fields, headers as Record<string, string>)).status).toBe(303);
    }
  });

  it('to sign out and to undo is refused without its token', async () => {
    const { client } = await scene();
    expect((await client.post('/approvals/sign-out', {})).status).toBe(403);
    expect((await client.post('/approvals/notices/undo_x/undo', {})).status).toBe(403);
    expect((await client.get('/approvals')).status).toBe(200);
  });

  it('is the only way: asking for a page changes nothing', async () => {
    const { card, path, client, fields, stays } = await scene();
    const query = new URLSearchParams(fields).toString();
    for (const action of ['approve', 'reject']) {
      const { status, location } = await client.get(`${path}/${action}?${query}`);
      expect([status, location?.startsWith(path)]).toEqual([303, true]);
    }
    await client.get(`/approvals/sign-out?${query}`);
    expect((await client.get(`/approvals/${card.id}`)).status).toBe(200);
    await stays();
  });
});

describe('what users have written', () => {
  const evil = '<img src=x onerror=alert(1)>"\'><script>alert(1)</script>&amp;';

  it('is text and nothing else, wherever it stands', async () => {
    const { id } = (await app.call('workspace/addMember', { name: evil, email: 'evil@example.com', role: 'editor' }))
      .body;
    const key = await keyOf(app, { kind: 'person', memberId: id });
    const { card } = await propose({ name: evil }, key);
    const client = await signedIn(key);
    const path = `/approvals/${card.id}`;
    const pages = [await client.get('/approvals'), await client.get(path)];
    await client.submit(path, `${path}/reject`, { reason: evil });
    pages.push(await client.get(path));
    for (const { text } of pages) {
      expect(text).not.toMatch(/<img src=x|<script>/);
      expect(text).toContain(
        '&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;',
      );
    }
  });

  it('shows characters that would not be seen, or would turn round what is seen, by their names', async () => {
    const { card } = await propose({ name: 'pay\u202eexe.\u2066\u200b\u00a0\u3164\u{e0041}' });
    const client = await signedIn();
    for (const path of ['/approvals', `/approvals/${card.id}`]) {
      const { text } = await client.get(path);
      expect(text).not.toMatch(/[\u202e\u2066\u200b\u00a0\u3164]|\u{e0041}/u);
      expect(text).toContain(
        'pay<span class="odd">U+202E</span>exe.<span class="odd">U+2066</span><span class="odd">U+200B</span>',
      );
      expect(text).toContain(
        '<span class="odd">U+00A0</span><span class="odd">U+3164</span><span class="odd">U+E0041</span>',
      );
    }
    expect((await client.get(`/approvals/${card.id}`)).text).toContain('<title>Give the function &#39;pay⟦U+202E⟧exe.');
  });

  it('never becomes markup, whatever the name of a function is', async () => {
    const client = await signedIn();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), async (text) => {
        const created = await app.call('automations/createFunction', { name: `${made++} ${text}<b`, code: 'return 1' });
        if (created.status !== 200) return;
        const { pendingChange } = await setPowers(created.body.id, { capabilities: ['email'] });
        const page = (await client.get(`/approvals/${pendingChange.id}`)).text;
        const heading = /<h1>([\s\S]*?)<\/h1>/.exec(page)?.[1] ?? '';
        expect(heading.replaceAll(/<span class="odd">U\+[0-9A-F]{4,6}<\/span>/g, '')).not.toMatch(
          /[<>"']|[\p{Cc}\p{Cf}]/u,
        );
        await app.call('approvals/rejectPendingChange', { id: pendingChange.id });
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});

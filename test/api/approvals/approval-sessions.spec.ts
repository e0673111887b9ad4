// Engines: one process.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { keyOf, type Person, person } from '../../support/people.js';
import { readStream } from '../../support/servers/event-stream.js';
import { sharedApp } from '../../support/shared-app.js';
import { sharedOutside } from '../../support/shared-outside.js';
import { fieldsOf, PageClient } from '../../support/sites/page-client.js';
import { storedFiles } from '../../support/stores/stored-files.js';

let app: TestApp;
let editor: Person;
let viewer: Person;
beforeAll(async () => {
  app = await startApp();
  [editor, viewer] = [await person(app, 'editor'), await person(app, 'viewer')];
}, 60_000);
afterAll(() => app.close());

let made = 0;
const create = async (more: object = {}) =>
  (await app.call('automations/createFunction', { name: `fn ${made++}`, code: 'return 1', ...more })).body;
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

describe('signing in', () => {
  it('redirects a signed-out person who follows an approve link to the sign-in page, and then to the card', async () => {
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

  it('sets a cookie that scripts cannot read and forms of other sites do not send, for twelve hours', async () => {
    const { headers } = await new PageClient(app).signIn(app.ownerKey);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^countersign=[A-Za-z0-9_-]{32}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/),
      // The token of the sign-in form is deleted after use.
      'countersign-form=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
    ]);
  });

  it('sets a Secure cookie for this host only if links begin with https', async () => {
    const own = await sharedApp({ baseUrl: 'https://approvals.example.org' });
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

  it("answers equally for unknown, revoked and empty keys and keys that are not a person's own", async () => {
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
      expect(replies[0]?.text).toContain('You cannot sign in to these pages with this key.');
      for (const { status, text, headers } of replies) {
        expect([status, text, headers.getSetCookie()]).toEqual([401, replies[0]?.text, []]);
        expect(headers.get('www-authenticate')).toBeNull();
      }
    } finally {
      await own.close();
    }
  });

  it('accepts a key with spaces around it, as pasted from a mail', async () => {
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
  ])('redirects to the inbox and not to %s', async (next) => {
    const client = new PageClient(app);
    expect((await client.signIn(editor.key, next)).location).toBe('/approvals');
    expect((await client.get(`/approvals/sign-in?next=${encodeURIComponent(next)}`)).location).toBe('/approvals');
  });

  it('accepts only its form', async () => {
    const body = JSON.stringify({ key: app.ownerKey });
    const { status } = await app.send('POST', '/approvals/sign-in', body, { 'content-type': 'application/json' });
    expect(status).toBe(415);
  });

  it('is refused to a form of another site', async () => {
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
  ])('is refused to a form without a token of this browser, which other sites cannot have: %s', async (_, token) => {
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
    const { key } = await person(app, 'editor');
    const client = new PageClient(app);
    const replies = [await client.signIn(key), await client.get('/approvals')];
    const token = client.cookies.get('countersign') ?? '';
    for (const { text, headers } of replies) expect(JSON.stringify([text, [...headers]])).not.toContain(key);
    expect(replies[1]?.text).not.toContain(token);
    const files = storedFiles(app.dataDir);
    expect(files.length).toBeGreaterThan(0);
    for (const { path, bytes } of files) {
      expect([path, bytes.includes(key), bytes.includes(token)]).toEqual([path, false, false]);
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

  it('ends when its member is removed, who can no longer decide', async () => {
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

  it('ends when its person signs out, after which its cookie is useless', async () => {
    const client = await signedIn();
    const kept = new Map(client.cookies);
    const out = await client.submit('/approvals', '/approvals/sign-out');
    expect([out.status, out.location, client.cookies.size]).toEqual([303, '/approvals/sign-in', 0]);
    client.cookies = kept;
    expect(await isIn(client)).toBe(false);
  });

  it('ends with the next sign-in in the same browser', async () => {
    const client = await signedIn();
    const before = new PageClient(app);
    before.cookies = new Map(client.cookies);
    await client.signIn(editor.key);
    expect([await isIn(client), await isIn(before)]).toEqual([true, false]);
  });

  it('survives a restart, and ends after twelve hours or with its key', async () => {
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

  it('does not work for operations, which require a key', async () => {
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

  it('block sign-in for five minutes with 429, even with a right key never used here, and state the time', async () => {
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
      expect(right.text).toContain('in 300 seconds');
      // A key that has signed in before still works, so that another's guesses do not lock its owner out.
      expect((await new PageClient(own).signIn(own.ownerKey)).status).toBe(303);
      clock.advance(300_000);
      expect((await new PageClient(own).signIn(editor.key)).status).toBe(303);
    } finally {
      await own.close();
    }
  });

  it('are counted immediately, even if they arrive at once', async () => {
    const own = await startApp();
    try {
      const all = await Promise.all(Array.from({ length: 30 }, () => new PageClient(own).signIn('csk_wrong')));
      expect(all.filter(({ status }) => status === 401)).toHaveLength(wrong);
      expect(all.filter(({ status }) => status === 429)).toHaveLength(30 - wrong);
    } finally {
      await own.close();
    }
  });

  it('are counted by the address that the proxy reports, if there is one', async () => {
    const own = await sharedApp({ baseUrl: 'https://approvals.example.org' });
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

  it('are counted by the address that the proxy reports over http too, if TRUST_PROXY is set', async () => {
    const own = await sharedOutside();
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

  it("are counted by the connection's own address without a proxy, whatever the headers", async () => {
    const own = await startApp();
    try {
      for (let n = 0; n < wrong; n++) await new PageClient(own, { 'x-forwarded-for': `192.0.2.${n}` }).signIn('x');
      expect((await new PageClient(own).signIn('x')).status).toBe(429);
    } finally {
      await own.close();
    }
  });
});

// Engines: one process.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../support/any-json.js';
import type { TestApp } from '../../support/app.js';
import { runs } from '../../support/depth.js';
import { keyOf, otherWorkspace, type Person, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { fieldsOf, PageClient } from '../../support/sites/page-client.js';

let app: TestApp;
let editor: Person;
let viewer: Person;
beforeAll(async () => {
  app = await sharedApp();
  [editor, viewer] = [await person(app, 'editor'), await person(app, 'viewer')];
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

describe('every page', () => {
  it('restricts the browser to resources of the service', async () => {
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

  it('contains no inline scripts or styles, and names files by their content', async () => {
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

  it('is in English, fits a phone, and begins with a skip link', async () => {
    const { text } = await (await signedIn()).get('/approvals');
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(text).toContain('<a class="skip" href="#main">');
    expect(text.match(/<h1>/g)).toHaveLength(1);
  });

  it('is below the path of BASE_URL', async () => {
    const own = await sharedApp({ baseUrl: 'http://127.0.0.1/counter/sign' });
    const client = new PageClient(own);
    expect((await client.get('/approvals')).location).toBe('/counter/sign/approvals/sign-in?next=%2Fapprovals');
    expect((await client.signIn(own.ownerKey)).location).toBe('/counter/sign/approvals');
    const { text } = await client.get('/approvals');
    expect(text.match(/(?:href|src|action|data-live|data-stream)="\/(?!counter\/sign\/)/g)).toBeNull();
  });

  it('reports a missing page to a person as a page, not as JSON', async () => {
    const client = await signedIn();
    const { status, headers, text } = await client.get('/approvals/change_none');
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(text).toContain('There is no such pending change in this workspace');
    expect((await client.get('/approvals?before=change_none')).status).toBe(404);
    expect((await client.get(`/approvals/${'x'.repeat(300)}`)).status).toBe(400);
  });
});

describe('the inbox', () => {
  it('shows pending cards, requesters and deadlines, and notices with their Undo', async () => {
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

  it('states why something can no longer be undone, and offers no Undo without the right', async () => {
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
    const older = /<a href="([^"]+)">Older approvals<\/a>/.exec(first.text)?.[1] ?? '';
    const second = await shown(older);
    expect([...first.ids, ...second.ids].sort()).toEqual(ids.sort());
    expect(second.text).not.toContain('Older approvals');
  });

  it('shows nothing of another workspace, nor do its cards', async () => {
    const { card } = await propose();
    const other = await otherWorkspace(app);
    const client = await signedIn(other.ownerKey);
    expect((await client.get('/approvals')).text).not.toContain(card.id);
    expect((await client.get(`/approvals/${card.id}`)).status).toBe(404);
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
  ])('from another origin (%j) is refused, with or without a token', async (headers) => {
    const { path, client, fields, stays } = await scene();
    expect((await client.post(`${path}/approve`, fields, headers as Record<string, string>)).status).toBe(403);
    await stays();
  });

  it('of our own page is accepted with the headers that browsers send', async () => {
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

  it('is the only way: a GET changes nothing', async () => {
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

describe('text by users', () => {
  const evil = '<img src=x onerror=alert(1)>"\'><script>alert(1)</script>&amp;';

  it('is shown as plain text everywhere', async () => {
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

  it('shows invisible and direction-changing characters by their names', async () => {
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

  it('never becomes markup, for any function name', async () => {
    const client = await signedIn();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: codePoint, minLength: 1, maxLength: 60 }), async (text) => {
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
      { numRuns: runs(50) },
    );
  }, 60_000);
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import { startApp, type TestApp } from '../../support/app.js';
import { freePort } from '../../support/mail/free-port.js';
import { closeMcpClients, mcpClient, mcpPost } from '../../support/mcp/client.js';
import { browserOf, decide, handMade, ledTo, redirectUri, TestOAuthProvider } from '../../support/mcp/oauth.js';
import { done, keyOf, person } from '../../support/people.js';
import { PageClient } from '../../support/sites/page-client.js';

let app: TestApp;
beforeAll(async () => {
  const port = await freePort();
  app = await startApp({ port, environment: { BASE_URL: `http://127.0.0.1:${port}` } });
});
afterAll(async () => {
  await closeMcpClients();
  await app.close();
});

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** Runs the flow of the official client, with a person who approves. */
async function connected(
  { scope, key, fields }: { scope?: string; key?: string; fields?: readonly (readonly [string, string])[] } = {},
  provider = new TestOAuthProvider(scope),
) {
  const serverUrl = `${app.url}/mcp`;
  const first = await auth(provider, { serverUrl, ...(scope === undefined ? {} : { scope }) });
  expect(first).toBe('REDIRECT');
  const to = ledTo(await decide(await browserOf(app, key), provider.asked as URL, fields));
  expect(to.searchParams.get('state')).toBe('the-state');
  expect(to.searchParams.get('iss')).toBe(app.url);
  const code = to.searchParams.get('code') ?? '';
  expect(await auth(provider, { serverUrl, authorizationCode: code })).toBe('AUTHORIZED');
  return { provider, token: provider.kept?.access_token ?? '', code };
}

async function registered(uris: readonly string[] = [redirectUri]) {
  const body = JSON.stringify({ client_name: 'by hand', redirect_uris: uris });
  return app.send('POST', '/oauth/register', body, { 'content-type': 'application/json' });
}

const tokenOf = (fields: Readonly<Record<string, string>>) =>
  app.send('POST', '/oauth/token', new URLSearchParams(fields).toString(), form);

/** Obtains a code without the official client, so that a test can send any parameters. */
async function given(more: Readonly<Record<string, string>> = {}) {
  const { client_id: clientId } = (await registered()).body;
  const { url, verifier } = handMade(app, clientId, more);
  const code = ledTo(await decide(await browserOf(app), url)).searchParams.get('code') ?? '';
  const fields = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: redirectUri };
  return { clientId, code, fields: { ...fields, code_verifier: verifier } };
}

describe('an MCP client that signs a person in', () => {
  it('discovers everything from the endpoint, and gets a key of that person, listed and revocable', async () => {
    const { token, provider } = await connected();
    expect(provider.kept).toMatchObject({ token_type: 'Bearer', expires_in: expect.any(Number) });
    expect(provider.kept?.expires_in).toBeGreaterThan(3_500);
    const { names, done: used } = await mcpClient(app, token);
    expect(await names()).toContain('site_createProject');
    expect((await used('workspace_getWorkspace')).me).toMatchObject({ kind: 'connection', name: 'Test client' });
    const keys = await done(app, 'workspace/listApiKeys');
    const key = keys.find(({ client }: { client: string }) => client === 'Test client');
    expect(key).toMatchObject({ kind: 'connection', readOnly: false, areas: null, status: 'active' });
    await done(app, 'workspace/revokeApiKey', { id: key.id });
    expect((await mcpPost(app, list, token)).status).toBe(401);
    const refresh_token = provider.kept?.refresh_token ?? '';
    const client_id = provider.client?.client_id ?? '';
    expect((await tokenOf({ grant_type: 'refresh_token', refresh_token, client_id })).body.error).toBe('invalid_grant');
  });

  it("is limited by its request, and by the person's choice", async () => {
    const asked = await connected({ scope: 'read site bases' });
    const names = await (await mcpClient(app, asked.token)).names();
    expect(new Set(names.map((name) => name.split('_')[0]))).toEqual(new Set(['site', 'bases']));
    expect(names).not.toContain('site_createProject');
    const said = await connected({
      fields: [
        ['access', 'write'],
        ['area', 'audit'],
        ['neverDeletes', 'yes'],
      ],
    });
    expect(said.provider.kept?.scope).toBe('read write audit');
    const own = await (await mcpClient(app, said.token)).names();
    expect(own.every((name) => name.startsWith('audit_'))).toBe(true);
  });

  it('never gets more than the key with which the person signed in', async () => {
    const key = await keyOf(app, { kind: 'person', readOnly: true, areas: ['site', 'workspace'] });
    const { token, provider } = await connected({ key, fields: [['access', 'write']] });
    expect(provider.kept?.scope).toBe('read site workspace');
    expect((await app.call('site/createProject', { name: 'x' }, token)).status).toBe(403);
    expect((await app.call('automations/listFunctions', {}, token)).body.code).toBe('key-narrowed');
  });

  it('renews its key, which ends with its person', async () => {
    const editor = await person(app, 'editor');
    const { provider, token } = await connected({ key: editor.key });
    const client_id = provider.client?.client_id ?? '';
    const renewal = (refresh_token = '') => tokenOf({ grant_type: 'refresh_token', refresh_token, client_id });
    const first = await renewal(provider.kept?.refresh_token);
    expect(first.status).toBe(200);
    expect((await mcpPost(app, list, token)).status).toBe(401);
    expect((await mcpPost(app, list, first.body.access_token)).status).toBe(200);
    const foreign = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token };
    const other = (await registered()).body.client_id;
    expect((await tokenOf({ ...foreign, client_id: other })).body.error).toBe('invalid_grant');
    // A client that lost the answer may repeat the previous refresh token once.
    const again = await renewal(provider.kept?.refresh_token);
    expect(again.status).toBe(200);
    await done(app, 'workspace/removeMember', { id: editor.id });
    expect((await mcpPost(app, list, again.body.access_token)).status).toBe(401);
    expect((await renewal(again.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('may register at each start, and is known after a restart', async () => {
    const one = await registered();
    const [again, third] = [await registered(), await registered()];
    expect([one, again, third].map(({ status }) => status)).toEqual([201, 201, 201]);
    const { url } = handMade(app, one.body.client_id);
    app = await app.restart();
    const page = await (await browserOf(app)).get(`${url.pathname}${url.search}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain('by hand');
  });

  it('can revoke its key itself', async () => {
    const { token } = await connected();
    for (const one of [token, 'nothing']) {
      expect((await app.send('POST', '/oauth/revoke', `token=${one}`, form)).status).toBe(200);
    }
    expect((await mcpPost(app, list, token)).status).toBe(401);
    expect((await app.send('POST', '/oauth/revoke', `token=${app.ownerKey}`, form)).status).toBe(200);
    expect((await mcpPost(app, list)).status).toBe(200);
  });
});

describe('discovery', () => {
  it.each([
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/mcp',
    '/.well-known/openid-configuration',
    '/.well-known/openid-configuration/mcp',
  ])('answers at %s', async (path) => {
    const { status, body } = await app.send('GET', path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ issuer: app.url, code_challenge_methods_supported: ['S256'] });
    expect(body.token_endpoint).toBe(`${app.url}/oauth/token`);
  });

  it.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'])(
    'names the resource at %s',
    async (path) => {
      const { body } = await app.send('GET', path);
      expect(body).toMatchObject({ resource: `${app.url}/mcp`, authorization_servers: [app.url] });
    },
  );
});

describe('refusals', () => {
  it.each([
    ['http://evil.example/callback'],
    ['javascript:alert(1)'],
    ['https://user:secret@client.example/'],
    ['https://client.example/#fragment'],
    ['cursor://callback'],
  ])('registering %s', async (uri) => {
    expect((await registered([uri])).body.error).toBe('invalid_redirect_uri');
  });

  it('an unregistered address, an unknown client, and a request without PKCE: nobody is redirected', async () => {
    const { client_id: id } = (await registered(['https://client.example/cb', redirectUri])).body;
    const browser = await browserOf(app);
    const wrong = [
      handMade(app, id, { redirect_uri: 'https://evil.example/cb' }),
      handMade(app, id, { redirect_uri: 'https://client.example/cb/../x' }),
      handMade(app, id, { redirect_uri: 'https://client.example:8443/cb' }),
      handMade(app, id, { code_challenge: '' }),
      handMade(app, id, { code_challenge_method: 'plain' }),
      handMade(app, id, { response_type: 'token' }),
      handMade(app, id, { resource: 'https://elsewhere.example/mcp' }),
      handMade(app, `${id}x`),
      handMade(app, 'csc_e30.x'),
    ];
    for (const { url } of wrong) {
      const { status, location, headers } = await browser.get(`${url.pathname}${url.search}`);
      expect([url.search, status >= 400, location, headers.get('refresh')]).toEqual([url.search, true, null, null]);
    }
    // The port of a loopback redirect may differ from the registered one, because clients listen on a free port.
    const { url } = handMade(app, id, { redirect_uri: 'http://127.0.0.1:59999/callback' });
    expect((await browser.get(`${url.pathname}${url.search}`)).status).toBe(200);
  });

  it('a code used twice, late verifiers, other addresses and other clients', async () => {
    const used = await given();
    const first = await tokenOf(used.fields);
    expect(first.status).toBe(200);
    expect((await tokenOf(used.fields)).body.error).toBe('invalid_grant');
    // The code may have been stolen, so the tokens that it gave are revoked.
    expect((await mcpPost(app, list, first.body.access_token)).status).toBe(401);
    for (const wrong of [
      { code_verifier: 'x'.repeat(43) },
      { code_verifier: '' },
      { redirect_uri: 'http://127.0.0.1:1/callback' },
      { client_id: (await registered(['http://localhost:1/other'])).body.client_id },
      { resource: 'https://elsewhere.example' },
    ]) {
      const { fields } = await given();
      const { status, body } = await tokenOf({ ...fields, ...wrong });
      expect([JSON.stringify(wrong).slice(0, 40), status, typeof body.error]).toEqual([
        JSON.stringify(wrong).slice(0, 40),
        400,
        'string',
      ]);
    }
    const both = await given();
    const raced = await Promise.all([tokenOf(both.fields), tokenOf(both.fields)]);
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it('a decision without a session, from elsewhere, or a negative one', async () => {
    const { client_id: id } = (await registered()).body;
    const { url } = handMade(app, id);
    const away = await new PageClient(app).get(`${url.pathname}${url.search}`);
    expect(away.status).toBe(303);
    expect(away.location).toMatch(/^\/approvals\/sign-in\?next=%2Foauth%2Fauthorize%3F/);
    const browser = await browserOf(app);
    const back = await browser.signIn(app.ownerKey, `${url.pathname}${url.search}`);
    expect(back.location).toMatch(/^\/oauth\/authorize\?/);
    const forged = await browser.send(
      '/oauth/authorize',
      `request=${encodeURIComponent(url.search.slice(1))}&decision=allow`,
    );
    expect(forged.status).toBe(403);
    const no = ledTo(await decide(browser, url, [['decision', 'deny']]));
    expect(no.searchParams.get('error')).toBe('access_denied');
    expect(no.searchParams.get('code')).toBeNull();
    expect(no.searchParams.get('state')).toBe('xyz');
  });

  it('a flood of registrations', async () => {
    const all = await Promise.all(Array.from({ length: 120 }, () => registered()));
    expect(all.some(({ status }) => status === 429)).toBe(true);
  });
});

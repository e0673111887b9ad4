import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, person } from '../../support/people.js';
import { brief, everybody, ProxyScene } from '../../support/sites/proxy-scene.js';

const scene = new ProxyScene();
beforeAll(() => scene.start());
afterAll(() => scene.app.close());
beforeEach(() => scene.begin());
afterEach(() => scene.end());

const signedIn = { type: 'authenticated' };
const entrances = [
  ['site/serverProxy', (body?: object) => scene.member(body)],
  ['POST proxy', (body?: object) => scene.visitor(body)],
] as const;

describe.each(entrances)('the server proxy at the entrance %s', (_, send) => {
  it('sends the request and answers status, headers and body (Q-S107)', async () => {
    scene.answer = () => ({
      status: 207,
      headers: { 'Content-Type': 'application/json', 'X-Twice': ['one', 'two'] },
      body: '{"a":"ü"}',
    });
    const { status, body } = await send({
      url: scene.at('/path?q=1#part'),
      method: 'patch',
      headers: { 'X-Own': 'yes', 'X-Number': 7 },
      body: { hello: 'wörld' },
    });
    expect([status, body]).toEqual([
      200,
      {
        status: 207,
        headers: expect.objectContaining({ 'content-type': 'application/json', 'x-twice': 'one, two' }),
        body: '{"a":"ü"}',
      },
    ]);
    expect(scene.last).toMatchObject({ method: 'PATCH', path: '/path?q=1', body: '{"hello":"wörld"}' });
    expect(scene.last?.headers).toMatchObject({
      'x-own': 'yes',
      'x-number': '7',
      'content-type': 'application/json',
      host: `api.test:${scene.server.port}`,
    });
  });

  it('sends a text unchanged, and bytes that are given in base64', async () => {
    await send({ method: 'POST', body: '<a/>', headers: { 'content-type': 'application/xml' } });
    expect([scene.last?.body, scene.last?.headers['content-type']]).toEqual(['<a/>', 'application/xml']);
    await send({ method: 'POST', body: 'plain' });
    expect(scene.last?.headers['content-type']).toBe('text/plain; charset=utf-8');
    await send({ method: 'PUT', body: Buffer.from('raw').toString('base64'), encoding: 'base64' });
    expect([scene.last?.body, scene.last?.headers['content-type']]).toEqual(['raw', undefined]);
    expect(brief(await send({ method: 'PUT', body: 'no base64!', encoding: 'base64' }))).toEqual([
      400,
      'invalid-input',
    ]);
    expect(brief(await send({ method: 'PUT', body: {}, encoding: 'base64' }))).toEqual([400, 'invalid-input']);
  });

  it('answers bytes that are not text in base64, and says so', async () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x41]);
    scene.answer = () => ({ body: bytes });
    expect((await send()).body).toMatchObject({ body: bytes.toString('base64'), encoding: 'base64' });
    scene.answer = () => ({ status: 204 });
    const { body } = await send();
    expect([body.status, body.body, 'encoding' in body]).toEqual([204, '', false]);
  });

  it('passes on no headers of the connection or of the service, in neither direction', async () => {
    scene.answer = () => ({
      headers: {
        'Set-Cookie': ['site_pass=stolen; Path=/', 'other=1'],
        Connection: 'close, X-Hop',
        'X-Hop': '1',
        'Keep-Alive': 'timeout=5',
        'Proxy-Authenticate': 'Basic',
        Upgrade: 'h2c',
        'X-Kept': 'yes',
      },
      body: 'x',
    });
    const { status, headers, body } = await send({
      headers: {
        Host: 'evil.test',
        Connection: 'X-Named',
        'X-Named': '1',
        TE: 'trailers',
        Upgrade: 'websocket',
        'Proxy-Authorization': 'x',
        'Transfer-Encoding': 'chunked',
        'Content-Length': '999',
        'X-Forwarded-For': '1.2.3.4',
        Forwarded: 'for=1.2.3.4',
        'X-Site-Session': 'token',
        'X-Kept': 'yes',
      },
    });
    expect([status, headers.get('set-cookie'), headers.get('x-kept')]).toEqual([200, null, null]);
    expect(Object.keys(body.headers).sort()).toEqual(['date', 'x-kept']);
    const { host, connection, 'x-kept': kept, ...others } = scene.last?.headers ?? {};
    expect([host, kept]).toEqual([`api.test:${scene.server.port}`, 'yes']);
    expect(connection).not.toContain('X-Named');
    for (const name of ['x-named', 'te', 'upgrade', 'x-forwarded-for', 'forwarded', 'x-site-session']) {
      expect([name, others[name]]).toEqual([name, undefined]);
    }
    expect(Object.keys(others).filter((name) => /^(proxy-|cookie|authorization)/.test(name))).toEqual([]);
  });

  it.each([
    ['a timeout above a minute', { timeout: 60_001 }, 'timeout'],
    ['a timeout of nothing', { timeout: 0 }, 'timeout'],
    ['no address', { url: undefined }, 'url'],
    ['an unknown parameter', { redirect: 'manual' }, 'redirect'],
    ['a header that is an object', { headers: { 'X-A': {} } }, 'headers.X-A'],
    ['another scheme', { url: 'file:///etc/passwd' }, 'url'],
    ['what is no address', { url: 'not an address' }, 'url'],
    ['a user in the address', { url: 'http://user:pass@api.test/' }, 'url'],
    ['a tunnel', { method: 'CONNECT' }, 'method'],
    ['two lines as method', { method: 'GET / HTTP/1.1\r\nX: y' }, 'method'],
    ['a line break in a header', { headers: { 'X-A': 'a\r\nX-Injected: 1' } }, 'headers'],
    ['a line break in the name of a header', { headers: { 'X-A\r\nX-Injected': '1' } }, 'headers'],
  ])('refuses a request with %s', async (_name, more, path) => {
    const { status, body } = await send(more);
    expect([status, body.errors?.[0]?.path]).toEqual([400, path]);
    expect(scene.server.seen).toEqual([]);
  });

  it('waits no longer than the timeout', async () => {
    const slow = await scene.slow(() => new Promise(() => undefined));
    const { status, body } = await send({ url: slow.url('api.test'), timeout: 100 });
    expect([status, body.code, body.detail]).toEqual([422, 'proxy-failed', expect.stringContaining('100 ms')]);
  });

  it('follows redirects, as a GET after 303, and to no forbidden address', async () => {
    scene.answer = ({ path }) =>
      path === '/' ? { status: 303, headers: { Location: scene.at('/there', 'other.test') } } : { body: 'there' };
    expect((await send({ method: 'POST', body: 'x' })).body).toMatchObject({ status: 200, body: 'there' });
    expect(scene.last).toMatchObject({ method: 'GET', path: '/there', body: '' });
    for (const location of ['http://10.0.0.1/', 'http://[::ffff:a00:1]/', 'http://0x0a000001/', 'file:///etc/passwd']) {
      scene.answer = () => ({ status: 302, headers: { Location: location } });
      expect([location, ...brief(await send())]).toEqual([location, 403, 'proxy-not-followed']);
    }
    scene.answer = () => ({ status: 302, headers: { Location: '/again' } });
    expect(brief(await send())).toEqual([403, 'proxy-not-followed']);
  });
});

describe('access', () => {
  it('is limited to members without a rule, and to visitors whom the execute rule admits (AC-18)', async () => {
    await scene.allow(undefined);
    const reply = await scene.visitor();
    expect(brief(reply)).toEqual([403, 'proxy-denied']);
    const told = await done(scene.app, 'workspace/explainDecision', { id: reply.body.decisionId });
    expect(told).toMatchObject({
      code: 'proxy-denied',
      place: { kind: 'proxy', name: 'server proxy', operation: 'execute' },
      allowed: false,
    });
    await scene.allow(signedIn);
    expect(brief(await scene.visitor())).toEqual([403, 'proxy-denied']);
    const { id } = await scene.site.user('ada@example.org');
    const pass = await scene.site.logIn('ada@example.org');
    expect((await scene.visitor({}, pass)).status).toBe(200);
    const { projectId } = scene.site;
    await done(scene.app, 'site/updateAppUser', { projectId, userId: id, isBanned: true });
    expect(brief(await scene.visitor({}, pass))).toEqual([403, 'proxy-denied']);
    await scene.allow(everybody);
    expect((await scene.visitor()).status).toBe(200);
    await done(scene.app, 'site/setServerProxyAccessRules', { projectId });
    expect(brief(await scene.visitor())).toEqual([403, 'proxy-denied']);
    expect((await scene.member()).status).toBe(200);
  });

  it('requires, for members, the right to edit the site', async () => {
    const [editor, viewer] = [await person(scene.app, 'editor'), await person(scene.app, 'viewer')];
    expect((await scene.member({}, editor.key)).status).toBe(200);
    expect((await scene.member({}, viewer.key)).status).toBe(403);
    const agent = await done(scene.app, 'workspace/addAgent', { name: 'Ada' });
    expect((await scene.member({}, await keyOf(scene.app, { kind: 'agent', agentId: agent.id }))).status).toBe(200);
    const readOnly = await keyOf(scene.app, { kind: 'person', readOnly: true });
    expect((await scene.member({}, readOnly)).status).toBe(403);
    const unknown = await scene.app.call('site/serverProxy', { projectId: 'proj_x', url: scene.at() });
    expect(unknown.status).toBe(404);
  });

  it('sends nothing in a dry run, and shows what it would send', async () => {
    const { status, body } = await scene.app.call(
      'site/serverProxy',
      { projectId: scene.site.projectId, url: scene.at() },
      scene.app.ownerKey,
      { 'x-dry-run': 'true' },
    );
    expect([status, body.dryRun, body.outside]).toEqual([
      200,
      true,
      [`sends a GET request to api.test:${scene.server.port}`],
    ]);
    expect(scene.server.seen).toEqual([]);
  });

  it('waits while a visitor has the maximum of requests in progress, without delaying members', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let came = 0;
    const slow = await scene.slow(() => {
      came += 1;
      return promise;
    });
    const sent = Array.from({ length: 9 }, () => scene.visitor({ url: slow.url('api.test') }));
    await eventually(
      async () => came,
      (now) => now === 8,
    );
    expect((await scene.member()).status).toBe(200);
    expect(came).toBe(8);
    resolve();
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(9).fill(200));
  });
});

import { firstDraft } from '../../../src/adapters/egress/http/hop.js';
import { redirected } from '../../../src/adapters/egress/http/redirect.js';
import type { EgressFill, EgressHop } from '../../../src/ports/network/egress.port.js';
import { EgressScene, request, resolverOf, textOf } from '../../support/egress/egress-scene.js';
import type { Seen, TestServer } from '../../support/egress/test-server.js';
import { eventually } from '../../support/eventually.js';

const scene = new EgressScene();
afterEach(() => scene.close());

/** A server that redirects the given paths, and answers all others with what it received. */
async function serverOf(redirects: Readonly<Record<string, readonly [status: number, location: string]>> = {}) {
  return await scene.http((seen, response) => {
    const [status, location] = redirects[seen.path] ?? [200, undefined];
    response
      .writeHead(status, location === undefined ? {} : { location })
      .end(`${seen.method} ${seen.path} ${seen.body}`);
  });
}
const lastOf = (server: TestServer): Seen => {
  const seen = server.seen.at(-1);
  if (seen === undefined) throw new Error('Nothing was asked.');
  return seen;
};
const body = Buffer.from('content');
const described = [
  ['Content-Type', 'text/plain'],
  ['X-Other', 'other'],
] as const;

describe('egress over http, redirects', () => {
  it.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [301, 'PUT', 'GET'],
    [302, 'DELETE', 'GET'],
    [303, 'PATCH', 'GET'],
    [302, 'HEAD', 'HEAD'],
    [303, 'GET', 'GET'],
  ])('of %s turn a %s into a %s without body', async (status, method, then) => {
    const server = await serverOf({ '/': [status, '/next'] });
    const answer = await scene.egress().send({ method, url: server.url(), headers: described, body });
    expect(answer).toMatchObject({ status: 200, url: server.url('127.0.0.1', '/next'), redirected: true });
    expect(lastOf(server)).toMatchObject({ method: then, path: '/next', body: '' });
    expect(lastOf(server).headers).toMatchObject({ 'x-other': 'other' });
    for (const name of ['content-type', 'content-length']) expect(lastOf(server).headers[name]).toBeUndefined();
  });

  it.each([307, 308])('of %s keep method and body', async (status) => {
    const server = await serverOf({ '/': [status, '/next'] });
    await scene.egress().send({ method: 'PUT', url: server.url(), headers: described, body });
    expect(lastOf(server)).toMatchObject({ method: 'PUT', path: '/next', body: 'content' });
    expect(lastOf(server).headers).toMatchObject({ 'content-type': 'text/plain', 'content-length': '7' });
  });

  it.each([
    [300, '/next'],
    [304, '/next'],
    [305, '/next'],
    [201, '/next'],
    [302, undefined],
  ])('are not followed from %s with the location %s', async (status, location) => {
    const server = await scene.http((_, response) => response.writeHead(status, location ? { location } : {}).end());
    expect(await scene.egress().send(request(server.url()))).toMatchObject({ status, redirected: false });
  });

  it('are returned as the answer if they are not to be followed', async () => {
    const server = await serverOf({ '/': [302, '/next'] });
    const answer = await scene.egress().send(request(server.url(), { followRedirects: false }));
    expect(answer).toMatchObject({ status: 302, redirected: false, url: server.url() });
    expect(answer.headers).toContainEqual(['location', '/next']);
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    'next',
    '/a/next',
    './next',
    '../a/next',
    '//127.0.0.1:PORT/a/next',
    'http://127.0.0.1:PORT/a/next',
    '/a/next#x',
  ])('lead from /a/start to their location: %s', async (location) => {
    const redirects: Record<string, readonly [number, string]> = {};
    const server = await serverOf(redirects);
    redirects['/a/start'] = [302, location.replace('PORT', String(server.port))];
    const { url } = await scene.egress().send(request(server.url('127.0.0.1', '/a/start')));
    expect(url).toBe(server.url('127.0.0.1', '/a/next'));
  });

  it('are followed five times, and not six', async () => {
    const redirects = Object.fromEntries(
      Array.from({ length: 6 }, (_, at) => [`/${at}`, [302, `/${at + 1}`] as const]),
    );
    const server = await serverOf(redirects);
    expect(textOf(await scene.egress().send(request(server.url('127.0.0.1', '/1'))))).toBe('GET /6 ');
    await expect(scene.egress().send(request(server.url('127.0.0.1', '/0')))).rejects.toMatchObject({
      name: 'EgressRefused',
      kind: 'redirect',
      message: "The host '127.0.0.1' redirected more than 5 times; request the final address directly.",
    });
    expect(server.seen.map(({ path }) => path)).toEqual([1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5].map((at) => `/${at}`));
  });

  it.each([
    [
      'http://10.0.0.1/',
      'address',
      "The host '10.0.0.1' is a private address; the operator can allow it with EGRESS_ALLOW.",
    ],
    ['http://169.254.169.254/latest/meta-data', 'address', /link-local/],
    ['http://[::ffff:7f00:2]/', 'address', /loopback/],
    ['http://inside.test/', 'address', /resolves to a private address \(10\.1\.1\.1\)/],
    [
      'file:///etc/passwd',
      'redirect',
      "The host '127.0.0.1' redirects to an invalid web address; request another page.",
    ],
    ['javascript:1', 'redirect', /an invalid web address/],
    ['http://a b/', 'redirect', /an invalid web address/],
    ['http://user:hunter2@api.test/', 'url', /contains a user or a password/],
    ['http://api.test:25/', 'port', /is for mail/],
  ])('are judged like a first request: to %s', async (location, kind, message) => {
    const server = await serverOf({ '/': [307, location] });
    const sent = scene
      .egress(resolverOf({ 'inside.test': ['10.1.1.1'] }))
      .send(request(server.url(), { method: 'POST', body }));
    await expect(sent).rejects.toMatchObject({
      name: 'EgressRefused',
      kind,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });

  it('to the same host are resolved and judged again', async () => {
    const answers = ['127.0.0.1', '127.0.0.2'];
    const resolve = async () => [{ address: answers.shift() ?? '' }];
    const server = await serverOf({ '/': [302, '/next'] });
    await expect(scene.egress({ resolve }).send(request(server.url('rebound.test')))).rejects.toMatchObject({
      message: expect.stringContaining("'rebound.test' resolves to a loopback address (127.0.0.2)"),
    });
  });

  it('have bodies that are not read', async () => {
    const target = await serverOf();
    const server = await scene.raw((socket) => {
      socket.resume().write(`HTTP/1.1 302 Found\r\nLocation: ${target.url()}\r\nContent-Length: 99999999999\r\n\r\n`);
    });
    expect(textOf(await scene.egress().send(request(server.url())))).toBe('GET / ');
    await eventually(
      async () => server.open.size,
      (open) => open === 0,
    );
  });
});

describe('egress over http, credentials and redirects', () => {
  const headers = [
    ['Authorization', 'Basic hunter2'],
    ['cookie', 'session=hunter2'],
    ['X-Plain', 'plain'],
  ] as const;

  it('are sent to the same origin', async () => {
    const server = await serverOf({ '/': [302, '/next'] });
    await scene.egress().send(request(server.url(), { headers }));
    expect(lastOf(server).headers).toMatchObject({ authorization: 'Basic hunter2', cookie: 'session=hunter2' });
  });

  it.each([
    ['another host', (url: string) => url.replace('api.test', 'other.test')],
    ['another port', (_: string, other: string) => other],
    ['a host below', (url: string) => url.replace('api.test', 'sub.api.test')],
  ])('are not sent to %s', async (_, elsewhere) => {
    const redirects: Record<string, readonly [number, string]> = {};
    const [server, other] = [await serverOf(redirects), await serverOf()];
    redirects['/'] = [307, elsewhere(server.url('api.test', '/next'), other.url('api.test', '/next'))];
    await scene.egress().send(request(server.url('api.test'), { headers }));
    const [seen] = [...other.seen, ...server.seen.slice(1)];
    expect(seen?.headers).toMatchObject({ 'x-plain': 'plain' });
    expect(seen?.headers.authorization).toBeUndefined();
    expect(seen?.headers.cookie).toBeUndefined();
  });

  it('are not sent from http to https of the same host', () => {
    const draft = firstDraft(request('http://api.test/', { headers }));
    expect(redirected(draft, 307, 'https://api.test/').headers).toEqual([['X-Plain', 'plain']]);
    expect(redirected(draft, 307, 'http://api.test:80/').headers).toEqual(headers);
  });

  it('are not restored on the way back', async () => {
    const redirects: Record<string, readonly [number, string]> = {};
    const server = await serverOf(redirects);
    redirects['/'] = [307, server.url('other.test', '/there')];
    redirects['/there'] = [307, server.url('api.test', '/back')];
    await scene.egress().send(request(server.url('api.test'), { headers }));
    expect(server.seen.map((seen) => [seen.path, seen.headers.authorization])).toEqual([
      ['/', 'Basic hunter2'],
      ['/there', undefined],
      ['/back', undefined],
    ]);
  });
});

describe('egress over http, filled secrets', () => {
  const marker = 'MARKER-1';

  /** A broker that replaces the marker for the listed hosts only. */
  function brokerOf(hosts: readonly string[]) {
    const asked: EgressHop[] = [];
    const fill: EgressFill = async (hop) => {
      asked.push(hop);
      const put = (text: string) => (hosts.includes(hop.host) ? text.replaceAll(marker, 'hunter2') : text);
      return {
        url: put(hop.url),
        headers: hop.headers.map(([name, value]) => [name, put(value)] as const),
        body: hop.body && Buffer.from(put(Buffer.from(hop.body).toString())),
      };
    };
    return { asked, fill };
  }
  const headers = [
    ['X-Key', `key ${marker}`],
    ['X-Plain', 'plain'],
    ['Content-Type', 'text/x'],
  ] as const;
  const secretBody = Buffer.from(`body ${marker}`);
  const toldOf = (server: TestServer) =>
    JSON.stringify(server.seen.map(({ rawHeaders, body: text, path }) => [path, rawHeaders, text]));

  it('are filled into the address, the headers and the body for their host', async () => {
    const server = await serverOf();
    const { fill, asked } = brokerOf(['api.test']);
    const url = server.url('API.test.', `/${marker}?key=${marker}`);
    const answer = await scene.egress().send({ method: 'POST', url, headers, body: secretBody, fill });
    expect(lastOf(server)).toMatchObject({ path: '/hunter2?key=hunter2', body: 'body hunter2' });
    expect(lastOf(server).headers).toMatchObject({ 'x-key': 'key hunter2', 'content-length': '12' });
    expect(answer.url).toBe(server.url('api.test', `/${marker}?key=${marker}`));
    expect(asked).toMatchObject([{ method: 'POST', host: 'api.test', url: answer.url, headers, body: secretBody }]);
  });

  it('stay placeholders for other hosts', async () => {
    const server = await serverOf();
    const { fill } = brokerOf(['api.test']);
    await scene
      .egress()
      .send({ method: 'POST', url: server.url('other.test', `/${marker}`), headers, body: secretBody, fill });
    expect(toldOf(server)).not.toContain('hunter2');
    expect(lastOf(server)).toMatchObject({ path: `/${marker}`, body: `body ${marker}` });
  });

  it('are filled again for a redirect at the host', async () => {
    const server = await serverOf({ '/hunter2/a': [307, 'next'] });
    const { fill, asked } = brokerOf(['api.test']);
    const url = server.url('api.test', `/${marker}/a`);
    const answer = await scene.egress().send({ method: 'POST', url, headers, body: secretBody, fill });
    expect(lastOf(server)).toMatchObject({ path: '/hunter2/next', body: 'body hunter2' });
    expect(lastOf(server).headers).toMatchObject({ 'x-key': 'key hunter2' });
    expect(JSON.stringify([asked, answer.url])).not.toContain('hunter2');
  });

  it('never go to a new host without a grant, nor do the headers and the body that contained them', async () => {
    const [evil, redirects] = [await serverOf(), {} as Record<string, readonly [number, string]>];
    const server = await serverOf(redirects);
    redirects['/hunter2?key=hunter2'] = [307, evil.url('evil.test', '/take')];
    const { fill, asked } = brokerOf(['api.test']);
    const url = server.url('api.test', `/${marker}?key=${marker}`);
    await scene.egress().send({ method: 'POST', url, headers, body: secretBody, fill });
    expect(toldOf(evil)).not.toMatch(/hunter2|MARKER/);
    expect(lastOf(evil)).toMatchObject({ method: 'POST', path: '/take', body: '' });
    expect(lastOf(evil).headers).toMatchObject({ 'x-plain': 'plain', 'content-length': '0' });
    for (const name of ['x-key', 'content-type', 'referer']) expect(lastOf(evil).headers[name]).toBeUndefined();
    expect(asked.map(({ host }) => host)).toEqual(['api.test', 'evil.test']);
  });

  it('are filled for a new host that has a grant too', async () => {
    const redirects: Record<string, readonly [number, string]> = {};
    const server = await serverOf(redirects);
    redirects['/'] = [308, server.url('eu.api.test', '/next')];
    const { fill } = brokerOf(['api.test', 'eu.api.test']);
    await scene.egress().send({ method: 'POST', url: server.url('api.test'), headers, body: secretBody, fill });
    expect(lastOf(server)).toMatchObject({ path: '/next', body: 'body hunter2' });
    expect(lastOf(server).headers).toMatchObject({ 'x-key': 'key hunter2', host: `eu.api.test:${server.port}` });
  });

  it('are lost for good once a host on the way had no grant', async () => {
    const redirects: Record<string, readonly [number, string]> = {};
    const server = await serverOf(redirects);
    redirects['/'] = [307, server.url('evil.test', '/there')];
    redirects['/there'] = [307, server.url('api.test', '/chosen-by-evil')];
    const { fill } = brokerOf(['api.test']);
    await scene.egress().send({ method: 'POST', url: server.url('api.test'), headers, body: secretBody, fill });
    expect(lastOf(server)).toMatchObject({ path: '/chosen-by-evil', body: '' });
    expect(lastOf(server).headers['x-key']).toBeUndefined();
  });

  it('are removed even if the filler fills only once', async () => {
    const redirects: Record<string, readonly [number, string]> = {};
    const server = await serverOf(redirects);
    redirects['/'] = [307, server.url('api.test', '/again')];
    redirects['/again'] = [307, server.url('evil.test', '/there')];
    const { fill } = brokerOf(['api.test']);
    let times = 0;
    const once: EgressFill = (hop) => (times++ === 0 ? fill(hop) : hop);
    await scene.egress().send({ method: 'POST', url: server.url('api.test'), headers, body: secretBody, fill: once });
    expect(lastOf(server)).toMatchObject({ path: '/there', body: '' });
    expect(lastOf(server).headers['x-key']).toBeUndefined();
  });

  it('leave everything without a placeholder in place', async () => {
    const redirects: Record<string, readonly [number, string]> = {};
    const server = await serverOf(redirects);
    redirects['/'] = [307, server.url('evil.test', '/there')];
    const { fill } = brokerOf(['api.test']);
    await scene.egress().send({ method: 'POST', url: server.url('api.test'), headers: described, body, fill });
    expect(lastOf(server)).toMatchObject({ path: '/there', body: 'content' });
    expect(lastOf(server).headers).toMatchObject({ 'content-type': 'text/plain', 'x-other': 'other' });
  });

  it('may be in additional headers', async () => {
    const redirects: Record<string, readonly [number, string]> = {};
    const server = await serverOf(redirects);
    redirects['/'] = [307, server.url('evil.test', '/there')];
    const fill: EgressFill = (hop) =>
      hop.host === 'api.test' ? { ...hop, headers: [...hop.headers, ['Authorization', 'Bearer hunter2']] } : hop;
    await scene.egress().send(request(server.url('api.test'), { fill }));
    expect(server.seen.map(({ headers: { authorization } }) => authorization)).toEqual(['Bearer hunter2', undefined]);
  });

  it.each([
    ['another host', 'http://evil.test/hunter2'],
    ['another port', 'http://api.test:1/hunter2'],
    ['https', 'https://api.test/hunter2'],
  ])('cannot lead to %s', async (_, url) => {
    const sent = scene.egress().send(request('http://api.test/', { fill: (hop) => ({ ...hop, url }) }));
    await expect(sent).rejects.toMatchObject({
      kind: 'fill',
      message: "The filled-in value leads to another host than 'api.test'; do not use a secret in the host.",
    });
  });

  it.each([
    ['a line break in a header', { headers: [['X-Key', 'hunter2\r\nX: y']] as const }, 'header'],
    ['a header of ours', { headers: [['Host', 'hunter2']] as const }, 'header'],
    ['too much of a body', { body: Buffer.alloc(11 * 1024 * 1024) }, 'too-large'],
    ['a user', { url: 'http://hunter2@api.test/' }, 'url'],
    ['no address', { url: 'hunter2' }, 'url'],
  ])('are judged like the written request: %s', async (_, filled, kind) => {
    const { asked, resolve } = resolverOf();
    const sent = scene
      .egress({ resolve })
      .send(request('http://api.test/', { fill: (hop) => ({ ...hop, ...filled }) }));
    await expect(sent).rejects.toMatchObject({
      name: 'EgressRefused',
      kind,
      message: expect.not.stringContaining('hunter2'),
    });
    expect(asked).toEqual([]);
  });

  it('end the request with the error of the filler', async () => {
    const fault = new Error('Approval is missing.');
    const fill = () => Promise.reject(fault);
    await expect(scene.egress().send(request('http://api.test/', { fill }))).rejects.toBe(fault);
    const now = () => {
      throw fault;
    };
    await expect(scene.egress().send(request('http://api.test/', { fill: now }))).rejects.toBe(fault);
  });
});

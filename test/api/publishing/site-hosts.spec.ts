import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { SiteClient, type SiteReply } from '../../support/sites/site-client.js';

let app: TestApp;
let subdomain: string;
let projectId: string;
beforeAll(async () => {
  app = await startApp({
    environment: { BASE_URL: 'http://api.example.org/countersign', APP_DOMAIN: 'sites.example.net' },
  });
  const { id } = await done(app, 'site/createProject', { name: 'Shop' });
  projectId = id;
  subdomain = (await done(app, 'site/getProject', { id })).subdomain;
}, 60_000);
afterAll(() => app.close());

const at = (host: string) => new SiteClient(app, host);
const plain = ({ status, headers, text }: SiteReply) => {
  const { date: _, 'x-request-id': __, ...others } = headers;
  return { status, headers: others, text };
};

describe('a host', () => {
  it.each(['127.0.0.1', 'localhost', 'LOCALHOST:80', '[::1]:3000', 'api.example.org', 'API.Example.org.:8443'])(
    "'%s' is the service's own",
    async (host) => {
      const start = await at(host).get('/');
      expect([start.status, start.text.includes('Countersign')]).toEqual([200, true]);
    },
  );

  it('of nobody and of an unpublished site get the same page for every path', async () => {
    const unpublished = plain(await at(`${subdomain}.sites.example.net`).get('/'));
    expect([unpublished.status, unpublished.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(unpublished.text).not.toMatch(/countersign/i);
    for (const host of [
      'evil.example.com',
      'none.sites.example.net',
      'sites.example.net',
      `deep.${subdomain}.sites.example.net`,
      'preview--none.sites.example.net',
      'shop--none.sites.example.net',
      'a--b--c.sites.example.net',
      'a b',
      'evil/localhost',
      'localhost@evil.example.com',
      'localhost:3000:80',
      '127.1.evil.example.com',
      '[::1',
      'x'.repeat(300),
      '192.0.2.1',
    ]) {
      for (const path of [
        '/',
        '/approvals',
        '/mcp',
        '/api/v1/site/listProjects',
        '/api/docs',
        '/api/auth/me',
        '/@site',
        '/%',
      ]) {
        expect([host, path, plain(await at(host).get(path))]).toEqual([host, path, unpublished]);
      }
    }
  });

  it('that is missing or named twice is 400', async () => {
    for (const lines of [[], ['Host:'], ['Host: localhost', 'Host: evil.example.com']]) {
      const answer = await rawly(`GET / HTTP/1.0\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    }
  });

  it.each([
    ['a tab', 'GET /approvals', 'localhost\tevil.example.com'],
    ['a line that goes on', 'GET /approvals', 'evil.example.com\r\n localhost'],
    ['a NUL', 'GET /approvals', 'localhost\0.evil.example.com'],
    ['bytes above ASCII', 'GET /approvals', 'lo\u00e7alhost'],
    ['percents', 'GET /approvals', '%6cocalhost%2eevil.example.com'],
    ['several names', 'GET /approvals', 'localhost, evil.example.com'],
    ['a user', 'GET /approvals', 'localhost:80@evil.example.com'],
    ['a port that is none', 'GET /approvals', 'localhost:port'],
    ['an underscore', 'GET /approvals', 'local_host'],
    ['a hidden dot', 'GET /approvals', 'localhost\u3002evil.example.com'],
    ['no end', 'GET /approvals', 'localhost.'.repeat(1_500)],
    ['another name than the address', 'GET http://evil.example.com/approvals', 'localhost'],
    ['the right name beside another address', 'GET http://localhost/approvals', 'evil.example.com'],
    ['an address of no path', 'OPTIONS *', 'evil.example.com'],
    ['a path of two hosts', 'GET //evil.example.com/approvals', 'localhost'],
  ])('with %s reveals nothing and breaks nothing', async (_, line, host) => {
    const answer = await rawly(`${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 4(?:00|04|05|31) /);
    expect(answer).not.toMatch(/sign-in|Countersign/);
  });

  it('is irrelevant for health checks', async () => {
    for (const host of ['evil.example.com', '10.0.0.7:3000', `${subdomain}.sites.example.net`]) {
      expect((await at(host).get('/healthz?x=1')).body).toEqual({ status: 'ok' });
      expect((await at(host).get('/readyz')).status).toBe(200);
      expect((await at(host).get('/metrics')).text).toContain('process_cpu');
    }
    expect(await rawly('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('the host of a site', () => {
  it("answers the visitors' API below /api, with the host name in any case", async () => {
    for (const host of [`${subdomain}.sites.example.net`, `${subdomain}.SITES.example.net.:3000`]) {
      expect((await at(host).get('/api/auth/me')).body).toEqual({ user: null });
    }
    const preview = await at(`preview--${projectId.slice(5)}.sites.example.net`).get('/api/auth/me');
    expect([preview.status, preview.body.code]).toEqual([401, 'site-entry-required']);
  });

  it('has no operations, approvals, audit, documents or MCP', async () => {
    const site = at(`${subdomain}.sites.example.net`);
    const key = { authorization: `Bearer ${app.ownerKey}` };
    for (const path of [
      '/approvals',
      '/audit',
      '/mcp',
      '/api/docs',
      '/api/openapi.json',
      '/api/v1/site/listProjects',
      '/api/app/x/auth/me',
    ]) {
      expect([path, (await site.get(path, key)).status]).toEqual([path, 404]);
    }
    const { status } = await site.post('/api/v1/site/listProjects', {}, key);
    expect(status).toBe(404);
  });

  it("cannot be addressed from the service's own host", async () => {
    for (const path of ['/@site', '/%40site', '/api/app/@host/auth/me', '/api/app/%40host/auth/me']) {
      expect([path, (await at('localhost').get(path)).status]).toEqual([path, 404]);
    }
  });

  it('changes as soon as the subdomain does', async () => {
    const { id } = await done(app, 'site/createProject', { name: 'Moves' });
    await done(app, 'site/updateSubdomain', { id, subdomain: 'first-name' });
    expect((await at('first-name.sites.example.net').get('/api/auth/me')).status).toBe(200);
    await done(app, 'site/updateSubdomain', { id, subdomain: 'second-name' });
    expect((await at('second-name.sites.example.net').get('/api/auth/me')).status).toBe(200);
    expect((await at('first-name.sites.example.net').get('/api/auth/me')).status).toBe(404);
  });
});

describe("many connections to a site's host", () => {
  it('that send nothing, or half of a request, do not keep others from an answer', async () => {
    const server = app.app.getHttpServer();
    const { hostname, port } = new URL(app.url);
    const host = `Host: ${subdomain}.sites.example.net`;
    const json = 'Content-Type: application/json\r\nContent-Length: 500';
    const silent = ['', 'GET / HT', `GET / HTTP/1.1\r\n${host}\r\nX-A: `];
    const halves = [
      `POST /api/auth/login HTTP/1.1\r\n${host}\r\n${json}\r\n\r\n{"email":`,
      `POST /login HTTP/1.1\r\n${host}\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nform=`,
    ];
    server.headersTimeout = 1_000;
    const sockets: Socket[] = [];
    try {
      for (let n = 0; n < 300; n++) {
        const socket = connect(Number(port), hostname, () =>
          socket.write((n < 40 ? halves : silent)[n % (n < 40 ? 2 : 3)] ?? ''),
        );
        sockets.push(socket.on('error', () => undefined).resume());
        // Waits for every 250 connections, because the system's backlog of pending connections is limited.
        if (n % 250 === 0) await Promise.all(sockets.map((one) => (one.connecting ? once(one, 'connect') : undefined)));
      }
      await Promise.all(sockets.map((socket) => (socket.connecting ? once(socket, 'connect') : undefined)));
      const client = at(`${subdomain}.sites.example.net`);
      const answers = await Promise.all(Array.from({ length: 20 }, () => client.get('/api/auth/me')));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      await eventually(
        async () => sockets.slice(40).filter(({ closed }) => !closed).length,
        (left) => left === 0,
        20_000,
      );
    } finally {
      server.headersTimeout = 15_000;
      for (const socket of sockets) socket.destroy();
    }
    const held = async () => /^countersign_body_bytes (\d+)$/m.exec((await at('localhost').get('/metrics')).text)?.[1];
    expect(await eventually(held, (bytes) => bytes === '0')).toBe('0');
  }, 30_000);
});

describe("a proxy's question before it gets a certificate", () => {
  it('is answered for hosts of this service only', async () => {
    const status = async (domain: string) =>
      (await at('localhost').get(`/api/tls/ask?domain=${encodeURIComponent(domain)}`)).status;
    for (const served of [subdomain, `preview--${projectId.slice(5)}`]) {
      expect(await status(`${served}.sites.example.net`)).toBe(200);
    }
    for (const other of [
      'sites.example.net',
      'none.sites.example.net',
      'evil.example.com',
      'api.example.org',
      '',
      'a b',
      `x.${subdomain}.sites.example.net`,
    ]) {
      expect([other, await status(other)]).toEqual([other, 404]);
    }
    expect((await at('localhost').get('/api/tls/ask')).status).toBe(404);
    expect((await at('localhost').get('/api/tls/ask?domain=a&domain=b')).status).toBe(404);
  });
});

async function rawly(text: string): Promise<string> {
  const { hostname, port } = new URL(app.url);
  return new Promise((resolve, reject) => {
    let told = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setEncoding('utf8').on('data', (piece: string) => {
      told += piece;
    });
    socket.on('error', reject).on('close', () => resolve(told));
  });
}

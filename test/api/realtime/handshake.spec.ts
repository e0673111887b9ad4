import { connect as tcp } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { RealtimeClient } from '../../support/sites/realtime-client.js';
import { SiteClient } from '../../support/sites/site-client.js';
import { entersSite, signedInMember } from '../../support/sites/site-members.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

let app: TestApp;
let visitors: SiteVisitors;
let projectId: string;
let host: string;
let pass: string;
const opened: RealtimeClient[] = [];
beforeAll(async () => {
  app = await startApp({
    environment: {
      BASE_URL: 'http://localhost:3000',
      REALTIME_ADDRESS_CONNECTIONS: '25',
      REALTIME_SITE_CONNECTIONS: '30',
    },
  });
});
afterAll(() => app?.close());
beforeEach(async () => {
  visitors = await siteVisitors(app);
  projectId = visitors.projectId;
  host = `${(await done(app, 'site/getProject', { id: projectId })).subdomain}.localhost:3000`;
  await visitors.user('ada@example.com');
  pass = await visitors.logIn('ada@example.com');
});
afterEach(() => {
  for (const client of opened.splice(0)) client.close();
});

const own = () => `${app.url.replace('http', 'ws')}/api/app/${projectId}/realtime`;
const onHost = () => `${app.url.replace('http', 'ws')}/api/realtime`;
const open = async (url: string, headers: Record<string, string> = {}, protocols: string[] = []) => {
  const client = await RealtimeClient.at(url, protocols, { headers });
  opened.push(client);
  return client;
};
/** Returns `signed-in`, `anonymous`, or the status and code of the refused handshake. */
const who = async (url: string, headers: Record<string, string> = {}, protocols: string[] = []) => {
  try {
    const client = await open(url, headers, protocols);
    return (await client.listens('anything')) === 'subscribed' ? 'signed-in' : 'anonymous';
  } catch (error) {
    const { status, code } = error as { status?: number; code?: string };
    return [status, code];
  }
};
const raw = (text: string) =>
  new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(app.url);
    let answer = '';
    const socket = tcp(Number(port), hostname, () => socket.write(text));
    socket.on('data', (chunk) => {
      answer += String(chunk);
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });

describe('a socket below /api/app/<projectId>/', () => {
  it('is opened for the user of the header or the subprotocol, and never for one in the address', async () => {
    expect(await who(own(), { 'x-site-session': pass })).toBe('signed-in');
    expect(await who(own(), {}, ['countersign', `session.${pass}`])).toBe('signed-in');
    expect(await who(own())).toBe('anonymous');
    expect(await who(own(), { 'x-site-session': 'made-up' })).toBe('anonymous');
    expect(await who(`${own()}?session=${pass}&x-site-session=${pass}`)).toBe('anonymous');
    expect(await who(own(), { cookie: `site_pass=${pass}` })).toBe('anonymous');
  });

  it('is the only place that a subprotocol signs in to', async () => {
    const { body } = await visitors.get('auth/me', undefined, { 'sec-websocket-protocol': `session.${pass}` });
    expect(body).toEqual({ user: null });
  });

  it('answers with the subprotocol countersign only, so that no token is sent back', async () => {
    const client = await open(own(), {}, ['countersign', `session.${pass}`]);
    expect(client.socket.protocol).toBe('countersign');
  });

  it('is opened for pages of origins that the site names, and of no others', async () => {
    const elsewhere = { origin: 'https://elsewhere.example', 'x-site-session': pass };
    expect(await who(own(), elsewhere)).toEqual([403, 'origin-not-allowed']);
    await done(app, 'site/updateProjectAuth', { id: projectId, allowedOrigins: ['https://elsewhere.example'] });
    expect(await who(own(), elsewhere)).toBe('signed-in');
    expect(await who(own(), { ...elsewhere, origin: 'null' })).toEqual([403, 'origin-not-allowed']);
    // Some libraries send the service's own address as the origin.
    expect(await who(own(), { origin: app.url, 'x-site-session': pass })).toBe('signed-in');
  });

  it('does not exist for an unknown site', async () => {
    expect(await who(own().replace(projectId, 'prj_none'))).toEqual([404, 'site-not-found']);
  });
});

describe('a socket on the site’s own host', () => {
  it('is opened with its cookie for its own pages only', async () => {
    const cookie = `site_pass=${pass}`;
    const of = (origin: string) => who(onHost(), { host, cookie, origin });
    expect(await of(`http://${host}`)).toBe('signed-in');
    expect(await of(`https://${host}`)).toBe('signed-in');
    expect(await of('http://other.localhost:3000')).toEqual([403, 'origin-not-own']);
    expect(await of('null')).toEqual([403, 'origin-not-own']);
    expect(await who(onHost(), { host, origin: 'http://other.localhost:3000' })).toEqual([403, 'origin-not-own']);
    expect(await who(onHost(), { host })).toBe('anonymous');
  });

  it('on an unknown host is not found', async () => {
    const [status] = (await who(onHost(), { host: 'nobody.localhost:3000' })) as [number, string];
    expect(status).toBe(404);
  });

  it('of a preview is open to members who have entered it, as the owner', async () => {
    const preview = new SiteClient(app, `preview--${projectId.replace('proj_', '')}.localhost:3000`);
    const at = () => onHost();
    expect(await who(at(), { host: preview.host })).toEqual([401, 'site-entry-required']);
    await entersSite(preview, await signedInMember(app));
    const cookie = [...preview.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    await done(app, 'site/setChannelAccessRules', { projectId, pattern: '*', accessRules: { subscribe: [] } });
    const client = await open(at(), { host: preview.host, cookie, origin: `http://${preview.host}` });
    expect(await client.listens('anything')).toBe('subscribed');
    expect(await client.outcome({ type: 'publish', channel: 'anything', data: 1 })).toBe('published');
    const message = await client.next(({ type }) => type === 'message');
    expect(message).toMatchObject({ data: 1, from: { kind: 'member' } });
  });
});

describe('a request that opens no socket', () => {
  it('gets the reason', async () => {
    const { status, body } = await visitors.get('realtime');
    expect([status, body.code]).toEqual([400, 'websocket-wanted']);
    expect(await raw(handshake({ 'Sec-WebSocket-Version': '8' }))).toMatch(/^HTTP\/1.1 400 .*websocket-wanted/s);
    expect(await raw(handshake({ 'Sec-WebSocket-Key': 'short' }))).toMatch(/^HTTP\/1.1 400 /);
    expect(await raw(handshake({ 'Content-Length': '3' }, 'abc'))).toMatch(/^HTTP\/1.1 4\d\d /);
    expect(await raw(handshake({ 'Transfer-Encoding': 'chunked' }, '0\r\n\r\n'))).toMatch(/^HTTP\/1.1 400 /);
  });

  it('but asks for another protocol is answered as a plain request', async () => {
    const answer = await raw(
      `GET /api/app/${projectId}/auth/me HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 OK.*\{"user":null\}/s);
  });

  it('elsewhere is answered as a plain request there', async () => {
    const at = (path: string) => raw(handshake({}, '', path));
    expect(await at('/nothing')).toMatch(/^HTTP\/1.1 404 .*unknown-path/s);
    expect(await at('/healthz')).toMatch(/^HTTP\/1.1 200 /);
  });
});

function handshake(headers: Record<string, string>, body = '', path = `/api/app/${projectId}/realtime`): string {
  const sent = {
    Host: '127.0.0.1',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': Buffer.alloc(16, 7).toString('base64'),
    ...headers,
  };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

describe('sockets are limited', () => {
  it('for one visitor, one address and one site', async () => {
    const codes: unknown[] = [];
    for (let n = 0; n < 21; n += 1) codes.push(await who(own(), { 'x-site-session': pass }));
    expect(codes.slice(0, 20).every((code) => code === 'signed-in')).toBe(true);
    expect(codes[20]).toEqual([429, 'sockets-of-visitor']);
    for (let n = 0; n < 5; n += 1) expect(await who(own())).toBe('anonymous');
    expect(await who(own())).toEqual([429, 'sockets-of-address']);
    opened.pop()?.close();
    await eventually(
      () => who(own()),
      (code) => code === 'anonymous',
    );
    // Each site has its own limit.
    const other = await siteVisitors(app);
    expect(await who(own().replace(projectId, other.projectId))).toBe('anonymous');
  });
});

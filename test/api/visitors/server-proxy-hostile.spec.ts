// Second tier.
import { createHash, randomBytes } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { embeddings, ipv4Of, notations } from '../../support/egress/address-notations.js';
import { brief, ProxyScene } from '../../support/sites/proxy-scene.js';

const scene = new ProxyScene();
beforeAll(() => scene.start());
afterAll(() => scene.app.close());
beforeEach(() => scene.begin());
afterEach(() => scene.end());

const megabyte = 1024 * 1024;
const digest = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

describe('a private address', () => {
  it.each(['10.0.0.1', '169.254.169.254', '192.168.1.1', '100.64.0.1', '0.0.0.0', '127.0.0.2'])(
    '%s is refused in every notation (Q-S108)',
    async (text) => {
      const address = ipv4Of(text);
      const hosts = [
        ...Object.entries(notations).map(([how, written]) => [how, written(address)] as const),
        ...Object.entries(embeddings).map(([how, written]) => [how, `[${written(address)}]`] as const),
      ];
      for (const [how, host] of hosts) {
        const { status, body } = await scene.site.post('proxy', { url: `http://${host}:${scene.server.port}/` });
        expect([how, host, status, body.code]).toEqual([how, host, 403, 'proxy-not-followed']);
      }
    },
  );

  it.each(['[::1]', '[fe80::1]', '[fc00::1]', '[::]', '[ff02::1]'])('refuses the private address %s', async (host) => {
    expect(brief(await scene.visitor({ url: `http://${host}/` }))).toEqual([403, 'proxy-not-followed']);
  });

  it('is refused on ports of mail, too', async () => {
    for (const port of [25, 465, 587]) {
      expect(brief(await scene.visitor({ url: `http://api.test:${port}/` }))).toEqual([403, 'proxy-not-followed']);
    }
  });
});

describe('sizes', () => {
  it('go up to 10 MB each way, and no further', async () => {
    const bytes = randomBytes(10 * megabyte);
    scene.answer = ({ path }) => ({ body: path === '/more' ? Buffer.concat([bytes, Buffer.from('x')]) : bytes });
    const { body } = await scene.visitor();
    expect([body.encoding, digest(Buffer.from(body.body, 'base64'))]).toEqual(['base64', digest(bytes)]);
    expect(brief(await scene.visitor({ url: scene.at('/more') }))).toEqual([422, 'proxy-failed']);
    const text = 'x'.repeat(10 * megabyte);
    expect((await scene.member({ method: 'POST', body: text })).status).toBe(200);
    expect(digest(scene.last?.body ?? '')).toBe(digest(text));
    const { status, body: refused } = await scene.member({ method: 'POST', body: `${text}x` });
    expect([status, refused.code, refused.errors[0].path]).toEqual([400, 'proxy-request-refused', 'body']);
    expect((await scene.visitor({ method: 'POST', body: 'x'.repeat(17 * megabyte) })).status).toBe(413);
  });

  it('are those of a decompressed answer', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * megabyte));
    scene.answer = () => ({ headers: { 'Content-Encoding': 'gzip' }, body: bomb });
    expect(brief(await scene.visitor())).toEqual([422, 'proxy-failed']);
    scene.answer = () => ({ headers: { 'Content-Encoding': 'br' }, body: brotliCompressSync('fine') });
    expect((await scene.visitor()).body).toMatchObject({
      body: 'fine',
      headers: expect.not.objectContaining({ 'content-encoding': 'br' }),
    });
  });

  it('end an endless answer', async () => {
    const endless = await scene.endless();
    expect(brief(await scene.visitor({ url: endless.url('api.test') }))).toEqual([422, 'proxy-failed']);
    expect(endless.open.size).toBe(0);
  });

  it('of headers are limited', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`X-${n}`, 'x']));
    expect(brief(await scene.visitor({ headers: many }))).toEqual([400, 'proxy-request-refused']);
    expect(brief(await scene.visitor({ headers: { 'X-Long': 'x'.repeat(40_000) } }))).toEqual([
      400,
      'proxy-request-refused',
    ]);
    scene.answer = () => ({ headers: many });
    expect(brief(await scene.visitor())).toEqual([422, 'proxy-failed']);
  });
});

describe('invalid answers', () => {
  it.each([
    ['nothing', ''],
    ['no HTTP', 'hello\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ])('of %s are failures', async (_, text) => {
    const server = await scene.raw(text);
    expect(brief(await scene.visitor({ url: server.url('api.test') }))).toEqual([422, 'proxy-failed']);
  });

  it('cannot change an object by names of headers', async () => {
    const server = await scene.raw('HTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y\r\nContent-Length: 0\r\n\r\n');
    const { status, body } = await scene.visitor({ url: server.url('api.test') });
    expect([status, body.status, body.headers.constructor]).toEqual([200, 200, 'y']);
  });
});

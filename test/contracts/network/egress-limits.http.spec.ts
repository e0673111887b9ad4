// Second tier.
import { setImmediate } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { EgressFailed } from '../../../src/ports/network/egress.port.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { EgressScene, request, resolverOf, textOf } from '../../support/egress/egress-scene.js';
import { eventually } from '../../support/eventually.js';

const scene = new EgressScene();
afterEach(() => scene.close());

const megabyte = 1024 * 1024;

describe('egress over http, sizes', () => {
  it.each([
    ['with a length', { 'content-length': String(10 * megabyte + 1) }],
    ['in chunks', {}],
  ])('reads 10 MB of an answer %s, and not a byte more', async (_, headers) => {
    let size = 10 * megabyte;
    const server = await scene.http((_, response) => {
      response.writeHead(200, size > 10 * megabyte ? headers : {}).end(Buffer.alloc(size));
    });
    expect((await scene.egress().send(request(server.url()))).body).toHaveLength(size);
    size += 1;
    await expect(scene.egress().send(request(server.url()))).rejects.toMatchObject({
      kind: 'too-large',
      message: "The response of '127.0.0.1' is larger than 10 MB; request less at a time.",
    });
  });

  it('stops reading an endless answer, and ends the connection', async () => {
    let sent = 0;
    const server = await scene.http((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
      };
      response.on('drain', more);
      more();
    });
    await expect(
      scene.egress().send(request(server.url(), { limits: { responseBytes: 1_000 } })),
    ).rejects.toMatchObject({
      kind: 'too-large',
      message: "The response of '127.0.0.1' is larger than 1000 bytes; request less at a time.",
    });
    await eventually(
      async () => server.open.size,
      (open) => open === 0,
    );
    expect(sent).toBeLessThan(20 * megabyte);
  });

  const zeros = Buffer.alloc(64 * megabyte);
  it.each([
    ['gzip', gzipSync(zeros)],
    ['br', brotliCompressSync(zeros, { params: {} })],
    ['deflate', deflateSync(zeros)],
  ])('count decompressed bytes, against a bomb in %s', async (coding, bomb) => {
    expect(bomb.length).toBeLessThan(megabyte);
    const server = await scene.http((_, response) => response.writeHead(200, { 'content-encoding': coding }).end(bomb));
    await expect(scene.egress().send(request(server.url()))).rejects.toMatchObject({ kind: 'too-large' });
  });

  it('allow requests of 10 MB, and not a byte more', async () => {
    const server = await scene.http((seen, response) => response.end(String(seen.body.length)));
    const body = Buffer.alloc(10 * megabyte);
    expect(textOf(await scene.egress().send(request(server.url(), { method: 'POST', body })))).toBe(
      String(body.length),
    );
    const more = scene.egress().send(request(server.url(), { method: 'POST', body: Buffer.alloc(body.length + 1) }));
    await expect(more).rejects.toMatchObject({
      kind: 'too-large',
      message: 'The body of a request may have at most 10 MB; send less at a time.',
    });
    expect(server.connections).toBe(1);
  });

  it.each([
    ['headers of more than 32 KB', [['X', 'x'.repeat(33_000)]] as const, '/', /may have at most 32768 bytes/],
    ['an address of more than 32 KB', [], `/${'x'.repeat(33_000)}`, /may have at most 32768 bytes/],
    [
      'more than 200 headers',
      Array.from({ length: 201 }, () => ['X', '1'] as const),
      '/',
      /may have at most 200 headers/,
    ],
  ])('refuse to send %s', async (_, headers, path, message) => {
    const server = await scene.http((_, response) => response.end());
    const sent = scene.egress().send(request(server.url('127.0.0.1', path), { headers }));
    await expect(sent).rejects.toMatchObject({ kind: 'too-large', message: expect.stringMatching(message) });
    expect(server.connections).toBe(0);
  });

  it.each([
    ['one of more than 32 KB', { 'x-big': 'x'.repeat(33_000) }, 'are too large'],
    ['more than 200', { 'x-many': Array.from({ length: 201 }, () => '1') }, 'too many headers'],
  ])('refuse headers beyond the limit: %s', async (_, headers, why) => {
    const server = await scene.http((_, response) => response.writeHead(200, headers).end());
    await expect(scene.egress().send(request(server.url()))).rejects.toMatchObject({
      kind: 'too-large',
      message: expect.stringContaining(why),
    });
  });

  it('allow 150 headers', async () => {
    const headers = { 'x-many': Array.from({ length: 150 }, () => '1') };
    const server = await scene.http((_, response) => response.writeHead(200, headers).end());
    expect((await scene.egress().send(request(server.url()))).headers.length).toBeGreaterThanOrEqual(150);
  });
});

describe('egress over http, time', () => {
  /** Moves the clock to the end of the wait as soon as the request is waiting. */
  const late = async (sent: Promise<unknown>, waits: () => boolean, clock: MadeUpClock, ms: number) => {
    let isOver = false;
    sent.catch(() => {
      isOver = true;
    });
    await eventually(async () => waits() && clock.waits.includes(ms), Boolean);
    clock.advance(ms - 1);
    await setImmediate();
    expect([isOver, clock.waits.includes(1)]).toEqual([false, true]);
    clock.advance(1);
    return expect(sent).rejects;
  };
  const timedOut = {
    name: 'EgressFailed',
    kind: 'timeout',
    message: "The request to '127.0.0.1' did not finish within 30 s; request less or allow more time.",
  };

  it('is limited to 30 seconds without an answer', async () => {
    const clock = new MadeUpClock();
    const server = await scene.http(() => undefined);
    const sent = scene.egress({ clock }).send(request(server.url()));
    await (await late(sent, () => server.seen.length === 1, clock, 30_000)).toMatchObject(timedOut);
    await eventually(
      async () => server.open.size,
      (open) => open === 0,
    );
  });

  it.each([
    ['its headers', 'HTTP/1.1 200 OK\r\nX-Slow: '],
    ['its body', 'HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n'],
    ['hints', ''],
  ])('is limited for a server that sends %s byte by byte', async (what, head) => {
    const clock = new MadeUpClock();
    let drops = 0;
    const server = await scene.raw((socket) => {
      socket.write(head);
      const drip = setInterval(() => {
        drops += 1;
        socket.write(what === 'hints' ? 'HTTP/1.1 103 Early Hints\r\n\r\n' : 'x');
      }, 2);
      socket.once('close', () => clearInterval(drip));
    });
    const sent = scene.egress({ clock }).send(request(server.url()));
    await (await late(sent, () => drops > 5, clock, 30_000)).toMatchObject(timedOut);
    await eventually(
      async () => server.open.size,
      (open) => open === 0,
    );
  });

  it('is limited for all redirects together', async () => {
    const clock = new MadeUpClock();
    const server = await scene.http((seen, response) => {
      if (seen.path !== '/2') response.writeHead(302, { location: seen.path === '/' ? '/1' : '/2' }).end();
      if (seen.path === '/1') clock.advance(20_000);
    });
    const sent = scene.egress({ clock }).send(request(server.url()));
    await (await late(sent, () => server.seen.length === 3, clock, 10_000)).toMatchObject(timedOut);
  });

  it('is limited for a resolver, a fill or a handshake that never ends', async () => {
    const server = await scene.raw((socket) => socket.resume());
    const never = () => new Promise<never>(() => undefined);
    const clock = new MadeUpClock();
    const took = "The host 'api.test' accepted no connection within 10 s; check the port, or try again later.";
    const named = scene.egress({ clock, resolve: never }).send(request('http://api.test/'));
    await (await late(named, () => true, clock, 10_000)).toMatchObject({ kind: 'timeout', message: took });
    const secured = scene.egress({ clock }).send(request(server.url('api.test', '/', 'https')));
    await (await late(secured, () => server.open.size === 1, clock, 10_000)).toMatchObject({ message: took });
    await eventually(
      async () => server.open.size,
      (open) => open === 0,
    );
    const filled = scene.egress({ clock }).send(request(server.url(), { fill: never }));
    await (await late(filled, () => true, clock, 30_000)).toMatchObject(timedOut);
  });

  it('runs out before a connection if the name is resolved too late', async () => {
    const server = await scene.http((_, response) => response.end());
    const clock = new MadeUpClock();
    const { promise, resolve: found } = Promise.withResolvers<readonly { address: string }[]>();
    const sent = scene.egress({ clock, resolve: () => promise }).send(request(server.url('api.test')));
    await (await late(sent, () => true, clock, 10_000)).toMatchObject({ kind: 'timeout' });
    found([{ address: '127.0.0.1' }]);
    await scene.egress().send(request(server.url('later.test')));
    expect(server.connections).toBe(1);
  });

  it('is limited to what the caller sets', async () => {
    const server = await scene.http(() => undefined);
    const sent = scene.egress().send(request(server.url(), { limits: { timeoutMs: 50 } }));
    await expect(sent).rejects.toThrow("The request to '127.0.0.1' did not finish within 50 ms");
  });

  it('ends when the caller aborts, before or during the request', async () => {
    const server = await scene.http(() => undefined);
    const over = new AbortController();
    const sent = scene.egress().send(request(server.url(), { signal: over.signal }));
    sent.catch(() => undefined);
    await eventually(
      async () => server.seen.length,
      (count) => count === 1,
    );
    over.abort();
    const stopped = { name: 'EgressFailed', kind: 'stopped', message: "The request to '127.0.0.1' was cancelled." };
    await expect(sent).rejects.toMatchObject(stopped);
    await eventually(
      async () => server.open.size,
      (open) => open === 0,
    );
    await expect(scene.egress().send(request(server.url(), { signal: over.signal }))).rejects.toMatchObject(stopped);
    expect(server.connections).toBe(1);
  });

  it('leaves no timer behind', async () => {
    const clock = new MadeUpClock();
    const server = await scene.http((_, response) => response.end());
    await scene.egress({ clock }).send(request(server.url()));
    expect(clock).toMatchObject({ due: [] });
  });
});

describe('egress over http, failures', () => {
  const fails = async (sent: Promise<unknown>) => {
    await expect(sent).rejects.toThrow(EgressFailed);
    return await sent.catch((error: EgressFailed) => `${error.kind}: ${error.message}`);
  };
  const get = (url: string, more = {}) => fails(scene.egress(more).send(request(url)));

  it('report a name that is unknown, has no address, or cannot be looked up at present', async () => {
    expect(await get('http://nowhere.example/')).toBe(
      "dns: The host 'nowhere.example' is not known to DNS; check how it is spelled.",
    );
    expect(await get('http://none.test/', resolverOf({ 'none.test': [] }))).toBe(
      "dns: The host 'none.test' has no address; check how it is spelled.",
    );
    const resolve = () => Promise.reject(Object.assign(new Error('hunter2'), { code: 'EAI_AGAIN' }));
    expect(await get('http://api.test/', { resolve })).toBe(
      "dns: The host 'api.test' could not be looked up in DNS; try again later.",
    );
  });

  it('report a refused connection', async () => {
    const server = await scene.http((_, response) => response.end());
    const url = server.url();
    await scene.close();
    expect(await get(url)).toBe("connection-refused: The host '127.0.0.1' refuses connections; check the port.");
  });

  it('try the next address after a refused connection', async () => {
    const server = await scene.http((_, response) => response.end('here'));
    const egress = scene.egress({
      allow: ['127.0.0.0/8'],
      ...resolverOf({ 'two.test': ['127.0.0.9', '127.0.0.8', '127.0.0.1'] }),
    });
    expect(textOf(await egress.send(request(server.url('two.test'))))).toBe('here');
  });

  it('report that all addresses refuse the connection', async () => {
    const server = await scene.http((_, response) => response.end());
    const resolver = resolverOf({ 'two.test': ['127.0.0.9', '127.0.0.8'] });
    expect(await get(server.url('two.test'), { allow: ['127.0.0.0/8'], ...resolver })).toMatch(/^connection-refused: /);
  });

  it('report an unreachable network', async () => {
    expect(await get('http://255.255.255.255/', { allow: ['255.255.255.255'] })).toBe(
      "unreachable: The host '255.255.255.255' cannot be reached from here; try again later.",
    );
  });

  it.each([
    ['before it answers', ''],
    ['in its headers', 'HTTP/1.1 200 OK\r\nX-'],
    ['in its body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'],
    ['in a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc'],
  ])('report a connection that breaks %s', async (_, start) => {
    for (const end of ['end', 'resetAndDestroy'] as const) {
      const server = await scene.raw((socket) => {
        socket.once('data', () => socket.write(start, () => setTimeout(() => socket[end](), 5)));
      });
      expect(await get(server.url())).toBe("reset: The host '127.0.0.1' closed the connection; try again.");
    }
  });

  it.each([
    ['another protocol', '220 mail.test ESMTP\r\n'],
    ['HTTP/2', '\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0d'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a broken chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['a header with a bare CR', 'HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n'],
    ['an answer to an upgrade', 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
  ])('report an answer that is not HTTP: %s', async (_, answer) => {
    const server = await scene.raw((socket) => socket.once('data', () => socket.write(answer)));
    expect(await get(server.url())).toBe(
      "protocol: The host '127.0.0.1' does not respond in HTTP/1.1; check the address.",
    );
    await eventually(
      async () => server.open.size,
      (open) => open === 0,
    );
  });

  it('never contain parts of the request: no path, query, header or body', async () => {
    const broken = await scene.raw((socket) => socket.once('data', (data) => socket.end(data)));
    const looped = await scene.http((_, response) => response.writeHead(302, { location: '/hunter2?hunter2' }).end());
    const headers = [['X-Key', 'hunter2']] as const;
    const urls = [
      broken.url(),
      looped.url(),
      'http://10.0.0.1/',
      'http://nowhere.example/',
      'ftp://a/',
      'http://u:hunter2@a/',
      'hunter2',
    ];
    for (const url of urls) {
      const sent = scene
        .egress()
        .send({ method: 'POST', url: `${url}hunter2?key=hunter2`, headers, body: Buffer.from('hunter2') });
      const error: unknown = await sent.catch((reason: unknown) => reason);
      expect(JSON.stringify([String(error), error, (error as Error).stack, (error as Error).cause])).not.toContain(
        'hunter2',
      );
      expect(String(error)).toMatch(/^Egress(Refused|Failed): .+\.$/);
    }
  });
});

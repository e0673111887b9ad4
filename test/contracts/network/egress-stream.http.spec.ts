import { text } from 'node:stream/consumers';
import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { EgressStream } from '../../../src/ports/network/egress.port.js';
import { takes } from '../../support/clocks/delays.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { EgressScene, request, resolverOf } from '../../support/egress/egress-scene.js';
import type { TestServer } from '../../support/egress/test-server.js';
import { eventually } from '../../support/eventually.js';

const scene = new EgressScene();
afterEach(() => scene.close());

const megabyte = 1024 * 1024;
const closed = (server: TestServer) =>
  eventually(
    async () => server.open.size,
    (open) => open === 0,
  );
const read = async ({ body }: EgressStream): Promise<number> => {
  let size = 0;
  for await (const piece of body) size += piece.length;
  return size;
};

describe('egress over http, a streamed answer', () => {
  it('arrives before its body is complete, piece by piece', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const server = await scene.http((_, response) => {
      response.writeHead(200, { 'x-kept': '1' }).write('one');
      void asked.then(() => response.end('two'));
    });
    const answer = await scene.egress().stream(request(server.url()));
    expect(answer).toMatchObject({ status: 200, url: server.url(), redirected: false });
    expect(answer.headers).toContainEqual(['x-kept', '1']);
    const seen: string[] = [];
    for await (const piece of answer.body) {
      seen.push(Buffer.from(piece).toString());
      ask();
    }
    expect(seen).toEqual(['one', 'two']);
    await closed(server);
  });

  it.each([
    ['gzip', gzipSync('compressed')],
    ['br', brotliCompressSync('compressed')],
    ['deflate', deflateSync('compressed')],
    ['deflate', deflateRawSync('compressed')],
    ['identity', Buffer.from('compressed')],
  ])('is decompressed: %s', async (coding, body) => {
    const server = await scene.http((_, response) => response.writeHead(200, { 'content-encoding': coding }).end(body));
    expect(await text((await scene.egress().stream(request(server.url()))).body)).toBe('compressed');
  });

  it('is decompressed as it arrives', async () => {
    const packer = createGzip();
    const server = await scene.http((_, response) => {
      packer.pipe(response.writeHead(200, { 'content-encoding': 'gzip' }));
      packer.write('one');
      packer.flush();
    });
    const { body } = await scene.egress().stream(request(server.url()));
    for await (const piece of body) {
      if (Buffer.from(piece).toString() === 'one') packer.end('two');
      else expect(Buffer.from(piece).toString()).toBe('two');
    }
  });

  it('is read no faster than its reader consumes it', async () => {
    let sent = 0;
    const server = await scene.http((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
      };
      response.on('drain', more);
      more();
    });
    const limits = { responseBytes: 1_000 * megabyte };
    const answer = await scene.egress().stream(request(server.url(), { limits }));
    for await (const _ of answer.body) {
      // Reads slowly, so that a server without backpressure would send everything.
      await takes(200);
      break;
    }
    expect(sent).toBeLessThan(20 * megabyte);
    await closed(server);
  });

  it('follows redirects, each of them judged', async () => {
    const server = await scene.http((seen, response) => {
      const location = { '/': '/there', '/inside': 'http://10.0.0.1/' }[seen.path];
      response.writeHead(location ? 302 : 200, location ? { location } : {}).end('there');
    });
    const answer = await scene.egress().stream(request(server.url()));
    expect([answer.redirected, answer.url, await text(answer.body)]).toEqual([
      true,
      server.url('127.0.0.1', '/there'),
      'there',
    ]);
    const inside = scene.egress().stream(request(server.url('127.0.0.1', '/inside')));
    await expect(inside).rejects.toMatchObject({ name: 'EgressRefused', kind: 'address' });
    await closed(server);
  });

  it.each(['http://10.0.0.1/', 'http://inside.test/', 'http://[::1]/', 'http://169.254.169.254/'])(
    'never comes from a forbidden address: %s',
    async (url) => {
      const egress = scene.egress(resolverOf({ 'inside.test': ['192.168.0.1'] }));
      await expect(egress.stream(request(url))).rejects.toMatchObject({ name: 'EgressRefused', kind: 'address' });
    },
  );

  it('has secrets filled in, and fails at the first byte that cannot be searched for them', async () => {
    const server = await scene.http((_, response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end('x'));
    const fill = () => ({ url: server.url(), headers: [['X-Key', 'value']] as const, readable: true });
    const answer = await scene.egress().stream(request(server.url(), { fill }));
    expect(server.seen[0]?.headers['x-key']).toBe('value');
    await expect(read(answer)).rejects.toMatchObject({ kind: 'protocol' });
  });
});

describe('egress over http, the limits of a streamed answer', () => {
  it.each([
    ['as received', (bytes: Buffer) => bytes, 'identity'],
    ['decompressed', (bytes: Buffer) => gzipSync(bytes), 'gzip'],
  ])('apply to bytes %s', async (_, packed, coding) => {
    const body = packed(Buffer.alloc(11 * megabyte));
    const server = await scene.http((_, response) => response.writeHead(200, { 'content-encoding': coding }).end(body));
    const answer = await scene.egress().stream(request(server.url()));
    await expect(read(answer)).rejects.toMatchObject({
      kind: 'too-large',
      message: "The response of '127.0.0.1' is larger than 10 MB; request less at a time.",
    });
    await closed(server);
    const limits = { responseBytes: 11 * megabyte };
    expect(await read(await scene.egress().stream(request(server.url(), { limits })))).toBe(11 * megabyte);
  });

  const begun = async (clock: MadeUpClock, more: { idleMs?: number; signal?: AbortSignal } = {}) => {
    const server = await scene.http((_, response) => response.write('one'));
    const answer = await scene.egress({ clock }).stream({ ...request(server.url()), ...more });
    const pieces = answer.body[Symbol.asyncIterator]();
    expect(await pieces.next()).toMatchObject({ done: false });
    const next = pieces.next();
    next.catch(() => undefined);
    return { server, answer, next };
  };
  const tooLate = "The request to '127.0.0.1' did not finish within 30 s; request less or allow more time.";

  it("end a wait for the next piece, but not a slow reader's own pauses", async () => {
    const clock = new MadeUpClock();
    const { server, next } = await begun(clock, { idleMs: 5_000 });
    clock.advance(5_000);
    await expect(next).rejects.toMatchObject({
      kind: 'timeout',
      message: "The host '127.0.0.1' sent nothing for 5 s; try again later.",
    });
    await closed(server);
    const whole = await scene.http((_, response) => response.end('all of it'));
    const slow = await scene.egress({ clock }).stream({ ...request(whole.url()), idleMs: 5_000 });
    clock.advance(6_000);
    expect(await text(slow.body)).toBe('all of it');
    expect(clock).toMatchObject({ due: [] });
  });

  it('end an answer that takes too long as a whole, whether it is read or not', async () => {
    const clock = new MadeUpClock();
    const { server, next } = await begun(clock, { idleMs: 60_000 });
    clock.advance(30_000);
    await expect(next).rejects.toMatchObject({ kind: 'timeout', message: tooLate });
    await closed(server);
    const unread = await scene.egress({ clock }).stream(request((await endless()).url()));
    clock.advance(30_000);
    await expect(read(unread)).rejects.toMatchObject({ kind: 'timeout', message: tooLate });
  });

  const endless = () => scene.http((_, response) => response.write('on and on'));

  it('end a wait for the head', async () => {
    const clock = new MadeUpClock();
    const server = await scene.http(() => undefined);
    const sent = scene.egress({ clock }).stream(request(server.url()));
    sent.catch(() => undefined);
    await eventually(
      async () => server.seen.length,
      (seen) => seen === 1,
    );
    clock.advance(30_000);
    await expect(sent).rejects.toMatchObject({ kind: 'timeout', message: tooLate });
    await closed(server);
  });

  it('can be applied by the caller at any time', async () => {
    const clock = new MadeUpClock();
    const over = new AbortController();
    const { server, next } = await begun(clock, { signal: over.signal });
    over.abort();
    await expect(next).rejects.toMatchObject({ name: 'EgressFailed', kind: 'stopped' });
    await closed(server);
    expect(clock).toMatchObject({ due: [] });
  });

  it('end with close, whether or not the body was read', async () => {
    const clock = new MadeUpClock();
    const { server, answer, next } = await begun(clock);
    answer.close();
    answer.close();
    await expect(next).rejects.toMatchObject({ name: 'EgressFailed', kind: 'stopped' });
    await closed(server);
    const unread = await scene.egress({ clock }).stream(request((await endless()).url()));
    unread.close();
    await expect(read(unread)).rejects.toMatchObject({ kind: 'stopped' });
    expect(clock).toMatchObject({ due: [] });
  });

  it('report a broken connection and a wrong encoding', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n';
    const broken = await scene.raw((socket) => socket.once('data', () => socket.end(`${head}\r\nabc`)));
    await expect(read(await scene.egress().stream(request(broken.url())))).rejects.toMatchObject({
      kind: 'reset',
      message: "The host '127.0.0.1' closed the connection; try again.",
    });
    const lying = await scene.raw((socket) =>
      socket.once('data', () => socket.end(`${head}Content-Encoding: gzip\r\n\r\nwhatever.`)),
    );
    await expect(read(await scene.egress().stream(request(lying.url())))).rejects.toMatchObject({ kind: 'protocol' });
  });
});

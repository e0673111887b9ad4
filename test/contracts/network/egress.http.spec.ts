import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { EgressRefused } from '../../../src/ports/network/egress.port.js';
import { EgressScene, request, resolverOf, textOf } from '../../support/egress/egress-scene.js';

const scene = new EgressScene();
afterEach(() => scene.close());

describe('egress over http, a request', () => {
  it('arrives unchanged, with a length, its host, and a connection that ends', async () => {
    const server = await scene.http((_, response) => response.end());
    const headers = [
      ['X-One', '1'],
      ['x-two', 'ä'],
      ['X-One', '2'],
    ] as const;
    const url = server.url('api.test', '/a%20b?q=1&q=2#here');
    await scene.egress().send({ method: 'put', url, headers, body: Buffer.from('héllo') });
    const [seen] = server.seen;
    expect(seen).toMatchObject({ method: 'PUT', path: '/a%20b?q=1&q=2', body: 'héllo' });
    expect(seen?.rawHeaders).toEqual([
      ...['Host', `api.test:${server.port}`],
      ...['X-One', '1', 'x-two', 'ä', 'X-One', '2'],
      ...['User-Agent', 'Countersign', 'Accept-Encoding', 'gzip, br', 'Connection', 'close', 'Content-Length', '6'],
    ]);
  });

  it.each([
    ['GET', undefined, undefined],
    ['DELETE', 'body', '4'],
    ['GET', 'body', '4'],
    ['POST', undefined, '0'],
    ['PROPFIND', undefined, '0'],
  ])('declares the length of its body: %s %s', async (method, body, length) => {
    const server = await scene.http((_, response) => response.end());
    await scene
      .egress()
      .send(request(server.url(), { method, body: body === undefined ? undefined : Buffer.from(body) }));
    expect(server.seen[0]?.headers['content-length']).toBe(length);
    expect(server.seen[0]?.headers['transfer-encoding']).toBeUndefined();
    expect(server.seen[0]?.body).toBe(body ?? '');
  });

  it('keeps the given user agent and encodings', async () => {
    const server = await scene.http((_, response) => response.end());
    const headers = [
      ['user-agent', 'mine'],
      ['accept-encoding', 'identity'],
    ] as const;
    await scene.egress().send(request(server.url(), { headers }));
    expect(server.seen[0]?.headers).toMatchObject({ 'user-agent': 'mine', 'accept-encoding': 'identity' });
  });

  it('has its own connection, sends no cookie back and caches no answer', async () => {
    const server = await scene.http((_, response) =>
      response.writeHead(200, { 'set-cookie': 'a=1', 'cache-control': 'max-age=9999' }).end(),
    );
    const egress = scene.egress();
    await egress.send(request(server.url()));
    await egress.send(request(server.url()));
    expect(server.connections).toBe(2);
    expect(server.seen[1]?.headers.cookie).toBeUndefined();
    expect(server.open.size).toBe(0);
  });
});

describe('egress over http, an answer', () => {
  it.each([200, 204, 304, 404, 500, 599])('with status %s is an answer', async (status) => {
    const server = await scene.http((_, response) => response.writeHead(status).end());
    const url = server.url('api.test', '/x');
    expect(await scene.egress().send(request(url))).toMatchObject({ status, url, redirected: false });
  });

  it('keeps every value of a header, and its order', async () => {
    const server = await scene.http((_, response) =>
      response.writeHead(200, ['Set-Cookie', 'a=1', 'X', 'x', 'Set-Cookie', 'b=2']).end(),
    );
    const { headers } = await scene.egress().send(request(server.url()));
    expect(headers.filter(([name]) => name === 'set-cookie')).toEqual([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ]);
  });

  it('may end with the connection', async () => {
    const server = await scene.raw((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nall of it'));
    expect(textOf(await scene.egress().send(request(server.url())))).toBe('all of it');
  });

  it('may arrive before the request was read to its end', async () => {
    const server = await scene.raw((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno'));
    });
    const body = Buffer.alloc(10 * 1024 * 1024);
    const answer = await scene.egress().send(request(server.url(), { method: 'POST', body }));
    expect([answer.status, textOf(answer)]).toEqual([413, 'no']);
  });

  it('follows informational answers, which are skipped', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    const server = await scene.raw((socket) => socket.end(`${early}${early}HTTP/1.1 200 OK\r\n\r\nyes`));
    expect(textOf(await scene.egress().send(request(server.url())))).toBe('yes');
  });
});

describe('egress over http, compressed answers', () => {
  const text = 'compress me '.repeat(100);
  const send = async (headers: Readonly<Record<string, string>>, body: Uint8Array, more = {}, status = 200) => {
    const server = await scene.http((_, response) => response.writeHead(status, headers).end(body));
    return await scene.egress().send(request(server.url(), more));
  };

  it.each([
    ['gzip', 'gzip', gzipSync(text)],
    ['gzip of several members', 'gzip', Buffer.concat([gzipSync(text.slice(0, 50)), gzipSync(text.slice(50))])],
    ['x-gzip', 'X-GZip', gzipSync(text)],
    ['br', 'br', brotliCompressSync(text)],
    ['deflate', 'deflate', deflateSync(text)],
    ['deflate without its header', 'deflate', deflateRawSync(text)],
  ])('are decompressed: %s', async (_, coding, body) => {
    const answer = await send(
      { 'content-encoding': coding, 'content-length': String(body.length), 'x-kept': '1' },
      body,
    );
    expect(textOf(answer)).toBe(text);
    const names = answer.headers.map(([name]) => name);
    expect(names).toContain('x-kept');
    expect(names).not.toContain('content-encoding');
    expect(names).not.toContain('content-length');
  });

  it.each([
    ['a coding that is not known', { 'content-encoding': 'zstd' }, 200],
    ['codings on top of one another', { 'content-encoding': 'gzip, gzip' }, 200],
    ['a piece', { 'content-encoding': 'gzip', 'content-range': 'bytes 0-9/20' }, 206],
  ])('are passed on unchanged: %s', async (_, headers, status) => {
    const answer = await send(headers, Buffer.from('whatever'), {}, status);
    expect(textOf(answer)).toBe('whatever');
    expect(answer.headers).toContainEqual(['content-encoding', headers['content-encoding']]);
  });

  it('are not requested for a range', async () => {
    const server = await scene.http((_, response) => response.end());
    await scene.egress().send(request(server.url(), { headers: [['Range', 'bytes=0-9']] }));
    expect(server.seen[0]?.headers['accept-encoding']).toBe('identity');
  });

  it.each(['HEAD', 'GET'])('may be empty: %s', async (method) => {
    const length = method === 'HEAD' ? { 'content-length': '99999999999' } : {};
    const answer = await send({ 'content-encoding': 'gzip', ...length }, Buffer.alloc(0), { method });
    expect([answer.status, answer.body.length]).toEqual([200, 0]);
  });

  it.each([
    ['something else', 'gzip', Buffer.from('not gzip')],
    ['half of it', 'gzip', gzipSync(text).subarray(0, 40)],
    ['half of it', 'br', brotliCompressSync(text).subarray(0, 10)],
    ['something else', 'deflate', Buffer.from('not deflate')],
  ])('that are %s of %s fail', async (_, coding, body) => {
    await expect(send({ 'content-encoding': coding }, body)).rejects.toMatchObject({
      kind: 'protocol',
      message: `The response of '127.0.0.1' claims to be ${coding} but is not; request it with Accept-Encoding: identity.`,
    });
  });
});

describe('egress over http, requests that are refused', () => {
  const refused = async (more: Partial<Parameters<typeof request>[1]> & { url?: string }) => {
    const server = await scene.http((_, response) => response.end());
    const sent = scene.egress().send(request(more.url ?? server.url(), more));
    await expect(sent).rejects.toThrow(EgressRefused);
    expect(server.connections).toBe(0);
    return await sent.catch((error: EgressRefused) => `${error.kind}: ${error.message}`);
  };

  it.each([
    'ftp://api.test/',
    'file:///etc/passwd',
    'data:,x',
    'ws://api.test/',
    'gopher://api.test:70/_',
    'javascript:1',
    'unix:/run/x.sock',
  ])('to schemes other than http and https: %s', async (url) => {
    expect(await refused({ url })).toBe('url: The address of a request must begin with https:// or http://.');
  });

  it.each([
    '',
    '/path',
    'api.test',
    '//api.test',
    'http://',
    'http://a b/',
    'http://api.test:99999/',
    `http://${'a.'.repeat(127)}b/`,
  ])('to invalid addresses: %s', async (url) => {
    expect(await refused({ url })).toMatch(/^url: The address of a request must (be a complete URL|begin with)/);
  });

  it.each(['http://user@api.test/', 'http://user:hunter2@api.test/', 'http://:hunter2@api.test/'])(
    'with a user or a password: %s',
    async (url) => {
      expect(await refused({ url })).toBe(
        "url: The address at 'api.test' contains a user or a password; send them in a header.",
      );
    },
  );

  it.each([25, 465, 587])('to port %s, which is for mail', async (port) => {
    expect(await refused({ url: `https://mail.test:${port}/` })).toBe(
      `port: Port ${port} of 'mail.test' is for mail; send mail through a mailbox.`,
    );
  });

  it.each(['CONNECT', 'connect', 'TRACE', 'TRACK', '', 'GET /', 'GET\r\nX: 1', 'GÉT', 'GET\0'])(
    'with the method %j',
    async (method) => {
      expect(await refused({ method })).toBe(
        'method: The method must be one such as GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS.',
      );
    },
  );

  it.each([
    ...['Connection', 'content-length', 'Expect', 'HOST', 'HTTP2-Settings', 'Keep-Alive', 'Proxy-Authorization'],
    ...['proxy-connection', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade'],
  ])('with the header %s', async (name) => {
    expect(await refused({ headers: [[name, 'x']] })).toBe(
      `header: The header '${name}' is set by the service itself; omit it.`,
    );
  });

  it.each(['Hostname', 'X-Host', 'Tenant', 'Upgrade-Insecure-Requests', 'Content-Length-Hint', 'Proxy', 'Expected'])(
    'but not with the header %s',
    async (name) => {
      const server = await scene.http((_, response) => response.end());
      await scene.egress().send(request(server.url(), { headers: [[name, 'x']] }));
      expect(server.seen[0]?.headers[name.toLowerCase()]).toBe('x');
    },
  );

  it.each(['', 'X Y', 'X:', 'X\r\nY', 'X\n', 'É', 'Transfer-Encoding ', '\tHost'])(
    'with the header name %j',
    async (name) => {
      expect(await refused({ headers: [[name, 'x']] })).toBe(
        'header: The name of a header must consist of letters, digits and hyphens.',
      );
    },
  );

  it.each(['a\r\nHost: b', 'a\nb', 'a\rb', 'a\0', 'hunter2\u2028', 'hunter2 ☃'])(
    'with the header value %j',
    async (value) => {
      expect(await refused({ headers: [['X-Key', value]] })).toBe(
        "header: The header 'X-Key' contains a character that is not allowed in headers; remove it.",
      );
    },
  );
});

describe('egress over http, connections for other protocols', () => {
  it('go to a judged address, and are plain', async () => {
    const server = await scene.raw((socket) => socket.end('220 mail.test ready'));
    const { asked, resolve } = resolverOf();
    const socket = await scene.egress({ resolve }).connect({ host: 'Mail.test.', port: server.port });
    expect([socket.remoteAddress, asked]).toEqual(['127.0.0.1', ['mail.test']]);
    expect(String(await socket.setEncoding('utf8').toArray())).toBe('220 mail.test ready');
  });

  it.each(['10.0.0.1', '0x0a.1', '::1', '::ffff:10.0.0.1', 'inside.test'])('are refused to %s', async (host) => {
    const egress = scene.egress(resolverOf({ 'inside.test': ['10.0.0.1'] }));
    await expect(egress.connect({ host, port: 25 })).rejects.toMatchObject({ kind: 'address' });
  });

  it.each(['a@b', 'mail.test:25', 'mail.test/x', 'a?b', 'a#b', 'a\\b', 'a b', '', '[::1]', 'fe80::1%eth0', 'http://a'])(
    'are refused to invalid hosts: %j',
    async (host) => {
      await expect(scene.egress().connect({ host, port: 25 })).rejects.toMatchObject({ kind: 'url' });
    },
  );

  it.each([0, -1, 65_536, 1.5, Number.NaN])('are refused to port %s', async (port) => {
    await expect(scene.egress().connect({ host: 'mail.test', port })).rejects.toMatchObject({ kind: 'port' });
  });

  it('end with the signal', async () => {
    const server = await scene.raw(() => undefined);
    const over = new AbortController();
    const socket = await scene.egress().connect({ host: 'mail.test', port: server.port, signal: over.signal });
    over.abort();
    expect(socket.destroyed).toBe(true);
    const again = scene.egress().connect({ host: 'mail.test', port: server.port, signal: over.signal });
    await expect(again).rejects.toMatchObject({ kind: 'stopped' });
  });
});

import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { Authority } from '../../support/egress/certificates.js';
import { EgressScene, request, resolverOf, textOf } from '../../support/egress/egress-scene.js';

const scene = new EgressScene();
afterEach(() => scene.close());

const authority = new Authority('Test authority');
const good = authority.issue({ hosts: ['api.test', '127.0.0.1'] });
const trusted = { ca: [authority.cert] };

describe('egress over https', () => {
  const secure = (tls = good) => scene.http((_, response) => response.end('secret page'), { tls });

  it.each([
    ['api.test', 'api.test'],
    ['API.test.', 'api.test'],
    ['127.0.0.1', undefined],
    ['0x7f.1', undefined],
  ])('reaches a host with a certificate for %s, requested as %s', async (host, serverName) => {
    const server = await secure();
    const answer = await scene.egress(trusted).send(request(server.url(host, '/', 'https')));
    expect(textOf(answer)).toBe('secret page');
    expect(server.seen[0]?.serverName).toBe(serverName);
  });

  it.each([
    ['has expired', 'api.test', authority.issue({ hosts: ['api.test'], from: -9, until: -1 })],
    ['is not valid yet', 'api.test', authority.issue({ hosts: ['api.test'], from: 1, until: 9 })],
    ['is for another host', 'other.test', good],
    ['is for another host', '127.0.0.1', authority.issue({ hosts: ['api.test'] })],
    ['is self-signed', 'api.test', new Authority('Itself')],
    ['comes from an issuer that is not trusted here', 'api.test', new Authority('A').issue({ hosts: ['api.test'] })],
  ])('fails if the certificate %s: %s', async (why, host, certificate) => {
    const server = await secure(certificate);
    await expect(scene.egress(trusted).send(request(server.url(host, '/', 'https')))).rejects.toMatchObject({
      kind: 'tls',
      message: `The certificate of '${host}' ${why}; it must be corrected there.`,
    });
    expect(server.seen).toEqual([]);
  });

  it('fails if the server does not speak TLS', async () => {
    const server = await scene.http((_, response) => response.end());
    await expect(scene.egress(trusted).send(request(server.url('api.test', '/', 'https')))).rejects.toMatchObject({
      kind: 'tls',
      message: expect.stringMatching(/^The TLS handshake with the host 'api.test' failed \(\w+\); check the port/),
    });
  });

  it('fails if the connection breaks during the handshake', async () => {
    const server = await scene.raw((socket) => socket.once('data', () => socket.resetAndDestroy()));
    await expect(scene.egress(trusted).send(request(server.url('api.test', '/', 'https')))).rejects.toMatchObject({
      kind: 'reset',
    });
  });

  it('refuses a redirect to http', async () => {
    const plain = await scene.http((_, response) => response.end());
    const server = await scene.http(
      (_, response) => response.writeHead(302, { location: plain.url('api.test') }).end(),
      {
        tls: good,
      },
    );
    await expect(scene.egress(trusted).send(request(server.url('api.test', '/', 'https')))).rejects.toMatchObject({
      kind: 'redirect',
      message: "The host 'api.test' redirects from https to http; request an address with https.",
    });
    expect(plain.connections).toBe(0);
  });

  it('accepts a redirect from http, without its credentials', async () => {
    const server = await secure();
    const plain = await scene.http((_, response) =>
      response.writeHead(308, { location: server.url('api.test', '/', 'https') }).end(),
    );
    const headers = [['Authorization', 'Bearer hunter2']] as const;
    const answer = await scene.egress(trusted).send(request(plain.url('api.test'), { headers }));
    expect([textOf(answer), answer.redirected]).toEqual(['secret page', true]);
    expect(server.seen[0]?.headers.authorization).toBeUndefined();
  });

  it('can be started on a plain connection, for other protocols', async () => {
    const server = await secure();
    const { resolve } = resolverOf();
    const socket = await scene.egress({ resolve }).connect({ host: 'api.test', port: server.port });
    const tls = connectTls({ socket, servername: 'api.test', ...trusted, ca: [authority.cert] });
    await once(tls, 'secureConnect');
    tls.end('GET / HTTP/1.0\r\n\r\n');
    expect(Buffer.concat(await tls.toArray()).toString()).toContain('secret page');
  });
});

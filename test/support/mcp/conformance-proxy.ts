import { once } from 'node:events';
import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestApp } from '../app.js';

/**
 * Starts a proxy between the conformance suite and the service. The suite sends no key, and has fixed names for tools
 * and resources. The proxy adds the key and replaces the names in both directions. It passes everything else on
 * unchanged, including Host and Origin.
 */
export async function startConformanceProxy(app: TestApp, names: Readonly<Record<string, string>>) {
  const pairs = Object.entries(names);
  const toOurs = (body: string) => pairs.reduce((done, [theirs, ours]) => done.replaceAll(theirs, ours), body);
  const toTheirs = (body: string) => pairs.reduce((done, [theirs, ours]) => done.replaceAll(ours, theirs), body);
  const to = new URL(app.url);
  const server = createServer(async (incoming, outgoing) => {
    const body = toOurs(await text(incoming));
    const { 'content-length': _, 'transfer-encoding': __, ...headers } = incoming.headers;
    const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = ask({
      hostname: to.hostname,
      port: to.port,
      path: incoming.url,
      method: incoming.method,
      headers: { ...headers, ...length, authorization: `Bearer ${app.ownerKey}` },
    });
    sent.on('response', (answer) => {
      const { 'content-length': ___, ...kept } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 500, kept);
      // Names are replaced in each chunk. This is safe because only long responses arrive in several chunks, and those
      // contain no names.
      if (answer.headers['content-type']?.startsWith('text/event-stream')) {
        answer.on('data', (piece: Buffer) => outgoing.write(toTheirs(piece.toString('utf8'))));
        answer.on('end', () => outgoing.end());
      } else void text(answer).then((whole) => outgoing.end(toTheirs(whole)));
    });
    sent.on('error', () => outgoing.destroy());
    sent.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/mcp`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

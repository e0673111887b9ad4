import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { FileLinks } from '../../../src/areas/sites/file/file-links.api.js';
import { ServedDeployments } from '../../../src/areas/sites/publication/served-deployments.api.js';
import { OpenStreams } from '../../../src/http/streams/open-streams.js';
import { StreamDoor } from '../../../src/http/streams/stream-door.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { MadeUpDeployments, madeUpSite } from '../../support/sites/made-up-deployments.js';

/** The number of transfers that the clients of one address may have open at a site. */
const mostTransfers = 16;
const forwarded = { 'x-forwarded-for': '192.0.2.1' };
let app: OutsideApp;
let server: Server;
beforeAll(async () => {
  app = await sharedOutside();
  server = app.app.getHttpServer();
}, 60_000);
afterAll(() => app.close());
afterEach(() => void jest.restoreAllMocks());

/** Holds calls of the service until `go`. `begun` resolves when `count` calls have begun. */
function gate(count: number) {
  const [begun, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let calls = 0;
  const pass = () => {
    calls += 1;
    if (calls === count) begun.resolve();
    return open.promise;
  };
  return { pass, begun: begun.promise, go: open.resolve };
}

/** Sends requests on connections of their own, and resets all of these while the service works on the requests. */
async function askAndLeave(
  count: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  held: ReturnType<typeof gate>,
): Promise<void> {
  const sent = { host: 'localhost', ...forwarded, ...headers };
  const head = Object.entries(sent)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\r\n');
  const closed: Promise<unknown>[] = [];
  const watch = (socket: Socket) => void closed.push(new Promise((resolve) => socket.once('close', resolve)));
  server.on('connection', watch);
  const { hostname, port } = new URL(app.url);
  const clients = Array.from({ length: count }, () => {
    const client = connect({ port: Number(port), host: hostname }).on('error', () => undefined);
    client.write(`GET ${path} HTTP/1.1\r\n${head}\r\n\r\n`);
    return client;
  });
  await held.begun;
  server.off('connection', watch);
  expect(closed).toHaveLength(count);
  for (const client of clients) client.resetAndDestroy();
  await Promise.all(closed);
  held.go();
}

/** Returns the path of a link to a new empty file. */
async function emptyFile(): Promise<string> {
  const { id: projectId } = await done(app, 'site/createProject', { name: 'Files' });
  const code = 'const { id } = await ctx.files.upload("empty", ""); return ctx.files.getUrl(id);';
  await done(app, 'site/createBackendFunction', { projectId, name: 'files', code });
  const { data } = await done(app, 'site/invokeBackendFunction', { projectId, functionName: 'files' });
  return data.url.replace(/^https?:\/\/[^/]+/, '');
}

function heldLinks(count: number) {
  const links = app.app.get(FileLinks, { strict: false });
  const [find, held] = [links.fileOf.bind(links), gate(count)];
  const slow = jest.spyOn(links, 'fileOf').mockImplementation(async (...asked) => {
    await held.pass();
    return find(...asked);
  });
  return { held, slow };
}

describe('clients that leave before the first byte', () => {
  it('of an asset give back their transfers', async () => {
    const deployments = new MadeUpDeployments(app);
    const site = await madeUpSite(app, deployments, []);
    const { pages } = deployments.publish(site.id, [{ id: site.pages['/'] ?? '', path: '/', bytes: 1_500_000 }]);
    const path = `/_site/${pages[0]?.script}`;
    const served = app.app.get(ServedDeployments, { strict: false });
    const [read, held] = [served.bytes.bind(served), gate(mostTransfers)];
    const slow = jest.spyOn(served, 'bytes').mockImplementation(async function* (...asked) {
      await held.pass();
      yield* read(...asked);
    });
    await askAndLeave(mostTransfers, path, { host: site.client.host }, held);
    slow.mockRestore();
    const { status, bytes } = await site.client.get(path, forwarded);
    expect([status, bytes.length]).toEqual([200, 1_500_000]);
  });

  it('of an empty file give back their transfers', async () => {
    const path = await emptyFile();
    const { held, slow } = heldLinks(mostTransfers);
    await askAndLeave(mostTransfers, path, {}, held);
    slow.mockRestore();
    expect((await app.send('GET', path, undefined, forwarded)).status).toBe(200);
  });

  it('of an event stream give it back', async () => {
    const open = async () => /countersign_event_streams (\d+)/.exec((await app.send('GET', '/metrics')).body)?.[1];
    const before = await open();
    const door = app.app.get(StreamDoor, { strict: false });
    const added = jest.spyOn(app.app.get(OpenStreams, { strict: false }), 'add');
    const [admit, held] = [door.admit.bind(door), gate(1)];
    const slow = jest.spyOn(door, 'admit').mockImplementation(async (request) => {
      await held.pass();
      return admit(request);
    });
    await askAndLeave(1, '/api/v1/approvals/stream', { authorization: `Bearer ${app.ownerKey}` }, held);
    await eventually(
      async () => added.mock.calls.length,
      (calls) => calls === 1,
    );
    slow.mockRestore();
    expect(await open()).toBe(before);
  });

  it('of a file report no fault, although their address is no longer known', async () => {
    const path = await emptyFile();
    const { held, slow } = heldLinks(1);
    const fault = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    await askAndLeave(1, path, { 'x-forwarded-for': '' }, held);
    slow.mockRestore();
    expect((await app.send('GET', path, undefined, forwarded)).status).toBe(200);
    expect(fault.mock.calls).toEqual([]);
  });
});

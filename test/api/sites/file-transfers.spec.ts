// Second tier.
import { hash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mostFileBytes } from '../../../src/areas/sites/file/file-rules.api.js';
import type { Json } from '../../../src/kernel/json/json.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { type OutsideApp, sharedStandingTime } from '../../support/shared-outside.js';

const mb = 1024 * 1024;
let clock: MadeUpClock;
/** The largest file that an upload link accepts. Larger than the socket buffers. */
const large = Buffer.alloc(mostFileBytes, 'what is sent slowly. ');
const type = 'application/octet-stream';
let app: OutsideApp<MadeUpClock>;
let one: string;
let other: string;
let url: string;
beforeAll(async () => {
  app = await sharedStandingTime(Date.now());
  ({ clock } = app);
  [one, other] = [await site('One'), await site('Other')];
  const link = await ctx(one, 'getUploadUrl', { name: 'large', contentType: type, size: large.length });
  expect((await put(link.url, large)).status).toBe(201);
  ({ url } = await ctx(one, 'getUrl', link.id));
}, 60_000);
afterAll(() => app.close());

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});
async function site(name: string): Promise<string> {
  const { id: projectId } = await done(app, 'site/createProject', { name });
  const code = 'return ctx.files[params.member](params.about);';
  await done(app, 'site/createBackendFunction', { projectId, name: 'files', code });
  return projectId;
}
const ctx = async (projectId: string, member: string, about: Json) =>
  (await done(app, 'site/invokeBackendFunction', { projectId, functionName: 'files', params: { member, about } })).data;
const pathOf = (link: string) => link.replace(/^https?:\/\/[^/]+/, '');
const from = (address: string) => ({ 'x-forwarded-for': address });
const put = (link: string, bytes: Uint8Array, address = '192.0.2.9') =>
  app.send('PUT', pathOf(link), bytes, { 'content-type': type, ...from(address) });
const get = (link: string, address: string) => app.send('GET', pathOf(link), undefined, from(address));

/** Opens a connection and sends the head of a request without the blank line at its end. */
async function slow(head: string, address: string): Promise<Socket> {
  const { hostname, port } = new URL(app.url);
  const socket = connect({ port: Number(port), host: hostname }).on('error', () => undefined);
  open.push(socket);
  socket.write(`${head} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n`);
  return socket;
}
async function download(address: string): Promise<Socket> {
  const socket = await slow(`GET ${pathOf(url)}`, address);
  socket.write('\r\n');
  let isBegun = false;
  socket.once('readable', () => {
    isBegun = true;
  });
  let passed = 0;
  await eventually(
    async () => {
      // Idle downloads of the same address lose their share of the transfer slots as time passes. All downloads
      // together must stay within a minute, after which slow ones are ended, so each moves the clock by three seconds
      // at most.
      if (open.length > 4 && passed++ < 3) clock.advance(1_000);
      return isBegun;
    },
    (begun) => begun,
  );
  return socket;
}
/** Reads the rest of the answer. Returns the digest of the body. */
async function rest(socket: Socket): Promise<string> {
  const read: Buffer[] = [];
  let size = 0;
  for await (const piece of socket) {
    read.push(piece);
    size += piece.length;
    if (size > large.length + 100) break;
  }
  const all = Buffer.concat(read);
  return hash('sha256', all.subarray(all.indexOf('\r\n\r\n') + 4).subarray(0, large.length));
}

describe('idle downloads', () => {
  it('do not block files of others, at this or another site, and continue when they are read', async () => {
    const held: Socket[] = [];
    for (let n = 0; n < 16; n++) held.push(await download('192.0.2.1'));
    // While they are open, no other transfer of this address is admitted.
    await eventually(
      () => get(url, '192.0.2.1'),
      ({ status, body }) => status === 503 && body.code === 'file-transfers-taken',
    );
    clock.advance(2_000);
    const small = await ctx(other, 'getUploadUrl', { name: 'small', contentType: type, size: 5 });
    expect((await put(small.url, Buffer.from('small'), '192.0.2.1')).status).toBe(201);
    const read = await ctx(other, 'getUrl', small.id);
    expect((await get(read.url, '192.0.2.1')).status).toBe(200);
    const response = await fetch(`${app.url}${pathOf(url)}`, { headers: from('192.0.2.2') });
    expect(Buffer.from(await response.arrayBuffer()).equals(large)).toBe(true);
    const wanted = hash('sha256', large);
    expect(await Promise.all(held.slice(0, 2).map(rest))).toEqual([wanted, wanted]);
  }, 60_000);

  it('end when they are slower than the minimum speed', async () => {
    const socket = await download('192.0.2.1');
    clock.advance(59_000);
    expect((await app.send('GET', '/healthz')).status).toBe(200);
    expect(socket.destroyed).toBe(false);
    clock.advance(60_000);
    await rest(socket).catch(() => undefined);
    expect(socket.bytesRead).toBeLessThan(large.length);
  }, 60_000);
});

describe('an upload slower than the minimum speed', () => {
  it('is ended, stores nothing, and leaves its link usable', async () => {
    const bytes = Buffer.alloc(2 * mb, 7);
    const link = await ctx(one, 'getUploadUrl', { name: 'slow', contentType: type, size: bytes.length });
    const socket = await slow(`PUT ${pathOf(link.url)}`, '192.0.2.1');
    let told = '';
    socket.on('data', (text) => {
      told += text;
    });
    socket.write(`Content-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n\r\n`);
    socket.write(bytes.subarray(0, 100_000));
    // Other transfers of the address are still admitted.
    const beside = await ctx(one, 'getUploadUrl', { name: 'beside', contentType: type, size: 1 });
    expect((await put(beside.url, Buffer.from('x'), '192.0.2.1')).status).toBe(201);
    await eventually(
      async () => {
        clock.advance(2_000);
        return socket.destroyed;
      },
      (ended) => ended,
    );
    expect(told).toContain('request-too-slow');
    await eventually(
      () => put(link.url, bytes),
      ({ status }) => status === 201,
    );
  }, 60_000);
});

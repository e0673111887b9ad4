// Engines: one process.
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AbandonedUploads } from '../../../src/areas/sites/file/abandoned-uploads.js';
import { mostFileBytes } from '../../../src/areas/sites/file/file-rules.api.js';
import { Journal } from '../../../src/engine/journal/journal.js';
import type { Json } from '../../../src/kernel/json/json.js';
import { Blobs } from '../../../src/ports/blobs.port.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, person } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

let clock: SettableClock;
const minutes = 60_000;
let app: OutsideApp;
let workspaceId: string;
let projectId: string;
beforeAll(async () => {
  app = await sharedOutside();
  ({ clock } = app);
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterAll(() => app.close());
beforeEach(async () => {
  clock.set(Date.now());
  projectId = await site('Files');
});

// biome-ignore lint/suspicious/noExplicitAny: what ctx answers has many forms.
type Answer = any;

const code = `
  const [member, ...args] = params.call;
  try { return { answer: await ctx.files[member](...args) }; } catch (error) { return { refused: [error.status, error.code] }; }`;
const functionName = 'files';

/** Calls a member of `ctx.files` from a function of the site. */
async function ctx(member: string, args: readonly Json[], site = projectId, key?: string): Promise<Answer> {
  const body = { projectId: site, functionName, params: { call: [member, ...args] } };
  const { answer, refused } = (await done(app, 'site/invokeBackendFunction', body, key)).data;
  if (refused === undefined) return answer;
  throw Object.assign(new Error(refused.join(' ')), { status: refused[0], code: refused[1] });
}
/** Creates a site with a function that calls `ctx.files`. */
async function site(name: string): Promise<string> {
  const { id } = await done(app, 'site/createProject', { name });
  await done(app, 'site/createBackendFunction', { projectId: id, name: functionName, code });
  return id;
}
const refusal = (asked: Promise<unknown>) =>
  asked.then(
    (answer) => `answered ${JSON.stringify(answer)}`,
    ({ code, status }: { code: string; status: number }) => [status, code],
  );
const text = (name: string, content = 'text') => ctx('upload', [name, content]);
const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, '');
const get = (url: string) => app.send('GET', pathOf(url));
const put = (url: string, body: string | Uint8Array, contentType = 'text/plain', more = {}) =>
  app.send('PUT', pathOf(url), body, { 'content-type': contentType, ...more });
const names = async () => (await ctx('list', [{}])).map(({ name }: { name: string }) => name);
/** The number of files whose content is in the blob store. */
const kept = async () => {
  const stored = await app.app.get(Blobs).names(`site-file/${workspaceId}`);
  return new Set(stored.map((name) => name.split('/')[2])).size;
};

describe('ctx.files.upload', () => {
  it('stores a text, and bytes in base64, under names with folders', async () => {
    const file = await ctx('upload', ['invoices/7.txt', 'Grüße', { contentType: 'text/plain; charset=utf-8' }]);
    expect(file).toEqual({
      id: expect.stringMatching(/^file_/),
      name: 'invoices/7.txt',
      contentType: 'text/plain; charset=utf-8',
      size: 7,
      createdAt: expect.any(String),
    });
    const { url, expiresAt } = await ctx('getUrl', [file.id]);
    expect(Date.parse(expiresAt) - clock.now()).toBeGreaterThan(14 * minutes);
    expect((await get(url)).body).toBe('Grüße');
    const bytes = await ctx('upload', ['b', '/w==', { encoding: 'base64' }]);
    expect(bytes).toMatchObject({ contentType: 'application/octet-stream', size: 1 });
    expect(await ctx('upload', ['empty', ''])).toMatchObject({ size: 0 });
  });

  it.each([
    ['no name', [null, 'x']],
    ['an empty name', ['', 'x']],
    ['a name of two lines', ['a\nb', 'x']],
    ['a name that changes the writing direction', ['a\u202etxt.exe', 'x']],
    ['a way up', ['../../etc/passwd', 'x']],
    ['a way from the root', ['/etc/passwd', 'x']],
    ['a backslash', ['a\\b', 'x']],
    ['256 characters', ['a'.repeat(256), 'x']],
    ['no text', ['a', 7]],
    ['what is not base64', ['a', 'ä', { encoding: 'base64' }]],
    ['an unknown encoding', ['a', 'x', { encoding: 'hex' }]],
    ['a type with a second header in it', ['a', 'x', { contentType: 'text/html\r\nSet-Cookie: a=b' }]],
    ['a type that is none', ['a', 'x', { contentType: 'html' }]],
    ['an unknown option', ['a', 'x', { public: true }]],
    ['an option of prototypes', ['a', 'x', JSON.parse('{"__proto__":1}')]],
  ] as [string, Json[]][])('refuses an upload with %s', async (_, args) => {
    expect(await refusal(ctx('upload', args))).toEqual([400, 'invalid-input']);
    expect(await names()).toEqual([]);
  });
});

describe('ctx.files.list', () => {
  it('answers the files of the site by name, after a prefix, up to the limit', async () => {
    for (const name of ['b/2', 'a', 'b/1', 'b', 'c_1', 'c%1']) await text(name);
    expect(await names()).toEqual(['a', 'b', 'b/1', 'b/2', 'c%1', 'c_1']);
    const some = await ctx('list', [{ prefix: 'b/', limit: 1 }]);
    expect(some).toEqual([expect.objectContaining({ name: 'b/1', size: 4 })]);
    expect(await ctx('list', [{ prefix: 'c_' }])).toHaveLength(1);
    const other = await site('Other');
    expect(await ctx('list', [], other)).toEqual([]);
  });

  it.each([
    [{ limit: 0 }],
    [{ limit: 1.5 }],
    [{ limit: 1001 }],
    [{ limit: '1' }],
    [{ prefix: 1 }],
    [{ after: 'a' }],
    [7],
  ])('refuses to list files by %j', async (options) => {
    expect(await refusal(ctx('list', [options]))).toEqual([400, 'invalid-input']);
  });
});

describe('a download link', () => {
  it('sends the file as an attachment that is harmless in a browser, whatever its type', async () => {
    const script = '<script>alert(document.domain)</script>';
    const { id } = await ctx('upload', ['x/Rechnung "ä".html', script, { contentType: 'text/html' }]);
    const { status, body, headers } = await get((await ctx('getUrl', [id])).url);
    expect([status, body]).toEqual([200, script]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html',
      'content-length': String(script.length),
      'content-disposition': `attachment; filename="Rechnung ___.html"; filename*=UTF-8''Rechnung%20%22%C3%A4%22.html`,
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'private, no-store',
    });
  });

  it('expires after 15 minutes, and with its file', async () => {
    const { id } = await text('a');
    const { url } = await ctx('getUrl', [id]);
    clock.set(clock.now() + 14 * minutes);
    expect((await get(url)).status).toBe(200);
    clock.set(clock.now() + 2 * minutes);
    expect((await get(url)).body.code).toBe('file-link-not-found');
    const fresh = await ctx('getUrl', [id]);
    await ctx('delete', [id]);
    expect((await get(fresh.url)).body.code).toBe('file-link-not-found');
    expect(await refusal(ctx('getUrl', [id]))).toEqual([404, 'site-file-not-found']);
  });

  it('leads to its own file only: a changed link is refused like an unknown one', async () => {
    const [one, two] = [await text('one'), await text('two')];
    const other = await site('Other');
    const { url } = await ctx('getUrl', [one.id]);
    const token = new URL(url).searchParams.get('token') ?? '';
    const [expires = '', signature = ''] = token.split('.');
    const later = (Number.parseInt(expires, 36) + minutes).toString(36);
    const tries = [
      url.replace(one.id, two.id),
      url.replace(projectId, other),
      url.replace(token, ''),
      url.replace(token, `${later}.${signature}`),
      url.replace(token, `${expires}.${signature.slice(0, -1)}`),
      `${url}&token=${token}`,
      url.replace(`?token=${token}`, ''),
    ];
    const answers = await Promise.all(tries.map(get));
    expect(answers.map(({ status, body }) => `${status} ${body.code}`)).toEqual(
      tries.map(() => '404 file-link-not-found'),
    );
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect(await app.send(method, pathOf(url))).toMatchObject({ status: 405 });
    }
  });

  it("can be made for files of the function's own site only", async () => {
    const { id } = await text('a');
    const other = await site('Other');
    expect(await refusal(ctx('getUrl', [id], other))).toEqual([404, 'site-file-not-found']);
    expect(await refusal(ctx('delete', [id], other))).toEqual([404, 'site-file-not-found']);
    expect(await refusal(ctx('getUrl', [7]))).toEqual([400, 'invalid-input']);
    expect(await names()).toEqual(['a']);
  });
});

describe('an upload link', () => {
  const wanted = (size: number, more: object = {}) =>
    ctx('getUploadUrl', [{ name: 'up.txt', contentType: 'text/plain', size, ...more }]);

  it('accepts the file that it was made for, once', async () => {
    const link = await wanted(4);
    expect(link).toEqual({
      id: expect.stringMatching(/^file_/),
      method: 'PUT',
      url: expect.stringMatching(new RegExp(`/api/app/${projectId}/files/upload/[\\w-]{20,}$`)),
      expiresAt: expect.any(String),
    });
    const { status, body } = await put(link.url, 'four', 'text/plain;charset=UTF-8');
    expect([status, body]).toEqual([
      201,
      { id: link.id, name: 'up.txt', contentType: 'text/plain', size: 4, createdAt: expect.any(String) },
    ]);
    expect((await put(link.url, 'more')).body.code).toBe('upload-link-not-found');
    expect((await get((await ctx('getUrl', [link.id])).url)).body).toBe('four');
  });

  it('accepts one of many simultaneous uploads, completely', async () => {
    const size = 1.5 * 1024 * 1024;
    const link = await wanted(size, { contentType: 'application/octet-stream' });
    const sent = await Promise.all(
      [1, 2, 3, 4].map((byte) => put(link.url, Buffer.alloc(size, byte), 'application/octet-stream')),
    );
    expect(sent.filter(({ status }) => status === 201)).toHaveLength(1);
    const response = await fetch(`${app.url}${pathOf((await ctx('getUrl', [link.id])).url)}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(bytes.length).toBe(size);
    expect(bytes.every((byte) => byte === bytes[0])).toBe(true);
    expect(await names()).toEqual(['up.txt']);
  });

  it('is made for 25 MB and no byte more', async () => {
    expect(await wanted(mostFileBytes)).toMatchObject({ id: expect.stringMatching(/^file_/) });
    expect(await refusal(wanted(mostFileBytes + 1))).toEqual([400, 'invalid-input']);
  });

  it('refuses another size or type, stores nothing of it, and still accepts the right one', async () => {
    const before = await kept();
    const link = await wanted(4);
    const tries = [
      [await put(link.url, 'three'), 'file-size-differs'],
      [await put(link.url, 'two'), 'file-size-differs'],
      [await put(link.url, 'four', 'text/html'), 'file-type-differs'],
      [await app.send('PUT', pathOf(link.url), Buffer.from('four')), 'file-type-differs'],
      [await unannounced(link.url, 'fourteen'), 'file-size-differs'],
      [await unannounced(link.url, 'two'), 'file-size-differs'],
    ] as const;
    expect(tries.map(([{ body }]) => body.code)).toEqual(tries.map(([, code]) => code));
    expect(await names()).toEqual([]);
    expect((await unannounced(link.url, 'four')).status).toBe(201);
    expect((await get((await ctx('getUrl', [link.id])).url)).body).toBe('four');
    await eventually(kept, (folders) => folders === before + 1);
  });

  it('expires after 15 minutes, and works for its own site only', async () => {
    const link = await wanted(4);
    const other = await site('Other');
    expect((await put(link.url.replace(projectId, other), 'four')).body.code).toBe('upload-link-not-found');
    expect(await app.send('GET', pathOf(link.url))).toMatchObject({ status: 405 });
    clock.set(clock.now() + 16 * minutes);
    expect((await put(link.url, 'four')).body.code).toBe('upload-link-not-found');
  });

  it('stores nothing of an upload whose sender disconnects, and accepts it the next time', async () => {
    const before = await kept();
    const size = 2 * 1024 * 1024;
    const link = await wanted(size);
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    const head = `PUT ${pathOf(link.url)} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: ${size}\r\n\r\n`;
    socket.write(head);
    socket.write(Buffer.alloc(size - 1));
    await eventually(kept, (folders) => folders === before + 1);
    socket.destroy();
    await eventually(kept, (folders) => folders === before);
    const again = await eventually(
      () => put(link.url, Buffer.alloc(size)),
      ({ status }) => status === 201,
    );
    expect(again.body.id).toBe(link.id);
  });

  it('of a process that died during an upload leaves no remains for longer than an hour', async () => {
    const before = await kept();
    const { url, id } = await wanted(4);
    await app.app.get(Journal).append({
      stream: `siteFile-${workspaceId}.${id}`,
      by: { workspaceId, actor: { kind: 'system', id: 'system', name: 'spec' }, operation: 'spec' },
      events: [
        {
          type: 'SiteFileBegun',
          data: { projectId, name: 'up.txt', contentType: 'text/plain', size: 4, bytesId: 'bytes_cut' },
        },
      ],
    });
    expect((await put(url, 'four')).body.code).toBe('upload-link-used');
    expect(await names()).toEqual([]);
    clock.set(clock.now() + 61 * minutes);
    await app.app.get(AbandonedUploads).sweep();
    const other = await wanted(4);
    expect((await put(other.url, 'four')).status).toBe(201);
    expect(await kept()).toBe(before + 1);
  });
});

describe('files', () => {
  it('are destroyed when they are deleted, and with their site', async () => {
    const before = await kept();
    const [one, two] = [await text('one'), await text('two')];
    expect(await kept()).toBe(before + 2);
    await ctx('delete', [one.id]);
    expect(await refusal(ctx('delete', [one.id]))).toEqual([404, 'site-file-not-found']);
    await eventually(kept, (folders) => folders === before + 1);
    const { url } = await ctx('getUrl', [two.id]);
    const upload = await ctx('getUploadUrl', [{ name: 'n', contentType: 'text/plain', size: 1 }]);
    await done(app, 'site/deleteProject', { id: projectId });
    expect((await get(url)).status).toBe(404);
    expect((await put(upload.url, 'x')).status).toBe(404);
    await eventually(kept, (folders) => folders === before);
  });

  it('cannot be deleted by a run whose key never deletes', async () => {
    const { id } = await text('a');
    const { id: memberId } = await person(app, 'editor');
    const key = await keyOf(app, { kind: 'person', memberId, neverDeletes: true });
    expect(await refusal(ctx('delete', [id], projectId, key))).toEqual([403, 'key-never-deletes']);
    expect(await names()).toEqual(['a']);
  });
});

/** Sends a body in chunks without a Content-Length. */
async function unannounced(url: string, content: string) {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of content.match(/.{1,3}/g) ?? []) controller.enqueue(Buffer.from(piece));
      controller.close();
    },
  });
  const init = { method: 'PUT', headers: { 'content-type': 'text/plain' }, body, duplex: 'half' } as RequestInit;
  const response = await fetch(`${app.url}${pathOf(url)}`, init);
  return { status: response.status, body: JSON.parse(await response.text()) };
}

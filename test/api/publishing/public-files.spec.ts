import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FileLinks } from '../../../src/areas/sites/file/file-links.api.js';
import { mostPublicBytes } from '../../../src/areas/sites/file/file-rules.api.js';
import { Journal } from '../../../src/engine/journal/journal.js';
import { Blobs } from '../../../src/ports/blobs.port.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, person } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';

let clock: SettableClock;
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
  projectId = (await done(app, 'site/createProject', { name: 'Pictures' })).id;
});

const wanted = (path: string, size: number, contentType = 'text/plain') => ({ projectId, path, contentType, size });
const put = (url: string, body: string | Uint8Array, contentType = 'text/plain') =>
  app.send('PUT', url.replace(/^https?:\/\/[^/]+/, ''), body, { 'content-type': contentType });
async function upload(path: string, content: string, contentType?: string) {
  const link = await done(app, 'site/createFileUpload', wanted(path, Buffer.byteLength(content), contentType));
  expect((await put(link.url, content, contentType)).status).toBe(201);
  return link;
}
const list = (more: object = {}) => done(app, 'site/listPublicFiles', { projectId, ...more });
const paths = async (more: object = {}) => (await list(more)).files.map(({ path }: { path: string }) => path);
const code = async (operation: string, body: object, key?: string) => {
  const reply = await app.call(operation, body, key);
  return [reply.status, reply.body.code];
};
/** The number of files whose content is in the blob store. */
const kept = async () => {
  const stored = await app.app.get(Blobs).names(`site-file/${workspaceId}`);
  return new Set(stored.map((name) => name.split('/')[2])).size;
};

describe('public files of a site', () => {
  it('are uploaded with a link of 15 minutes, listed by path, and deleted with their bytes', async () => {
    const before = await kept();
    const link = await upload('pictures/logo.txt', 'logo');
    expect(link).toEqual({
      fileId: expect.stringMatching(/^file_/),
      url: expect.stringMatching(new RegExp(`/api/app/${projectId}/files/upload/[\\w-]{20,}$`)),
      expiresAt: expect.any(String),
    });
    expect(Math.round((Date.parse(link.expiresAt) - clock.now()) / 60_000)).toBe(15);
    await upload('a.txt', 'a');
    expect((await list()).files).toEqual([
      { fileId: expect.any(String), path: 'a.txt', contentType: 'text/plain', size: 1, storedAt: expect.any(String) },
      expect.objectContaining({ fileId: link.fileId, path: 'pictures/logo.txt', size: 4 }),
    ]);
    expect(await paths({ prefix: 'pictures/' })).toEqual(['pictures/logo.txt']);
    await done(app, 'site/deletePublicFile', { projectId, path: 'a.txt' });
    expect(await code('site/deletePublicFile', { projectId, path: 'a.txt' })).toEqual([404, 'public-file-not-found']);
    expect(await paths()).toEqual(['pictures/logo.txt']);
    await eventually(kept, (count) => count === before + 1);
  });

  it('are listed a page at a time', async () => {
    const numbers = Array.from({ length: 101 }, (_, at) => String(at).padStart(3, '0'));
    await Promise.all(numbers.map((at) => stored(`n/${at}`, 1)));
    const first = await list({ prefix: 'n/' });
    expect(first.files).toHaveLength(100);
    expect(await list({ prefix: 'n/', cursor: first.nextCursor })).toMatchObject({
      files: [{ path: 'n/100' }],
      nextCursor: null,
    });
  });

  it('replace a file at their path, and one of several simultaneous ones remains', async () => {
    const before = await kept();
    await upload('a.txt', 'old');
    const { fileId } = await upload('a.txt', 'newer');
    expect((await list()).files).toEqual([expect.objectContaining({ fileId, size: 5 })]);
    await Promise.all(['1', '22', '333', '4444'].map((content) => upload('a.txt', content)));
    expect(await paths()).toEqual(['a.txt']);
    await eventually(kept, (count) => count === before + 1);
  });

  it('are deleted if they are stored after one that began later', async () => {
    const before = await kept();
    clock.set(Date.now() + 1_000);
    const { fileId } = await upload('a.txt', 'began later');
    clock.set(Date.now());
    await upload('a.txt', 'began earlier');
    expect((await list()).files).toEqual([expect.objectContaining({ fileId })]);
    await eventually(kept, (count) => count === before + 1);
  });

  it('are separate from files of functions', async () => {
    const site = new SiteFunctionsScene(app, projectId);
    await site.create(
      'files',
      `
      const { id } = await ctx.files.upload('own', 'x');
      const refusal = await ctx.files.getUrl(params.fileId).catch(({ code }) => code);
      const kept = await ctx.files.delete(params.fileId).catch(({ code }) => code);
      return { id, refusal, kept, names: (await ctx.files.list()).map(({ name }) => name) };`,
    );
    const { fileId } = await upload('public', 'x');
    const input = { projectId, functionName: 'files', params: { fileId } };
    const { data } = await done(app, 'site/invokeBackendFunction', input);
    expect(data).toMatchObject({ refusal: 'site-file-not-found', kept: 'site-file-not-found', names: ['own'] });
    expect(await paths()).toEqual(['public']);
  });

  it('are deleted with their site', async () => {
    const before = await kept();
    await upload('a.txt', 'a');
    expect(await kept()).toBe(before + 1);
    const late = await done(app, 'site/createFileUpload', wanted('late.txt', 1));
    await done(app, 'site/deleteProject', { id: projectId });
    expect((await put(late.url, 'x')).status).toBe(404);
    await eventually(kept, (count) => count === before);
  });

  it('name the requester of the link as their cause', async () => {
    const { id, key } = await person(app, 'editor');
    const { fileId, url } = await done(app, 'site/createFileUpload', wanted('a.txt', 1), key);
    await put(url, 'a');
    const { events } = await done(app, 'audit/getHistory', { kind: 'siteFile', id: fileId });
    expect(events[0]).toMatchObject({ actor: { kind: 'person', id } });
  });

  it('show the link once, also if the call is repeated', async () => {
    const headers = { 'idempotency-key': 'one-link' };
    const ask = () => app.call('site/createFileUpload', wanted('a.txt', 1), undefined, headers);
    const [first, again] = [await ask(), await ask()];
    expect(first.body.url).toEqual(expect.any(String));
    expect(again.body).toMatchObject({ fileId: first.body.fileId, url: null, notShown: expect.any(String) });
  });
});

/** Appends the events of a stored file without storing its content. */
async function stored(path: string, size: number) {
  const id = `file_${crypto.randomUUID()}`;
  await app.app.get(Journal).append({
    stream: `siteFile-${workspaceId}.${id}`,
    by: { workspaceId, actor: { kind: 'system', id: 'system', name: 'spec' }, operation: 'spec' },
    events: [
      {
        type: 'SiteFileBegun',
        data: { projectId, name: path, contentType: 'text/plain', size, bytesId: id, isPublic: true },
      },
      { type: 'SiteFileStored', data: {} },
    ],
  });
}

describe('public files are refused', () => {
  it.each([
    [{ path: '../etc/passwd' }],
    [{ path: '/a' }],
    [{ path: 'a//b' }],
    [{ path: 'a\\b' }],
    [{ path: 'a\nb' }],
    [{ path: '' }],
    [{ path: 7 }],
    [{ path: 'a'.repeat(256) }],
    [{ contentType: 'png' }],
    [{ contentType: 'text/html\r\nSet-Cookie: a=b' }],
    [{ size: -1 }],
    [{ size: 1.5 }],
    [{ size: 25 * 1024 * 1024 + 1 }],
    [{ public: true }],
  ])('with %j', async (more) => {
    expect(await code('site/createFileUpload', { ...wanted('a', 1), ...more })).toEqual([400, 'invalid-input']);
  });

  it('for Viewers, sites of other workspaces, and keys that never delete if there is a file', async () => {
    const viewer = await person(app, 'viewer');
    expect(await code('site/createFileUpload', wanted('a', 1), viewer.key)).toEqual([403, 'viewer-refused']);
    expect((await app.call('site/listPublicFiles', { projectId }, viewer.key)).status).toBe(200);
    const elsewhere = { ...wanted('a', 1), projectId: 'proj_00000000000000000000000000' };
    expect(await code('site/createFileUpload', elsewhere)).toEqual([404, 'site-not-found']);
    const { id: memberId } = await person(app, 'editor');
    const key = await keyOf(app, { kind: 'person', memberId, neverDeletes: true });
    await done(app, 'site/createFileUpload', wanted('a', 1), key);
    await upload('a', 'a');
    expect(await code('site/createFileUpload', wanted('a', 1), key)).toEqual([403, 'key-never-deletes']);
    expect(await code('site/deletePublicFile', { projectId, path: 'a' }, key)).toEqual([403, 'key-never-deletes']);
  });

  it('if a file was stored at the path after a key that never deletes got the link', async () => {
    const { id: memberId } = await person(app, 'editor');
    const key = await keyOf(app, { kind: 'person', memberId, neverDeletes: true });
    const link = async () => (await done(app, 'site/createFileUpload', wanted('a', 1), key)).url;
    const [first, second, third] = [await link(), await link(), await link()];
    expect((await put(first, 'a')).status).toBe(201);
    const refused = await put(second, 'b');
    expect([refused.status, refused.body.code]).toEqual([403, 'key-never-deletes']);
    await done(app, 'site/deletePublicFile', { projectId, path: 'a' });
    const links = app.app.get(FileLinks, { strict: false });
    const token = third.slice(third.lastIndexOf('/') + 1);
    const overtaken = async function* () {
      yield Buffer.from('c');
      await upload('a', 'other');
    };
    const expected = await links.expectedBy(projectId, token);
    await expect(links.receive(token, expected, overtaken())).rejects.toMatchObject({ code: 'key-never-deletes' });
    expect((await list()).files).toMatchObject([{ path: 'a', size: 5 }]);
    await done(app, 'site/deletePublicFile', { projectId, path: 'a' });
    const answers = await Promise.all([second, third].map((url) => put(url, 'd')));
    const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
    expect(ids).not.toEqual([]);
    for (const id of ids) {
      const { events } = await done(app, 'audit/getHistory', { kind: 'siteFile', id });
      expect(events.at(-1).type).toBe('SiteFileStored');
    }
  });

  it('beyond exactly 1 GB for a site, in any number of simultaneous uploads', async () => {
    const links = await Promise.all(
      [1, 2, 3, 4, 5].map((at) => done(app, 'site/createFileUpload', wanted(`${at}`, 4))),
    );
    await stored('large', mostPublicBytes - 10);
    const answers = await Promise.all(links.map(({ url }) => put(url, 'four')));
    const taken = answers.filter(({ status }) => status === 201).length;
    expect(taken).toBeLessThanOrEqual(2);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['public-files-full']));
    expect(await paths()).toHaveLength(1 + taken);
    expect(await code('site/createFileUpload', wanted('more', 11))).toEqual([429, 'public-files-full']);
    await done(app, 'site/deletePublicFile', { projectId, path: 'large' });
    await upload('more', 'more');
  });
});

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Blobs } from '../../../src/ports/blobs.port.js';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { MadeUpDeployments, type MadeUpSite, madeUpSite } from '../../support/sites/made-up-deployments.js';
import { SiteClient } from '../../support/sites/site-client.js';
import { entersSite, signedInMember } from '../../support/sites/site-members.js';

let app: TestApp;
let deployments: MadeUpDeployments;
let site: MadeUpSite;
beforeAll(async () => {
  app = await sharedApp({ baseUrl: 'http://localhost:3000' });
  deployments = new MadeUpDeployments(app);
  site = await madeUpSite(app, deployments, []);
}, 60_000);
afterAll(() => app.close());

async function upload(path: string, content: string | Buffer, contentType: string, projectId = site.id) {
  const wanted = { projectId, path, contentType, size: Buffer.byteLength(content) };
  const { url } = await done(app, 'site/createFileUpload', wanted);
  const to = url.replace(/^https?:\/\/[^/]+/, '');
  expect((await app.send('PUT', to, content, { 'content-type': contentType })).status).toBe(201);
}
const get = (path: string, headers = {}) => site.client.get(`/files/${path}`, headers);

describe('a public file on its site’s host', () => {
  it('is served at once, with a strong ETag, its type and nosniff, to everybody', async () => {
    await upload('pictures/a b.png', 'not really', 'image/png');
    const { status, text, headers } = await get('pictures/a%20b.png');
    expect([status, text]).toEqual([200, 'not really']);
    expect(headers).toMatchObject({
      etag: expect.stringMatching(/^"file_\w+"$/),
      'content-type': 'image/png',
      'content-length': '10',
      'accept-ranges': 'bytes',
      'cache-control': 'public, no-cache',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-disposition']).toBeUndefined();
    expect((await get('pictures/a%20b.png', { 'if-none-match': headers.etag })).status).toBe(304);
    const head = await site.client.send('/files/pictures/a%20b.png', { method: 'HEAD' });
    expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([200, '10', 0]);
    await upload('pictures/a b.png', 'another', 'image/png');
    const later = await get('pictures/a%20b.png', { 'if-none-match': headers.etag });
    expect([later.status, later.text]).toEqual([200, 'another']);
  });

  it('that is small is read once and sent from memory, whole and in ranges, until another replaces it', async () => {
    await upload('small.txt', '0123456789', 'text/plain');
    const blobs = app.app.get(Blobs, { strict: false });
    const open = jest.spyOn(blobs, 'open');
    for (const [range, status, text] of [
      [undefined, 200, '0123456789'],
      ['bytes=2-4', 206, '234'],
      ['bytes=-3', 206, '789'],
      ['bytes=0-0,2-3', 416, ''],
      [undefined, 200, '0123456789'],
    ] as const) {
      const answer = await get('small.txt', range === undefined ? {} : { range });
      expect([range, answer.status, answer.text]).toEqual([range, status, text]);
      if (status !== 416) expect(answer.headers['content-length']).toBe(String(text.length));
    }
    const head = await site.client.send('/files/small.txt', { method: 'HEAD' });
    expect([head.headers['content-length'], head.text]).toEqual(['10', '']);
    expect(open.mock.calls.filter(([name]) => name.startsWith('site-file/'))).toHaveLength(1);
    open.mockRestore();
    await upload('small.txt', 'other', 'text/plain');
    expect((await get('small.txt')).text).toBe('other');
    await upload('small.txt', '', 'text/plain');
    expect(await get('small.txt')).toMatchObject({ status: 200, text: '', headers: { 'content-length': '0' } });
    await done(app, 'site/deletePublicFile', { projectId: site.id, path: 'small.txt' });
    expect((await get('small.txt')).status).toBe(404);
  });

  it('is sent in requested ranges, also across stored parts', async () => {
    const bytes = Buffer.from(Array.from({ length: 2_500_000 }, (_, at) => at % 251));
    await upload('film.mp4', bytes, 'video/mp4');
    for (const [range, from, to] of [
      ['bytes=0-9', 0, 10],
      ['bytes=1048570-1048580', 1_048_570, 1_048_581],
      ['bytes=1048576-', 1_048_576, bytes.length],
      ['bytes=-5', bytes.length - 5, bytes.length],
    ] as const) {
      const part = await get('film.mp4', { range });
      expect([part.status, part.headers['content-range']]).toEqual([206, `bytes ${from}-${to - 1}/${bytes.length}`]);
      expect(part.bytes.equals(bytes.subarray(from, to))).toBe(true);
    }
    const beyond = await get('film.mp4', { range: 'bytes=2500000-' });
    expect([beyond.status, beyond.headers['content-range']]).toEqual([416, 'bytes */2500000']);
    const bombs = [Array.from({ length: 1_300 }, () => '0-'), Array.from({ length: 1_000 }, (_, n) => `${n}-${n}`)];
    for (const bomb of [
      ...bombs.map((ranges) => ranges.join(',')),
      '0-9,',
      '9-1',
      `0-${'9'.repeat(400)}`,
      '-',
      '--1',
    ]) {
      const refused = await get('film.mp4', { range: `bytes=${bomb}` });
      expect([bomb.slice(0, 9), refused.status, refused.bytes.length]).toEqual([bomb.slice(0, 9), 416, 0]);
    }
    const other = await get('film.mp4', { range: 'bytes=0-9', 'if-range': '"other"' });
    expect([other.status, other.bytes.equals(bytes)]).toEqual([200, true]);
  });

  it.each([
    ['text/html', true],
    ['image/svg+xml', true],
    ['IMAGE/SVG+XML', true],
    ['application/xhtml+xml', true],
    ['application/xml', true],
    ['text/xml', true],
    ['text/javascript', true],
    ['text/css', true],
    ['application/octet-stream', true],
    ['multipart/x-mixed-replace', true],
    ['image/png', false],
    ['font/woff2', false],
    ['audio/ogg', false],
    ['video/mp4', false],
    ['application/pdf', false],
    ['text/plain; charset=utf-8', false],
  ])('of the type %s is downloaded, so that it runs nothing: %s', async (contentType, isAttached) => {
    await upload('x', '<script>alert(1)</script>', contentType);
    const { headers } = await get('x');
    expect(headers['content-type']).toBe(contentType);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-disposition']).toEqual(isAttached ? expect.stringMatching(/^attachment;/) : undefined);
    expect(headers['content-security-policy']).toEqual(
      isAttached ? "default-src 'none'; frame-ancestors 'none'; sandbox" : undefined,
    );
  });

  it.each(['nowhere', 'pictures', '..%2fx', '%2e%2e/x', '%', 'x%00', 'x/', '', 'X'])(
    'is not found at %j',
    async (path) => {
      await upload('x', 'x', 'text/plain');
      expect((await get(path)).status).toBe(404);
    },
  );

  it('accepts no uploads, and belongs to its own site only', async () => {
    await upload('mine', 'x', 'text/plain');
    expect((await site.client.send('/files/mine', { method: 'POST' })).status).toBe(405);
    expect((await site.client.send('/files/mine', { method: 'DELETE' })).status).toBe(405);
    const other = await madeUpSite(app, deployments, []);
    expect((await other.client.get('/files/mine')).status).toBe(404);
    expect((await app.send('GET', '/files/mine')).status).toBe(404);
  });

  it('is not served before a publish, except to members in the preview', async () => {
    const { id } = await done(app, 'site/createProject', { name: 'Draft' });
    const { subdomain } = await done(app, 'site/getProject', { id });
    await upload('a.txt', 'draft', 'text/plain', id);
    expect((await new SiteClient(app, `${subdomain}.localhost:3000`).get('/files/a.txt')).status).toBe(404);
    const host = new SiteClient(app, `preview--${id.replace('proj_', '')}.localhost:3000`);
    expect((await host.get('/files/a.txt')).text).not.toContain('draft');
    await entersSite(host, await signedInMember(app), '/');
    expect((await host.get('/files/a.txt')).text).toBe('draft');
  });
});

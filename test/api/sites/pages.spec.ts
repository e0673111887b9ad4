import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Reads } from '../../../src/engine/scopes/reads.js';
import type { TestApp } from '../../support/app.js';
import { runs } from '../../support/depth.js';
import { eventually } from '../../support/eventually.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let projectId: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Pages' })).id;
});

type Row = Record<string, unknown> & { readonly id: string };
const call = (operation: string, body: object, key?: string) => app.call(`site/${operation}`, body, key);
const create = (body: object = {}, key?: string): Promise<Row> =>
  done(app, 'site/createPage', { projectId, name: 'Page', path: '/page', ...body }, key);
const get = (id: string): Promise<Row> => done(app, 'site/getPage', { id });
const list = (): Promise<readonly Row[]> => done(app, 'site/listPages', { projectId });
const update = (id: string, body: object): Promise<Row> => done(app, 'site/updatePage', { id, ...body });
const answer = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code];
};
const active = async () => (await list()).filter((page) => page['active']).map(({ id }) => id);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('a new project', () => {
  it('has a home page that is active, with some content', async () => {
    const [home, ...others] = await list();
    expect([home, others]).toEqual([expect.objectContaining({ path: '/', isHomePage: true, active: true }), []]);
    expect((await get(home?.id ?? ''))['content']).toContain('export default function Home()');
  });
});

describe('createPage', () => {
  it('answers the page, which is active and listed after the others', async () => {
    const page = await create({ title: 'Title', description: 'Says more.', content: 'x' });
    expect(page).toEqual({
      id: expect.stringMatching(/^page_/),
      name: 'Page',
      path: '/page',
      title: 'Title',
      description: 'Says more.',
      layout: null,
      isHomePage: false,
      sortOrder: 1,
      isDraft: false,
      isProtected: false,
      requiredRole: null,
      redirectIfUnauth: null,
      active: true,
      contentHash: sha256('x'),
      createdAt: expect.any(String),
      updatedAt: page['createdAt'],
    });
    expect(await get(page.id)).toEqual({ ...page, content: 'x' });
    expect((await list()).map(({ id }) => id).at(-1)).toBe(page.id);
  });

  it('without content makes a page without content', async () => {
    const { id, contentHash } = await create();
    expect([contentHash, (await get(id))['content']]).toEqual([sha256(''), '']);
  });

  it('as home page gets the path / and replaces the other as home page', async () => {
    const [old] = await list();
    const page = await create({ isHomePage: true, path: '/start' });
    expect(page).toMatchObject({ path: '/', isHomePage: true, active: true });
    expect(await get(old?.id ?? '')).toMatchObject({ path: '/', isHomePage: false, active: false });
  });

  it('makes the page inactive that has its path', async () => {
    const [first, second] = [await create(), await create()];
    expect((await get(first.id))['active']).toBe(false);
    expect((await get(second.id))['active']).toBe(true);
  });

  it.each([
    ['no slash', 'blog'],
    ['an empty segment', '/a//b'],
    ['a trailing slash', '/a/'],
    ['a parent', '/a/../b'],
    ['a query', '/a?b=1'],
    ['a name without letters', '/:'],
    ['one name twice', '/:a/:a'],
    ['markup', '/<script>'],
    ['an escaped parent', '/x/%2e%2e/y'],
    ['a broken escape', '/%zz'],
    ['an escape of half a character', '/%ff'],
    ['an escaped slash', '/a%2Fb'],
    ['501 characters', `/${'a'.repeat(500)}`],
    ['no text', 7],
  ])('refuses a path with %s', async (_, path) => {
    const { status, body } = await call('createPage', { projectId, name: 'Wrong', path });
    expect([status, body.errors?.[0]?.path]).toEqual([400, 'path']);
  });

  it.each(['/a', '/blog/:slug', '/a-b/c_d.html', '/404', '/%C3%A9'])('accepts the path %s', async (path) => {
    expect((await create({ path }))['path']).toBe(path);
  });

  it('has one page for two spellings of a path, and stores the shorter', async () => {
    for (const [path, other] of [
      ['/abc', '/%61bc'],
      ['/caf%C3%A9', '/caf%c3%a9'],
      ["/it's", '/it%27s'],
    ] as const) {
      const first = await create({ path: other });
      const second = await create({ path });
      expect([first['path'], second['path']]).toEqual([path, path]);
      expect((await active()).filter((id) => id === first.id || id === second.id)).toEqual([second.id]);
      expect(await update(first.id, { path: other })).toMatchObject({ path, active: false });
    }
  });

  it('in an unknown project, or one of another workspace, is 404 and records nothing', async () => {
    const { ownerKey } = await otherWorkspace(app);
    const body = { projectId, name: 'x', path: '/x' };
    expect(await answer(call('createPage', body, ownerKey))).toEqual([404, 'site-not-found']);
    expect(await answer(call('createPage', { ...body, projectId: 'proj_none' }))).toEqual([404, 'site-not-found']);
    expect(await list()).toHaveLength(1);
  });
});

describe('setPageActive', () => {
  it('true makes the page active and others with the path inactive', async () => {
    const [first, second, other] = [await create(), await create(), await create({ path: '/other' })];
    const home = (await list())[0]?.id;
    expect(await done(app, 'site/setPageActive', { projectId, pageId: first.id, active: true })).toMatchObject({
      id: first.id,
      active: true,
    });
    expect(await active()).toEqual([home, first.id, other.id]);
    expect((await get(second.id))['active']).toBe(false);
  });

  it('false makes the page inactive and does not affect others', async () => {
    const [first, second] = [await create(), await create()];
    await done(app, 'site/setPageActive', { projectId, pageId: second.id, active: false });
    expect((await active()).filter((id) => id === first.id || id === second.id)).toEqual([]);
  });

  it('leaves one page active at a path if 20 are activated at once', async () => {
    const ids = [];
    for (let n = 0; n < 20; n += 1) ids.push((await create({ path: `/p${n}` })).id);
    await Promise.all(ids.map((id) => update(id, { path: '/race' })));
    expect((await list()).filter((page) => page['path'] === '/race' && page['active'])).toHaveLength(1);
    await Promise.all(ids.map((pageId) => done(app, 'site/setPageActive', { projectId, pageId, active: true })));
    expect((await list()).filter((page) => page['path'] === '/race' && page['active'])).toHaveLength(1);
    expect((await list()).filter((page) => page['path'] === '/race')).toHaveLength(20);
  });

  it('of a page of another project is 404', async () => {
    const page = await create();
    const { id: other } = await done(app, 'site/createProject', { name: 'Other' });
    expect(await answer(call('setPageActive', { projectId: other, pageId: page.id, active: false }))).toEqual([
      404,
      'site-page-not-found',
    ]);
    expect((await get(page.id))['active']).toBe(true);
  });
});

describe('updatePage', () => {
  it('changes what is sent and nothing else', async () => {
    const page = await create({ title: 'Before', content: 'a' });
    const { id: requiredRole } = await done(app, 'site/createProjectRole', { projectId, name: 'Editors' });
    const sent = {
      name: 'New',
      layout: 'wide',
      description: 'New too',
      requiredRole,
      redirectIfUnauth: '/login',
      isDraft: true,
      isProtected: true,
      sortOrder: 0.5,
    };
    const after = await update(page.id, sent);
    expect(after).toEqual({ ...page, ...sent, updatedAt: after['updatedAt'] });
    expect(await update(page.id, { requiredRole: null })).toMatchObject({ requiredRole: null, layout: 'wide' });
  });

  it('stores the id of the required role, whether it is sent by id, name or legacy text (Q-S32)', async () => {
    const page = await create();
    const editors = await done(app, 'site/createProjectRole', { projectId, name: 'Editors' });
    const kept = async (requiredRole: string | null) => (await update(page.id, { requiredRole }))['requiredRole'];
    expect([await kept(editors.id), await kept('Editors'), await kept('eDITORS')]).toEqual(Array(3).fill(editors.id));
    expect([await kept('user'), await kept(editors.id), await kept(null)]).toEqual([null, editors.id, null]);
    const superAdmin = await kept('admin');
    expect(await kept('app-super-admin')).toBe(superAdmin);
    const [reserved] = await done(app, 'site/listProjectRoles', { projectId });
    expect([reserved.id, reserved.name]).toEqual([superAdmin, 'app-super-admin']);
  });

  it('refuses an unknown required role, by name', async () => {
    const page = await create();
    const { id: other } = await done(app, 'site/createProject', { name: 'Other' });
    const { id: others } = await done(app, 'site/createProjectRole', { projectId: other, name: 'Editors' });
    for (const requiredRole of [others, 'Editors', 'role_none', '']) {
      const { status, body } = await call('updatePage', { id: page.id, name: 'New', requiredRole });
      expect([status, body.code, body.detail]).toEqual([400, 'roles-unknown', expect.stringContaining(requiredRole)]);
    }
    expect(await get(page.id)).toMatchObject({ name: page['name'], requiredRole: null });
  });

  it('to another path takes that from its page', async () => {
    const [a, b] = [await create({ path: '/a' }), await create({ path: '/b' })];
    await update(b.id, { path: '/a' });
    expect([(await get(a.id))['active'], (await get(b.id))['active']]).toEqual([false, true]);
  });

  it('as home page sets the path /', async () => {
    const page = await create();
    expect(await update(page.id, { isHomePage: true })).toMatchObject({ path: '/', isHomePage: true, active: true });
    expect((await list()).filter((one) => one['isHomePage'])).toHaveLength(1);
  });

  it('of the home page to another path ends that role, so a home page is always at /', async () => {
    const [home] = await list();
    const id = home?.id ?? '';
    expect(await update(id, { path: '/old', title: 'Was home' })).toMatchObject({ path: '/old', isHomePage: false });
    expect((await list()).filter((one) => one['isHomePage'])).toEqual([]);
    expect(await update(id, { isHomePage: true })).toMatchObject({ path: '/', isHomePage: true });
    expect(await update(id, { isHomePage: false })).toMatchObject({ path: '/', isHomePage: false });
  });

  it('as home page with another path is the home page at /, even if it is that already', async () => {
    const page = await create();
    for (let n = 0; n < 2; n += 1) {
      const sent = { path: '/elsewhere', isHomePage: true };
      expect(await update(page.id, sent)).toMatchObject({ path: '/', isHomePage: true });
    }
  });

  it('of the home page without a new path keeps it the home page', async () => {
    const [home] = await list();
    expect(await update(home?.id ?? '', { path: '/' })).toMatchObject({ path: '/', isHomePage: true });
    expect(await update(home?.id ?? '', { title: 'New' })).toMatchObject({ path: '/', isHomePage: true });
  });

  it('of the home page ten times at once, while ten others become it, leaves one at /', async () => {
    const [home] = await list();
    const others = [];
    for (let n = 0; n < 10; n += 1) others.push((await create({ path: `/p${n}` })).id);
    await Promise.all([
      ...others.map((id) => update(id, { isHomePage: true })),
      ...others.map((_, n) => update(home?.id ?? '', { path: `/moved-${n}` })),
    ]);
    const marked = (await list()).filter((one) => one['isHomePage']);
    expect(marked.map((one) => [one['path'], one['active']])).toEqual([['/', true]]);
  });

  it('with the hash of the present content saves on top of it', async () => {
    const page = await create({ content: 'one' });
    const after = await update(page.id, { content: 'two', baseContentHash: page['contentHash'] });
    const stale = await call('updatePage', { id: page.id, content: 'three', baseContentHash: page['contentHash'] });
    expect([stale.status, stale.body.code, stale.body.contentHash]).toEqual([
      409,
      'content-changed-since',
      after['contentHash'],
    ]);
    expect((await get(page.id))['content']).toBe('two');
  });

  it('with an outdated hash changes nothing at all, and of 20 at once one succeeds', async () => {
    const page = await create({ content: 'start' });
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        call('updatePage', { id: page.id, content: `save ${n}`, baseContentHash: page['contentHash'] }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
  });
});

describe('content', () => {
  it.each([
    ['CRLF', 'a\r\nb\r\n'],
    ['a byte order mark', '\uFEFFa'],
    ['emoji', '👩‍👩‍👧‍👦'],
    ['large and all of that', '\uFEFF😀\r\n'.repeat(2_000)],
  ])('is preserved byte for byte: %s', async (_, content) => {
    const { id } = await create({ content });
    expect((await get(id))['content']).toBe(content);
    await update(id, { content: `${content}.` });
    expect((await get(id))['content']).toBe(`${content}.`);
  });

  it('is preserved byte for byte, except U+0000', async () => {
    const { id } = await create();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 5_000 }), async (any) => {
        const content = any.replaceAll('\0', '');
        await update(id, { content });
        expect((await get(id))['content']).toBe(content);
      }),
      { numRuns: runs(20) },
    );
  });

  it('may have 2 MB and not a byte more', async () => {
    const most = 2 * 1024 * 1024;
    const { id } = await create({ content: 'x'.repeat(most) });
    expect((await get(id))['content']).toHaveLength(most);
    const more = await call('updatePage', { id, content: `${'é'.repeat(most / 2)}x` });
    expect([more.status, more.body.errors?.[0]?.path]).toEqual([400, 'content']);
    expect(await answer(call('editPage', { id, oldString: 'x'.repeat(most), newString: 'y'.repeat(most) }))).toEqual([
      200,
      undefined,
    ]);
  });
});

describe('deletePage', () => {
  it('deletes the page, and frees its path', async () => {
    const page = await create();
    expect(await done(app, 'site/deletePage', { id: page.id })).toEqual({ success: true });
    for (const operation of ['getPage', 'readPage', 'deletePage', 'updatePage']) {
      expect([operation, ...(await answer(call(operation, { id: page.id })))]).toEqual([
        operation,
        404,
        'site-page-not-found',
      ]);
    }
    expect((await create())['active']).toBe(true);
  });

  it('is refused to a Viewer', async () => {
    const page = await create();
    const { key } = await person(app, 'viewer');
    expect(await answer(call('deletePage', { id: page.id }, key))).toEqual([403, 'viewer-refused']);
    expect((await call('getPage', { id: page.id }, key)).status).toBe(200);
  });
});

describe('pages of a deleted project', () => {
  it('are deleted at once, and their records end', async () => {
    const page = await create();
    await done(app, 'site/deleteProject', { id: projectId });
    expect((await call('getPage', { id: page.id })).status).toBe(404);
    expect((await call('updatePage', { id: page.id, name: 'x' })).status).toBe(404);
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const left = () => app.app.get(Reads, { strict: false }).count(workspaceId, 'pages', { projectId });
    await eventually(left, (count) => count === 0);
    expect(await answer(call('listPages', { projectId }))).toEqual([404, 'site-not-found']);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OperatorPlans } from '../../../src/areas/workspace/workspace/operator-plans.api.js';
import type { TestApp } from '../../support/app.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

const create = (body: object, key?: string) => app.call('site/createProject', body, key);
const made = async (body: object = {}, key?: string) => done(app, 'site/createProject', { name: 'Shop', ...body }, key);
const list = async (body: object = {}, key?: string) =>
  (await done(app, 'site/listProjects', body, key)).map(({ id }: { id: string }) => id);
const get = (id: string, key?: string) => app.call('site/getProject', { id }, key);
const answer = async (reply: ReturnType<typeof create>) => {
  const { status, body } = await reply;
  return [status, body.code];
};

describe('createProject', () => {
  it('answers the project, its base and an address derived from its name', async () => {
    const row = await made({ name: 'Café Müller & Co.' });
    expect(row).toEqual({
      id: expect.stringMatching(/^proj_/),
      name: 'Café Müller & Co.',
      description: null,
      isApp: false,
      subdomain: 'cafe-muller-co',
      slug: null,
      linkedBaseId: expect.stringMatching(/^base_/),
      pageCount: 1,
      componentCount: 0,
      createdAt: expect.any(String),
      updatedAt: row.createdAt,
    });
    expect((await get(row.id)).body).toMatchObject({
      ...row,
      color: '#3B82F6',
      brandKit: null,
      projectType: 'web',
      linkedBase: { id: row.linkedBaseId, name: 'Café Müller & Co.' },
      aiPermissions: {},
      isPublished: false,
      publishedUrl: null,
    });
  });

  it('stores the sent fields', async () => {
    const sent = {
      description: 'Sells tea.',
      color: '#abcdef',
      brandKit: { fonts: ['Inter'] },
      projectType: 'mobile',
      bundleIdentifier: 'com.example.shop',
      appDisplayName: 'The Shop',
    };
    expect((await get((await made(sent)).id)).body).toMatchObject(sent);
  });

  it('creates a workspace app, with a slug instead of a subdomain', async () => {
    expect(await made({ name: 'Back office', isApp: true })).toMatchObject({
      isApp: true,
      slug: 'back-office',
      subdomain: null,
    });
  });

  it('gives projects of one name different addresses, even 20 created at once', async () => {
    const rows = await Promise.all(Array.from({ length: 20 }, () => made({ name: 'Twenty at once' })));
    const subdomains = rows.map(({ subdomain }) => subdomain);
    expect(new Set(subdomains).size).toBe(20);
    expect(subdomains.filter((one) => one === 'twenty-at-once')).toHaveLength(1);
    for (const one of subdomains) expect(one).toMatch(/^twenty-at-once(-[a-z0-9]{4,12})?$/);
  });

  it('gives a subdomain to one site of all workspaces', async () => {
    const { ownerKey } = await otherWorkspace(app);
    const [mine, theirs] = [await made({ name: 'Everybody' }), await made({ name: 'Everybody' }, ownerKey)];
    expect(mine.subdomain).toBe('everybody');
    expect(theirs.subdomain).toMatch(/^everybody-[a-z0-9]{4}$/);
  });

  it.each([
    ['a reserved name', 'Admin', 'site-admin'],
    ['a name without letters', '日本', 'site'],
    ['a short name', 'x', 'site-x'],
  ])('derives a valid address from %s', async (_, name, subdomain) => {
    // A suffix is added if another site has the short name.
    expect((await made({ name })).subdomain).toMatch(new RegExp(`^${subdomain}(-[a-z0-9]{4})?$`));
  });

  it.each([
    ['no name', { name: undefined }, 'name'],
    ['an empty name', { name: ' ' }, 'name'],
    ['a color that is none', { color: 'red' }, 'color'],
    ['a bundle identifier that is none', { bundleIdentifier: 'shop' }, 'bundleIdentifier'],
    ['a projectType that is none', { projectType: 'desktop' }, 'projectType'],
    ['a mobile app of the workspace (Q-S02)', { projectType: 'mobile', isApp: true }, 'projectType'],
    ['a brand kit that is no object', { brandKit: [] }, 'brandKit'],
    ['a field that is none', { subdomain: 'mine' }, 'subdomain'],
  ])('refuses %s and records nothing', async (_, body, path) => {
    const before = await list({ kind: 'all' });
    const reply = await create({ name: 'Wrong', ...body });
    expect([reply.status, reply.body.errors.map((error: { path: string }) => error.path)]).toEqual([400, [path]]);
    expect(await list({ kind: 'all' })).toEqual(before);
  });

  it('with one Idempotency-Key creates one project', async () => {
    const [first, second] = [
      await app.call('site/createProject', { name: 'Once' }, undefined, { 'idempotency-key': 'one-project' }),
      await app.call('site/createProject', { name: 'Once' }, undefined, { 'idempotency-key': 'one-project' }),
    ];
    expect(second.body).toEqual(first.body);
  });
});

describe('getProject', () => {
  it('shows the pages in order, and the components', async () => {
    const { id: projectId } = await made({ name: 'With content' });
    const page = await done(app, 'site/createPage', { projectId, name: 'First', path: '/first' });
    await done(app, 'site/updatePage', { id: page.id, sortOrder: -1 });
    const component = await done(app, 'site/createComponent', { projectId, name: 'Hero', type: 'ui' });
    const { pages, components, pageCount, componentCount } = (await get(projectId)).body;
    expect(pages.map(({ path }: { path: string }) => path)).toEqual(['/first', '/']);
    expect(pages[0]).toEqual({
      id: page.id,
      name: 'First',
      path: '/first',
      title: null,
      isHomePage: false,
      isDraft: false,
      active: true,
      sortOrder: -1,
    });
    expect(components).toEqual([{ id: component.id, name: 'Hero', type: 'ui', isGlobal: false }]);
    expect([pageCount, componentCount]).toEqual([2, 1]);
  });
});

describe('plans', () => {
  let key: string;
  let workspaceId: string;
  beforeEach(async () => {
    const other = await otherWorkspace(app);
    key = other.ownerKey;
    workspaceId = other.workspaceId;
    await app.app.get(OperatorPlans, { strict: false }).set(workspaceId, 'free');
  });

  it('free includes 3 sites and 1 app, which are counted separately', async () => {
    await made({ isApp: true }, key);
    for (let n = 0; n < 3; n += 1) await made({}, key);
    const site = await create({ name: 'Too many' }, key);
    expect([site.status, site.body]).toEqual([
      403,
      expect.objectContaining({ code: 'plan-limit', upgradeUrl: expect.stringMatching(/^http/) }),
    ]);
    expect(site.body.detail).toContain('3 sites');
    const second = await create({ name: 'Too many', isApp: true }, key);
    expect([second.status, second.body.code]).toEqual([403, 'plan-limit']);
    expect(second.body.detail).toContain(second.body.upgradeUrl);
  });

  it('a limit is exact if 20 are created at once', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => create({ name: 'Race' }, key)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(replies.filter(({ body }) => body.code === 'plan-limit')).toHaveLength(17);
    expect(await list({}, key)).toHaveLength(3);
  });

  it('a deleted project is no longer counted', async () => {
    const [first] = [await made({}, key), await made({}, key), await made({}, key)];
    await done(app, 'site/deleteProject', { id: first.id }, key);
    await made({}, key);
    expect(await answer(create({ name: 'Fourth' }, key))).toEqual([403, 'plan-limit']);
  });
});

describe('listProjects', () => {
  it('lists sites, apps or both, oldest first', async () => {
    const { ownerKey: key } = await otherWorkspace(app);
    const ids = [(await made({}, key)).id, (await made({ isApp: true }, key)).id, (await made({}, key)).id];
    expect(await list({}, key)).toEqual([ids[0], ids[2]]);
    expect(await list({ kind: 'site' }, key)).toEqual([ids[0], ids[2]]);
    expect(await list({ kind: 'app' }, key)).toEqual([ids[1]]);
    expect(await list({ kind: 'all' }, key)).toEqual(ids);
    expect(await answer(app.call('site/listProjects', { kind: 'base' }))).toEqual([400, 'invalid-input']);
  });

  it('counts pages and components of each, including deleted and restored ones', async () => {
    const { ownerKey: key } = await otherWorkspace(app);
    const [first, second] = [await made({}, key), await made({}, key)];
    const page = await done(app, 'site/createPage', { projectId: first.id, name: 'A', path: '/a' }, key);
    const component = await done(app, 'site/createComponent', { projectId: second.id, name: 'Hero' }, key);
    const counts = async () =>
      (await done(app, 'site/listProjects', {}, key)).map(
        ({ pageCount, componentCount }: { pageCount: number; componentCount: number }) => [pageCount, componentCount],
      );
    expect(await counts()).toEqual([
      [2, 0],
      [1, 1],
    ]);
    const { snapshots } = await done(app, 'site/listSnapshots', { projectId: first.id }, key);
    await done(app, 'site/deletePage', { id: page.id }, key);
    await done(app, 'site/deleteComponent', { id: component.id }, key);
    const pages: readonly { readonly id: string }[] = await done(app, 'site/listPages', { projectId: second.id }, key);
    for (const { id } of pages) await done(app, 'site/deletePage', { id }, key);
    expect(await counts()).toEqual([
      [1, 0],
      [0, 0],
    ]);
    await done(app, 'site/restoreSnapshot', { projectId: first.id, snapshotId: snapshots[0].id }, key);
    expect(await counts()).toEqual([
      [2, 0],
      [0, 0],
    ]);
    expect(await done(app, 'site/getProjectDeleteInfo', { id: first.id }, key)).toMatchObject({ pageCount: 2 });
  });

  it('shows another workspace nothing', async () => {
    const { id } = await made();
    const { ownerKey } = await otherWorkspace(app);
    expect(await list({ kind: 'all' }, ownerKey)).toEqual([]);
    expect(await answer(get(id, ownerKey))).toEqual([404, 'site-not-found']);
    expect(await answer(app.call('site/getProjectDeleteInfo', { id }, ownerKey))).toEqual([404, 'site-not-found']);
    expect(await answer(app.call('site/deleteProject', { id }, ownerKey))).toEqual([404, 'site-not-found']);
    expect((await get(id)).status).toBe(200);
  });
});

describe('deleteProject', () => {
  it('reports before what will be deleted with it', async () => {
    const { id, linkedBaseId } = await made({ name: 'To go' });
    expect(await done(app, 'site/getProjectDeleteInfo', { id })).toEqual({
      id,
      appUserCount: 0,
      name: 'To go',
      pageCount: 1,
      componentCount: 0,
      tableCount: 0,
      rowCount: 0,
      linkedBase: { id: linkedBaseId, name: 'To go' },
    });
  });

  it('leaves nothing, and frees its address', async () => {
    const { id } = await made({ name: 'Comes again' });
    expect(await done(app, 'site/deleteProject', { id })).toEqual({ success: true });
    for (const operation of ['site/getProject', 'site/getProjectDeleteInfo', 'site/deleteProject']) {
      expect([operation, ...(await answer(app.call(operation, { id })))]).toEqual([operation, 404, 'site-not-found']);
    }
    expect(await list({ kind: 'all' })).not.toContain(id);
    expect((await made({ name: 'Comes again' })).subdomain).toBe('comes-again');
  });

  it('and creating with one name at once, from 20 clients, all succeed', async () => {
    const work = Array.from({ length: 20 }, async () => {
      const { id } = await made({ name: 'Back and forth' });
      await done(app, 'site/deleteProject', { id });
    });
    await Promise.all(work);
    expect((await made({ name: 'Back and forth' })).subdomain).toBe('back-and-forth');
  });

  it('requires a person who is an Admin or above, and a key that may delete', async () => {
    const { id } = await made();
    const admin = await person(app, 'admin');
    const keys = {
      editor: (await person(app, 'editor')).key,
      agent: await keyOf(app, { kind: 'automation' }),
      neverDeletes: await keyOf(app, { kind: 'person', memberId: admin.id, neverDeletes: true }),
    };
    const codes = Object.entries(keys).map(async ([who, key]) => [
      who,
      ...(await answer(app.call('site/deleteProject', { id }, key))),
    ]);
    expect(await Promise.all(codes)).toEqual([
      ['editor', 403, 'permission-missing'],
      ['agent', 403, expect.any(String)],
      ['neverDeletes', 403, 'key-never-deletes'],
    ]);
    expect((await get(id)).status).toBe(200);
    await done(app, 'site/deleteProject', { id }, admin.key);
  });
});

describe('rights to projects', () => {
  it('let Viewers see them and create none', async () => {
    const { id } = await made();
    const { key } = await person(app, 'viewer');
    expect((await get(id, key)).status).toBe(200);
    expect(await answer(create({ name: 'No' }, key))).toEqual([403, 'viewer-refused']);
  });

  it('let Editors create them', async () => {
    expect((await create({ name: 'Yes' }, (await person(app, 'editor')).key)).status).toBe(200);
  });
});

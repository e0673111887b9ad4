import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { OperatorPlans } from '../../../src/areas/workspace/workspace/operator-plans.api.js';
import type { SiteBuilder } from '../../../src/ports/offloaded/site-builder.port.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { PublishingSite, pageOf, startPublishing } from '../../support/sites/publishing.js';
import { InstantSiteBuilder, type WatchedSiteBuilder } from '../../support/sites/site-builder.js';

let app: TestApp;
let workspaceId: string;
let builder: WatchedSiteBuilder;
let real: SiteBuilder;
let site: PublishingSite;
beforeAll(async () => {
  ({ app, workspaceId, builder } = await startPublishing());
  real = builder.builder;
  await plan('pro');
});
afterAll(async () => {
  await app.close();
  await real.close();
});
beforeEach(async () => {
  builder.builder = new InstantSiteBuilder();
  site = await PublishingSite.create({ app, workspaceId });
});
const buildReally = () => {
  builder.builder = real;
};
const plan = (name: 'free' | 'pro') => app.app.get(OperatorPlans, { strict: false }).set(workspaceId, name);

describe('publish (SX-04)', () => {
  it('puts the starter page of a new site live', async () => {
    buildReally();
    expect(await site.status()).toBeNull();
    expect(await site.project()).toMatchObject({ isPublished: false, publishedUrl: null });
    await site.publish();
    const { isPublished, publishedUrl, subdomain } = await site.project();
    expect([isPublished, publishedUrl]).toEqual([true, expect.stringContaining(`//${subdomain}.localhost:`)]);
    expect((await site.live())?.pages).toEqual([
      expect.objectContaining({ path: '/', html: expect.stringContaining('>Shop</h1>') }),
    ]);
    expect(await site.deployments()).toEqual([
      {
        id: expect.stringMatching(/^dep_/),
        status: 'live',
        publishedBy: { kind: 'person', id: expect.any(String), name: 'Owner' },
        publishedAt: expect.any(String),
        durationMs: expect.any(Number),
        pages: 1,
        bytes: expect.any(Number),
        error: null,
        unrendered: [],
      },
    ]);
  });

  it('leaves out drafts, inactive pages and pages without content (SX-03, Q-S96)', async () => {
    await site.page('/shown');
    await site.page('/empty', { content: '' });
    const draft = await site.page('/draft');
    await done(app, 'site/updatePage', { id: draft.id, isDraft: true });
    const off = await site.page('/off');
    await done(app, 'site/setPageActive', { projectId: site.id, pageId: off.id, active: false });
    await site.publish();
    expect(await site.paths()).toEqual(['/', '/shown']);
  });

  it('puts a page live again that was deleted and restored by the Undo of its notice', async () => {
    const { id } = await site.page('/prices');
    await done(app, 'site/deletePage', { id }, (await person(app, 'editor')).key);
    await site.publish();
    expect(await site.paths()).toEqual(['/']);
    const { notices } = await done(app, 'approvals/listNotices', { limit: 1 });
    expect(notices).toMatchObject([{ target: { kind: 'page', id } }]);
    await done(app, 'approvals/undoNotice', { id: notices[0].id });
    await site.publish();
    expect(await site.paths()).toEqual(['/', '/prices']);
  });

  it('shows its stages in percent, and is refused a second time during it (Q-S95)', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    builder.until = promise;
    await site.start();
    const now = await eventually(site.status, (status) => status?.stage === 'bundling');
    expect(now).toEqual({
      stage: 'bundling',
      label: 'Bundling scripts',
      pct: 10,
      updatedAt: expect.any(String),
      file: null,
      line: null,
    });
    expect((await app.call('site/publish', { id: site.id })).body).toMatchObject({
      status: 409,
      code: 'publish-running',
    });
    expect((await app.call('site/publish', { id: site.id, releaseVersion: '1.0.0' })).body.code).toBe(
      'publish-running',
    );
    resolve();
    expect(await site.ended()).toBeNull();
    expect(await site.deployments()).toHaveLength(1);
  });

  it('publishes the content at its start; later saves are in the next one', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    builder.until = promise;
    const page = await site.page('/a');
    await site.start();
    await done(app, 'site/updatePage', { id: page.id, content: pageOf('later'), title: 'Later' });
    await site.page('/b');
    await done(app, 'site/updateProject', { id: site.id, description: 'Later' });
    resolve();
    await site.ended();
    const live = await site.live();
    expect([await site.paths(), live?.pages[1]?.title, live?.site.description]).toEqual([['/', '/a'], null, null]);
    expect(builder.wanted.at(-1)?.pages[1]?.source).toBe(pageOf('/a'));
    await site.publish();
    expect(await site.paths()).toEqual(['/', '/a', '/b']);
    expect((await site.live())?.pages[1]?.title).toBe('Later');
  });
});

describe('a publish that fails', () => {
  const failing = async () => {
    await site.start();
    return site.ended();
  };

  it('changes nothing, and shows the file and the line until the next one', async () => {
    await site.publish();
    const page = await site.page('/blog/:slug', { content: '// BROKEN' });
    const [{ id: live }] = await site.deployments();
    expect(await failing()).toMatchObject({
      stage: 'failed',
      label: expect.stringMatching(/^pages\/blog\/\[slug\]\.tsx:1: /),
      file: 'pages/blog/[slug].tsx',
      line: 1,
    });
    expect(await site.paths()).toEqual(['/']);
    expect(await site.deployments()).toMatchObject([
      { status: 'failed', error: expect.stringMatching(/^pages\/blog\/\[slug\]\.tsx:1: /), pages: 0 },
      { status: 'live', id: live },
    ]);
    await done(app, 'site/deletePage', { id: page.id });
    await site.publish();
    expect(await site.status()).toBeNull();
  });

  it('is reported to members in a notice, and counted by outcome', async () => {
    const counts = async () => {
      const { body } = await app.send('GET', '/metrics');
      return ['ok', 'failed'].map((outcome) =>
        Number(
          new RegExp(`countersign_site_publish_seconds_count\\{outcome="${outcome}"\\} (\\d+)`).exec(body)?.[1] ?? 0,
        ),
      );
    };
    const [ok = 0, failed = 0] = await counts();
    await site.publish();
    await site.page('/b', { content: '// BROKEN' });
    await failing();
    expect(await counts()).toEqual([ok + 1, failed + 1]);
    const viewer = await person(app, 'viewer');
    const { notices } = await done(app, 'approvals/listNotices', { kind: 'failure' }, viewer.key);
    const ours = notices.filter(({ target }: { readonly target: { readonly id: string } }) => target.id === site.id);
    expect(ours).toEqual([
      {
        id: expect.stringMatching(/^no_/),
        kind: 'failure',
        summary:
          'It could not be published, and visitors still see the previous version. pages/b.tsx:1: The file has no default export.',
        target: { kind: 'project', id: site.id, name: 'Shop' },
        createdAt: expect.any(String),
        undo: { available: false, expiresAt: expect.any(String) },
      },
    ]);
  });

  test.each([
    ['a syntax error', { content: 'export default function Page() { return <p>; }' }, 1],
    ['a component that is not there', { content: `import A from '@/components/A';\n${pageOf('x')}` }, 1],
    ['a package that is not in the set', { content: `\nimport { z } from 'zod';\n${pageOf('x')}` }, 2],
  ])('because of %s fails as verifyBuild reports', async (_, page, line) => {
    buildReally();
    await site.page('/wrong', page);
    const { ok, warnings } = await done(app, 'site/verifyBuild', { projectId: site.id });
    expect([ok, warnings[0]]).toEqual([false, expect.objectContaining({ file: 'pages/wrong.tsx', line })]);
    expect(await failing()).toMatchObject({
      label: `pages/wrong.tsx:${line}: ${warnings[0].message}`,
      file: 'pages/wrong.tsx',
      line,
    });
  });

  it('because of a component that is not in PascalCase names it', async () => {
    buildReally();
    await done(app, 'site/createComponent', { projectId: site.id, name: 'hero', content: pageOf('x') });
    expect(await failing()).toMatchObject({ file: 'components/hero.tsx', line: 1 });
  });

  it('has no page to publish, or dependencies that were not bundled', async () => {
    await done(app, 'site/updateProject', { id: site.id, dependencies: { zod: '^3.0.0' } });
    expect((await failing()).label).toContain('Call bundleDeps, then publish again.');
    const [{ id }] = await done(app, 'site/listPages', { projectId: site.id });
    await done(app, 'site/updatePage', { id, isDraft: true });
    expect((await failing()).label).toContain('The site has no page to publish');
  });
});

describe('a page that cannot be prerendered', () => {
  it('is not attempted if not everybody may read it', async () => {
    await done(app, 'site/updateProjectAuth', { id: site.id, authEnabled: true });
    await site.page('/members', { isProtected: true });
    await site.page('/open');
    await site.page('/open/:id');
    await site.publish();
    const sent = builder.wanted.at(-1)?.pages.map(({ path, isOpen }) => [path, isOpen]);
    expect(sent).toEqual([
      ['/', true],
      ['/members', false],
      ['/open', true],
      ['/open/:id', false],
    ]);
  });
});

describe('settings that a publish puts into the site (Q-S08)', () => {
  const update = (more: object) => done(app, 'site/updateProject', { id: site.id, ...more });

  it('need another publish when they change, but not when they equal the published ones', async () => {
    expect(await update({ description: 'One' })).not.toHaveProperty('needsRepublish');
    await site.publish();
    expect(await update({ description: 'Two' })).toMatchObject({
      needsRepublish: true,
      republishNote: 'Visitors will see the changes of description after the next publish.',
    });
    expect(await update({ description: 'One' })).toMatchObject({ needsRepublish: false });
    expect(await update({ aiKnowledge: 'More' })).not.toHaveProperty('needsRepublish');
    await update({ description: 'Two' });
    await site.publish();
    expect(await update({ description: 'Two' })).toMatchObject({ needsRepublish: false });
    await done(app, 'site/unpublish', { id: site.id });
    expect(await update({ description: 'Three' })).not.toHaveProperty('needsRepublish');
  });

  it('include the analytics ids, which reach visitors with the next publish', async () => {
    await site.publish();
    const ids = { primaryAnalyticsId: 'G-AB12CD34EF', secondaryAnalyticsId: null };
    const answer = await done(app, 'site/updateAnalyticsSettings', { projectId: site.id, ...ids });
    expect(answer).toEqual({ ok: true, needsPublish: true });
    expect((await site.live())?.site.analytics).toMatchObject({ primaryAnalyticsId: null });
    expect(await update({ description: 'One' })).toMatchObject({
      needsRepublish: true,
      republishNote: expect.stringContaining('primaryAnalyticsId'),
    });
    await site.publish();
    expect((await site.live())?.site.analytics).toEqual({ ...ids, consentBanner: true });
    const { publishedAt } = await done(app, 'site/getAnalyticsSettings', { projectId: site.id });
    expect(publishedAt).toMatch(/^20/);
  });

  describe('the badge', () => {
    afterEach(() => plan('pro'));

    it('is forced on for a free workspace (Q-S10, FS-09)', async () => {
      await update({ showServiceBranding: false });
      await site.publish();
      expect((await site.live())?.site.showServiceBranding).toBe(false);
      await plan('free');
      await site.publish();
      expect((await site.live())?.site.showServiceBranding).toBe(true);
      expect(await update({ showServiceBranding: true })).toMatchObject({ needsRepublish: true });
    });
  });

  it('become theme tokens if they are the brand kit', async () => {
    await update({ color: '#111111', brandKit: { colors: { sea: '#08f' }, fonts: { title: 'Inter' } } });
    await site.publish();
    const theme = { 'color-brand': '#111111', 'color-sea': '#08f', 'font-title': 'Inter' };
    expect(builder.wanted.at(-1)?.theme).toEqual(theme);
  });
});

describe('publishing', () => {
  it('requires the right to publish, in the own workspace', async () => {
    const viewer = await person(app, 'viewer');
    const editor = await person(app, 'editor');
    const { ownerKey } = await otherWorkspace(app);
    const input = { id: site.id };
    for (const operation of ['site/publish', 'site/unpublish']) {
      expect([operation, (await app.call(operation, input, viewer.key)).status]).toEqual([operation, 403]);
      expect([operation, (await app.call(operation, input, ownerKey)).status]).toEqual([operation, 404]);
    }
    const inProject = { projectId: site.id, deploymentId: 'dep_1' };
    expect((await app.call('site/rollBackPublish', inProject, viewer.key)).status).toBe(403);
    expect((await app.call('site/rollBackPublish', inProject, ownerKey)).status).toBe(404);
    for (const operation of ['site/getPublishStatus', 'site/listDeployments']) {
      const { status } = await app.call(operation, { projectId: site.id }, ownerKey);
      expect([operation, status]).toEqual([operation, 404]);
    }
    expect((await app.call('site/publish', input, editor.key)).status).toBe(200);
    expect(await site.ended()).toBeNull();
    expect(await done(app, 'site/listDeployments', { projectId: site.id }, viewer.key)).toHaveLength(1);
  });
});

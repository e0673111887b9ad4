// Second tier.
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { PublishingSite, startPublishing } from '../../support/sites/publishing.js';
import type { WatchedSiteBuilder } from '../../support/sites/site-builder.js';

let app: TestApp;
let workspaceId: string;
let builder: WatchedSiteBuilder;
let site: PublishingSite;
beforeAll(async () => {
  ({ app, workspaceId, builder } = await startPublishing());
});
afterAll(async () => {
  await app.close();
  await builder.close();
});
beforeEach(async () => {
  site = await PublishingSite.create({ app, workspaceId });
});

it('puts the starter page of a new mobile project live (SX-04)', async () => {
  const mobile = await PublishingSite.create(site, { projectType: 'mobile' });
  await mobile.publish();
  expect(await mobile.project()).toMatchObject({ isPublished: true });
  expect((await mobile.live())?.pages).toEqual([
    expect.objectContaining({ path: '/', html: expect.stringContaining('>Shop</h1>') }),
  ]);
  expect(await mobile.deployments()).toMatchObject([{ status: 'live', pages: 1, error: null, unrendered: [] }]);
});

it('a publish without changes makes the same files again, and no new ones', async () => {
  await site.page('/a');
  await site.publish();
  const before = [await site.live(), builder.made.length];
  await site.publish();
  expect([await site.live(), builder.made.length]).toEqual(before);
  expect((await site.deployments()).map(({ status }: { status: string }) => status)).toEqual(['live', 'ready']);
});

it('a page that cannot be prerendered is rendered in the browser, as the deployment reports, without delaying others', async () => {
  await site.page('/throws', { content: 'export default () => { throw new Error("no"); };' });
  await site.page('/loops', { content: 'export default () => { for (;;); };' });
  await site.page('/waits', { content: 'await new Promise(() => {}); export default () => <p />;' });
  await site.publish();
  expect((await site.live())?.pages.map(({ path, html }) => [path, html !== undefined])).toEqual([
    ['/', true],
    ['/loops', false],
    ['/throws', false],
    ['/waits', false],
  ]);
  expect((await site.deployments())[0].unrendered).toEqual([
    { path: '/loops', why: 'Rendering takes longer than 2 seconds.' },
    { path: '/throws', why: 'no' },
    { path: '/waits', why: expect.stringContaining('uses a top-level await') },
  ]);
});

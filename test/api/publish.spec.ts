import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SiteDeployments } from '../../src/areas/sites/publication/site-deployments.api.js';
import { SiteBuilder } from '../../src/ports/site-builder.port.js';
import { startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { done } from '../support/people.js';
import { SiteBuilderInMemory } from '../support/site-builder.js';

const builder = new SiteBuilderInMemory();
let app: TestApp;
let workspaceId: string;
let projectId: string;
beforeAll(async () => {
  app = await startApp({ replacements: [{ provide: SiteBuilder, useValue: builder }] });
  ({ id: workspaceId } = await done(app, 'workspace/getWorkspace'));
  await app.call('workspace/updateWorkspace', {});
});
afterAll(() => app.close());
let made = 0;
beforeEach(async () => {
  made += 1;
  ({ id: projectId } = await done(app, 'site/createProject', { name: `Shop ${made}` }));
});

const status = () => done(app, 'site/getPublishStatus', { projectId });
const listed = () => done(app, 'site/listDeployments', { projectId });
const ended = () => eventually(status, (now) => now === null || now.stage === 'failed', 30_000);
const published = async () => {
  await done(app, 'site/publish', { id: projectId });
  return ended();
};
const live = () => app.app.get(SiteDeployments, { strict: false }).live({ workspaceId, id: projectId });

describe('publish', () => {
  it('takes the starter page of a fresh site live', async () => {
    expect(await status()).toBeNull();
    expect(await done(app, 'site/publish', { id: projectId })).toMatchObject({ started: true });
    expect(await ended()).toBeNull();
    const { isPublished, publishedUrl } = await done(app, 'site/getProject', { id: projectId });
    expect([isPublished, publishedUrl]).toEqual([true, expect.stringMatching(/^http:\/\/shop-\d+\.localhost:\d+$/)]);
    expect(await listed()).toEqual([
      expect.objectContaining({
        status: 'live',
        pages: 1,
        error: null,
        publishedBy: expect.objectContaining({ kind: 'person' }),
      }),
    ]);
    expect((await live())?.manifest.pages).toEqual([expect.objectContaining({ path: '/', html: '<main>/</main>' })]);
  });
});

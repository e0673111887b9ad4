import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { publishMessage, publishRequests } from '../../../src/areas/sites/publication/publish-requests.api.js';
import { allManifests } from '../../../src/areas/sites/publication/site-manifests.js';
import { Blobs, BlobsUnavailable } from '../../../src/ports/blobs.port.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { Messages } from '../../../src/ports/messages.port.js';
import { SiteBuilderBusy, SiteBuildLost } from '../../../src/ports/offloaded/site-builder.port.js';
import { allOf } from '../../support/all-of.js';
import type { TestApp } from '../../support/app.js';
import { agentWith } from '../../support/automations/agents.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, person } from '../../support/people.js';
import { PublishingSite, startPublishing } from '../../support/sites/publishing.js';
import { InstantSiteBuilder, WatchedSiteBuilder } from '../../support/sites/site-builder.js';
import { sagasAreDone } from '../../support/stores/sagas-are-done.js';

const clock = new SettableClock();
let app: TestApp;
let workspaceId: string;
let builder: WatchedSiteBuilder;
let site: PublishingSite;
beforeAll(async () => {
  // A builder that does nothing, because publish.spec.ts covers the build.
  const instant = new WatchedSiteBuilder(new InstantSiteBuilder());
  ({ app, workspaceId, builder } = await startPublishing([{ provide: Clock, useValue: clock }], instant));
});
afterAll(() => app.close());
beforeEach(async () => {
  site = await PublishingSite.create({ app, workspaceId });
});
interface Told {
  readonly type: string;
  readonly summary: string;
  readonly causationId: string | null;
}

const isUnpublished = () => site.project().then(({ isPublished, publishedUrl }) => [isPublished, publishedUrl]);

describe('unpublish (SX-05)', () => {
  it('takes the site offline, keeps its deployments, and lets it return', async () => {
    const first = await site.publish();
    await done(app, 'site/unpublish', { id: site.id });
    expect([await site.live(), await isUnpublished()]).toEqual([undefined, [false, null]]);
    expect(await site.deployments()).toMatchObject([{ id: first, status: 'ready' }]);
    expect((await app.call('site/unpublish', { id: site.id })).body).toMatchObject({
      status: 409,
      code: 'site-not-published',
    });
    expect((await site.rollBack(first)).status).toBe(200);
    expect([await site.paths(), (await site.project()).isPublished]).toEqual([['/'], true]);
  });

  it('cancels a publish in progress', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    builder.until = promise;
    await site.start();
    await eventually(site.status, (status) => status?.stage === 'bundling');
    await done(app, 'site/unpublish', { id: site.id });
    expect(await site.status()).toBeNull();
    resolve();
    await site.publish();
    expect(await site.deployments()).toHaveLength(1);
  });

  it('is refused before the first publish, and to a key that never deletes', async () => {
    expect((await app.call('site/unpublish', { id: site.id })).body.code).toBe('site-not-published');
    await site.publish();
    const key = await keyOf(app, { kind: 'person', neverDeletes: true });
    expect((await app.call('site/unpublish', { id: site.id }, key)).status).toBe(403);
    expect(await site.paths()).toEqual(['/']);
  });
});

describe('rollBackPublish', () => {
  it('makes an earlier deployment live at once, with its settings', async () => {
    await done(app, 'site/updateProject', { id: site.id, description: 'One' });
    const first = await site.publish();
    await site.page('/b');
    await done(app, 'site/updateProject', { id: site.id, description: 'Two' });
    const second = await site.publish();
    const [home, added] = (await site.live())?.pages ?? [];
    const built = builder.wanted.length;
    expect((await site.rollBack(first)).body).toEqual({ success: true });
    expect(await site.paths()).toEqual(['/']);
    expect(builder.wanted).toHaveLength(built);
    expect(await site.deployments()).toMatchObject([
      { id: second, status: 'ready' },
      { id: first, status: 'live' },
    ]);
    const again = await done(app, 'site/updateProject', { id: site.id, description: 'Two' });
    expect(again.needsRepublish).toBe(true);
    const earlier = (name = '') => allOf(site.served().earlier(site, name));
    expect(await earlier(added?.script)).toMatchObject([{ pages: [{ path: '/' }, { path: '/b' }] }]);
    expect([await earlier(home?.script), await earlier('page-NONE.js')]).toEqual([[expect.anything()], []]);
    expect(await site.deployments({ limit: 1, before: second })).toMatchObject([{ id: first }]);
    expect(await site.deployments({ before: 'dep_0' })).toEqual([]);
  });

  it('can be done by a person only, not by connections, agents or automations', async () => {
    const first = await site.publish();
    const { id: memberId } = await person(app, 'admin');
    const input = { projectId: site.id, deploymentId: first };
    const { id: agentId } = await agentWith(app);
    for (const about of [{ kind: 'connection', memberId }, { kind: 'automation' }, { kind: 'agent', agentId }]) {
      const { status, body } = await app.call('site/rollBackPublish', input, await keyOf(app, about));
      expect([about.kind, status, body.code]).toEqual([about.kind, 403, 'caller-not-allowed']);
    }
    const editor = await person(app, 'editor');
    expect((await app.call('site/rollBackPublish', input, editor.key)).status).toBe(200);
  });

  it('is refused for an unknown or failed deployment, and during a publish', async () => {
    expect((await site.rollBack('dep_1')).body).toMatchObject({ status: 404, code: 'deployment-not-found' });
    const first = await site.publish();
    const page = await site.page('/b', { content: '// BROKEN' });
    const failed = await site.start();
    await site.ended();
    expect((await site.rollBack(failed)).body.code).toBe('deployment-not-found');
    await done(app, 'site/deletePage', { id: page.id });
    const { promise, resolve } = Promise.withResolvers<void>();
    builder.until = promise;
    await site.start();
    expect((await site.rollBack(first)).body).toMatchObject({ status: 409, code: 'publish-running' });
    resolve();
    expect(await site.ended()).toBeNull();
  });
});

describe('publish with releaseVersion (SX-06, SN-02, Q-S97)', () => {
  const release = (version: string) => site.served().release(site, version);

  it('builds a permanent release, and does not change the project', async () => {
    await site.publish();
    const before = await site.project();
    await site.page('/b');
    await site.publish({ releaseVersion: '1.0.0-rc.1+5' });
    const { updatedAt, ...project } = await site.project();
    expect({ ...project, updatedAt, pages: [], pageCount: 0 }).toEqual({ ...before, pages: [], pageCount: 0 });
    expect([await site.paths(), await site.deployments()]).toEqual([
      ['/'],
      [expect.objectContaining({ status: 'live' })],
    ]);
    const made = await release('1.0.0-rc.1+5');
    expect(made?.pages.map(({ path }) => path)).toEqual(['/', '/b']);
    await site.page('/c');
    await site.publish();
    expect(await release('1.0.0-rc.1+5')).toEqual(made);
    expect((await app.call('site/publish', { id: site.id, releaseVersion: '1.0.0-rc.1+5' })).body).toMatchObject({
      status: 409,
      code: 'release-exists',
    });
    await done(app, 'site/unpublish', { id: site.id });
    expect(await release('1.0.0-rc.1+5')).toBeUndefined();
  });

  test.each(['1', '1.0', 'v1.0.0', '01.0.0', '1.0.0-', '../1.0.0', '1.0.0/x', ''])(
    'refuses the release version %j',
    async (releaseVersion) => {
      const { status, body } = await app.call('site/publish', { id: site.id, releaseVersion });
      expect([status, body.errors[0].path]).toEqual([400, 'releaseVersion']);
    },
  );
});

describe('a publish that is delivered again', () => {
  it('is done once', async () => {
    const deploymentId = await site.publish();
    const built = builder.wanted.length;
    const messages = app.app.get(Messages, { strict: false });
    await messages.publish(publishRequests, publishMessage({ workspaceId, projectId: site.id, deploymentId }));
    await site.publish();
    expect(builder.wanted).toHaveLength(built + 1);
    expect(await site.deployments()).toHaveLength(2);
  });

  it('ends with an error message if its build is lost repeatedly', async () => {
    builder.failing = Array.from({ length: 5 }, () => new SiteBuildLost('Lost.'));
    await site.start();
    expect(await clock.hasten(site.ended)).toMatchObject({
      stage: 'failed',
      label: expect.stringContaining('interrupted 5 times'),
    });
    builder.failing = [new SiteBuildLost('Lost.'), new SiteBuildLost('Lost.')];
    await clock.hasten(() => site.publish());
  });

  it.each([
    ['the builder is busy', new SiteBuilderBusy('Full.')],
    ['the blob store is unavailable', new BlobsUnavailable('Away.')],
  ])('waits as long as %s', async (_, error) => {
    builder.failing = Array.from({ length: 7 }, () => error);
    await clock.hasten(() => site.publish());
    expect(builder.failing).toEqual([]);
  });
});

describe('a publish after the manifest of an earlier one was lost', () => {
  it('builds without it', async () => {
    await site.publish();
    const blobs = app.app.get(Blobs, { strict: false });
    await blobs.destroyAll(`${allManifests}/${workspaceId}`);
    await site.page('/b');
    await clock.hasten(() => site.publish());
    expect(await site.paths()).toEqual(['/', '/b']);
  });
});

describe('the consequences of a publish', () => {
  it('are in the audit, a sentence each, with one command as their cause', async () => {
    const first = await site.publish();
    const page = await site.page('/b', { content: '// BROKEN' });
    await site.start();
    await site.ended();
    await done(app, 'site/deletePage', { id: page.id });
    await site.publish({ releaseVersion: '1.0.0' });
    await site.publish();
    await site.rollBack(first);
    await done(app, 'site/unpublish', { id: site.id });
    const { events } = await done(app, 'audit/getHistory', { kind: 'publication', id: site.id });
    const ends = /^(?:SitePublished|PublishFailed|ReleaseBuilt|SiteRolledBack|SiteUnpublished)$/;
    expect(events.flatMap(({ type, summary }: Told) => (ends.test(type) ? [summary] : []))).toEqual([
      'The site went live with one page',
      'The publish failed, and nothing of the site changed: pages/b.tsx:1: The file has no default export.',
      'Release 1.0.0 was built',
      'The site went live with one page',
      `The earlier deployment ${first} went live again`,
      'The site was unpublished',
    ]);
    const started = events.find(({ type }: Told) => type === 'PublishStarted');
    const followed = events.filter(({ causationId }: Told) => causationId === started.id);
    expect([followed[0].type, followed.at(-1).type]).toEqual(['PublishTakenOver', 'SitePublished']);
  });

  it('are deleted with the project', async () => {
    await site.publish();
    await done(app, 'site/deleteProject', { id: site.id });
    await sagasAreDone(app);
    expect(await site.live()).toBeUndefined();
    expect((await app.call('site/listDeployments', { projectId: site.id })).status).toBe(404);
  });
});

import { describe, expect, it } from '@jest/globals';
import { given, stateOf } from '../../../../test/support/given/given.js';
import { advancePublish, endPublish, rollBackPublication, startPublish, takeOver, unpublish } from './publication.js';
import { manifestOf, type PublicationEvent, publications } from './publication.record.js';

const opened: PublicationEvent = { type: 'PublicationOpened', data: { projectId: 'proj_1' } };
const started = (deploymentId: string, releaseVersion: string | null = null): PublicationEvent => ({
  type: 'PublishStarted',
  data: { deploymentId, releaseVersion },
});
const published = (deploymentId: string) =>
  ({
    type: 'SitePublished',
    data: { deploymentId, manifest: `of ${deploymentId}`, pages: 1, bytes: 10, durationMs: 5, unrendered: [] },
  }) as const;
const failed = (deploymentId: string) =>
  ({
    type: 'PublishFailed',
    data: { deploymentId, durationMs: 5, message: 'No.', file: 'pages/index.tsx', line: 3 },
  }) as const;
const released = (deploymentId: string, releaseVersion: string) =>
  ({
    type: 'ReleaseBuilt',
    data: { deploymentId, releaseVersion, manifest: `of ${deploymentId}`, pages: 1, bytes: 10, durationMs: 5 },
  }) as const;
const live = (deploymentId: string) => [started(deploymentId), published(deploymentId)];
const wanted = (releaseVersion: string | null = null) => ({
  projectId: 'proj_1',
  deploymentId: 'dep_9',
  releaseVersion,
});
const start = (...events: readonly PublicationEvent[]) => given(publications, [opened, ...events]);
const state = (...events: readonly PublicationEvent[]) => stateOf(publications, [opened, ...events]);

describe('a publish', () => {
  it('opens the publication of its site the first time', () => {
    given().when(startPublish, undefined, wanted()).emits(opened, started('dep_9'));
    start(...live('dep_1'))
      .when(startPublish, wanted())
      .emits(started('dep_9'));
  });

  it('is refused while another one is in progress, also one of a release', () => {
    start(started('dep_1')).when(startPublish, wanted()).refuses('publish-running');
    start(started('dep_1', '1.0.0')).when(startPublish, wanted()).refuses('publish-running');
    start(started('dep_1'), failed('dep_1')).when(startPublish, wanted()).emits(started('dep_9'));
  });

  it('ends once, and only while it is in progress', () => {
    start(started('dep_1')).when(endPublish, published('dep_1')).emits(published('dep_1'));
    start(...live('dep_1'))
      .when(endPublish, published('dep_1'))
      .emitsNothing();
    start(started('dep_2')).when(endPublish, published('dep_1')).emitsNothing();
    start(...live('dep_0'), started('dep_1'), { type: 'SiteUnpublished', data: {} })
      .when(endPublish, published('dep_1'))
      .emitsNothing();
    given().when(endPublish, undefined, published('dep_1')).emitsNothing();
  });

  it('only advances, and counts how often it was taken over', () => {
    const bundling: PublicationEvent = {
      type: 'PublishAdvanced',
      data: { deploymentId: 'dep_1', stage: 'bundling', pct: 10 },
    };
    start(started('dep_1')).when(advancePublish, 'dep_1', 'bundling', 10).emits(bundling);
    start(started('dep_1'), bundling).when(advancePublish, 'dep_1', 'checking', 1).emitsNothing();
    const taken: PublicationEvent = { type: 'PublishTakenOver', data: { deploymentId: 'dep_1' } };
    start(started('dep_1')).when(takeOver, 'dep_1').emits(taken);
    expect(state(started('dep_1'), taken, bundling, taken).publishing).toMatchObject({
      attempts: 2,
      stage: 'checking',
      pct: 0,
    });
  });

  it('that failed changes nothing, and is shown until the next one', () => {
    const after = state(...live('dep_1'), started('dep_2'), failed('dep_2'));
    expect(after).toMatchObject({ live: 'dep_1', publishing: null, failed: { message: 'No.', line: 3 } });
    expect(state(...live('dep_1'), started('dep_2'), failed('dep_2'), started('dep_3')).failed).toBeNull();
  });
});

describe('a release', () => {
  it('does not affect the site', () => {
    const after = state(...live('dep_1'), started('dep_2', '1.0.0'), released('dep_2', '1.0.0'));
    expect(after.live).toBe('dep_1');
    expect(after.deployments.map(({ id }) => id)).toEqual(['dep_1']);
    expect(after.releases).toMatchObject({ '1.0.0': { manifest: 'of dep_2' } });
    expect(state(started('dep_2', '1.0.0'), failed('dep_2'))).toMatchObject({ deployments: [], live: null });
  });

  it('is never made again', () => {
    start(started('dep_2', '1.0.0'), released('dep_2', '1.0.0'))
      .when(startPublish, wanted('1.0.0'))
      .refuses('release-exists');
    start(started('dep_2', '1.0.0'), failed('dep_2'))
      .when(startPublish, wanted('1.0.0'))
      .emits(started('dep_9', '1.0.0'));
    start(started('dep_2', '1.0.0'), released('dep_2', '1.0.0'))
      .when(startPublish, wanted('constructor'))
      .emits(started('dep_9', 'constructor'));
  });

  it('remains when the site is unpublished', () => {
    const unpublished: PublicationEvent = { type: 'SiteUnpublished', data: {} };
    start(...live('dep_1'), started('dep_2', '1.0.0'))
      .when(unpublish)
      .emits(unpublished);
    expect(state(...live('dep_1'), started('dep_2', '1.0.0'), unpublished).publishing?.deploymentId).toBe('dep_2');
  });
});

describe('unpublishing', () => {
  it('keeps the deployments', () => {
    start(...live('dep_1'))
      .when(unpublish)
      .emits({ type: 'SiteUnpublished', data: {} });
    const after = state(...live('dep_1'), { type: 'SiteUnpublished', data: {} });
    expect(after).toMatchObject({ live: null, retired: [{ manifest: 'of dep_1' }] });
    expect(manifestOf(after, 'dep_1')).toBe('of dep_1');
  });

  it('is refused if the site is not live', () => {
    start(started('dep_1'), failed('dep_1')).when(unpublish).refuses('site-not-published');
    start(started('dep_1')).when(unpublish).emits({ type: 'SiteUnpublished', data: {} });
  });
});

describe('a rollback', () => {
  const back = (deploymentId: string): PublicationEvent => ({ type: 'SiteRolledBack', data: { deploymentId } });
  const twelve = Array.from({ length: 12 }, (_, index) => `dep_${index + 1}`).flatMap(live);

  it('makes one of the ten newest live', () => {
    start(...twelve)
      .when(rollBackPublication, 'dep_3')
      .emits(back('dep_3'));
    start(...twelve)
      .when(rollBackPublication, 'dep_2')
      .refuses('deployment-not-found');
    start(...twelve)
      .when(rollBackPublication, 'dep_12')
      .emitsNothing();
    start(...live('dep_1'), started('dep_2'), failed('dep_2'))
      .when(rollBackPublication, 'dep_2')
      .refuses('deployment-not-found');
    given().when(rollBackPublication, undefined, 'dep_1').refuses('deployment-not-found');
  });

  it('is refused during a publish of the site, but not of a release', () => {
    start(...twelve, started('dep_13'))
      .when(rollBackPublication, 'dep_11')
      .refuses('publish-running');
    start(...twelve, started('dep_13', '1.0.0'))
      .when(rollBackPublication, 'dep_11')
      .emits(back('dep_11'));
  });

  it('keeps the live one at any age, and lists those that were live in the last day', () => {
    const more = ['dep_13', 'dep_14'].flatMap((id) => [started(id), failed(id)]);
    const after = state(...twelve, back('dep_3'), ...more);
    expect(after.live).toBe('dep_3');
    expect(after.retired[0]?.manifest).toBe('of dep_12');
    expect(after.retired.map(({ manifest }) => manifest)).toContain('of dep_3');
    const newer = state(...twelve, back('dep_3'), started('dep_13', null));
    expect(newer.deployments.some(({ id }) => id === 'dep_3')).toBe(true);
  });
});

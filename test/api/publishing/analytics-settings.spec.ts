import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let projectId: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Shop' })).id;
});

const primary = 'G-AB12CD34EF';
const secondary = 'abc12DEF';
const both = { primaryAnalyticsId: primary, secondaryAnalyticsId: secondary };
const update = (body: object, key?: string) => app.call('site/updateAnalyticsSettings', { projectId, ...body }, key);
const settings = () => done(app, 'site/getAnalyticsSettings', { projectId });
const nothing = { primaryAnalyticsId: null, secondaryAnalyticsId: null, consentBanner: true, publishedAt: null };

describe('updateAnalyticsSettings', () => {
  it('replaces both ids, and reports that a publish is needed', async () => {
    expect(await settings()).toEqual(nothing);
    const { status, body } = await update(both);
    expect([status, body]).toEqual([200, { ok: true, needsPublish: true }]);
    expect(await settings()).toEqual({ ...nothing, ...both });
    await update({ primaryAnalyticsId: null, secondaryAnalyticsId: secondary });
    expect(await settings()).toEqual({ ...nothing, secondaryAnalyticsId: secondary });
    await update({ primaryAnalyticsId: null, secondaryAnalyticsId: null });
    expect(await settings()).toEqual(nothing);
  });

  it('keeps the banner setting by default, and begins with it on (Q-S99)', async () => {
    await update({ ...both, consentBanner: false });
    expect((await settings()).consentBanner).toBe(false);
    await update(both);
    expect((await settings()).consentBanner).toBe(false);
    await update({ ...both, consentBanner: true });
    expect((await settings()).consentBanner).toBe(true);
  });

  it.each([
    ['G-ab12cd34ef', 'lower case (Q-S100)'],
    ['g-AB12CD34EF', 'a lower-case g'],
    ['G-AB12CD34E', 'nine characters'],
    ['G-AB12CD34EFG', 'eleven characters'],
    ['GAB12CD34EF', 'no hyphen'],
    ['UA-12345678-1', 'an older form'],
    [' G-AB12CD34EF', 'a space'],
    ['G-AB12CD34EF\n', 'a line break'],
    ['G-ÄB12CD34EF', 'other letters'],
    ['', 'nothing'],
    [7, 'a number'],
  ])(
    'refuses %j as primary id, with the expected form, and saves nothing (XE-08)',
    async (primaryAnalyticsId, _why) => {
      await update(both);
      const { status, body } = await update({
        primaryAnalyticsId,
        secondaryAnalyticsId: 'other99',
        consentBanner: false,
      });
      expect([status, body.code, body.errors.map(({ path }: { path: string }) => path)]).toEqual([
        400,
        'invalid-input',
        ['primaryAnalyticsId'],
      ]);
      if (typeof primaryAnalyticsId === 'string') expect(body.errors[0].message).toContain('G-AB12CD34EF');
      expect(await settings()).toEqual({ ...nothing, ...both });
    },
  );

  it.each([
    ['abcd', 400],
    ['abcde', 200],
    ['a'.repeat(20), 200],
    ['a'.repeat(21), 400],
    ['abc-12', 400],
    ['abc 12', 400],
    ['äbcde', 400],
    ['<script>', 400],
  ])(
    'accepts 5 to 20 letters and digits as secondary id: %j answers %i (SL-11)',
    async (secondaryAnalyticsId, status) => {
      const reply = await update({ primaryAnalyticsId: primary, secondaryAnalyticsId });
      expect(reply.status).toBe(status);
      if (status === 400) expect(reply.body.errors[0].message).toContain('5 to 20 letters and digits');
      expect((await settings()).primaryAnalyticsId).toBe(status === 200 ? primary : null);
    },
  );

  it('requires both ids, and accepts nothing else', async () => {
    expect((await update({ primaryAnalyticsId: primary })).status).toBe(400);
    expect((await update({ secondaryAnalyticsId: secondary })).status).toBe(400);
    expect((await update({ ...both, consentBanner: null })).status).toBe(400);
    expect((await update({ ...both, tertiary: 'x' })).status).toBe(400);
    expect(await settings()).toEqual(nothing);
  });

  it('requires an Editor; every member can read', async () => {
    const [editor, viewer] = [await person(app, 'editor'), await person(app, 'viewer')];
    expect((await update(both, viewer.key)).status).toBe(403);
    expect((await update(both, editor.key)).status).toBe(200);
    expect((await app.call('site/getAnalyticsSettings', { projectId }, viewer.key)).status).toBe(200);
    const { ownerKey } = await otherWorkspace(app);
    expect((await update(both, ownerKey)).status).toBe(404);
    expect((await app.call('site/getAnalyticsSettings', { projectId }, ownerKey)).status).toBe(404);
  });

  it('is shown by the audit, and can be undone', async () => {
    await update(both);
    const { events } = await done(app, 'audit/getHistory', { kind: 'project', id: projectId });
    const { position } = events.find(({ type }: { type: string }) => type === 'ProjectAnalyticsUpdated');
    await done(app, 'audit/undoChange', { position });
    expect(await settings()).toEqual(nothing);
  });
});

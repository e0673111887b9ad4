import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatorPlans } from '../../../src/areas/workspace/workspace/operator-plans.api.js';
import type { TestApp } from '../../support/app.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

const made = async (key?: string): Promise<string> => (await done(app, 'site/createProject', { name: 'Shop' }, key)).id;
const update = (body: object, key?: string) => app.call('site/updateProject', body, key);
const get = (id: string, key?: string) => done(app, 'site/getProject', { id }, key);

const everything = {
  name: 'Tea & more',
  description: 'Sells tea.',
  color: '#ABCDEF',
  logo: '/files/logo.svg',
  favicon: 'https://cdn.example.com/favicon.ico',
  aiKnowledge: 'We sell tea.\nNever coffee.',
  marketplaceThumbnail: '/thumb.png',
  marketplaceCover: 'http://cdn.example.com/cover.png?v=2',
  marketplaceDescription: 'The best tea.',
  appDisplayName: 'Tea',
  bundleIdentifier: 'com.example.tea',
  appVersion: '1.2.3-beta.1',
  showServiceBranding: false,
  dependencies: {
    '@tanstack/react-query': '^5.0.0',
    'date-fns': '3.6.0',
    dayjs: 'latest',
    lodash: '1.x',
    zod: '~3.22',
  },
  brandKit: { fonts: ['Inter'] },
  marketplaceEnabled: true,
  pwaEnabled: true,
  buildNumber: 7,
  appIcon: '/icon.png',
  splashScreen: '/splash.png',
  orientation: 'portrait',
  mobilePermissions: ['camera', 'location'],
};

describe('updateProject', () => {
  it('stores every sent setting, answers id and name, and does not change the address', async () => {
    const id = await made();
    const before = await get(id);
    const reply = await update({ id, ...everything });
    expect([reply.status, reply.body]).toEqual([200, { id, name: 'Tea & more' }]);
    expect(await get(id)).toEqual({ ...before, ...everything, updatedAt: expect.any(String) });
  });

  it('leaves omitted fields unchanged', async () => {
    const id = await made();
    await update({ id, ...everything });
    const before = await get(id);
    await update({ id, description: 'Only this.' });
    expect(await get(id)).toEqual({ ...before, description: 'Only this.', updatedAt: expect.any(String) });
  });

  it('begins with the badge, without an installable app and packages', async () => {
    expect(await get(await made())).toMatchObject({
      showServiceBranding: true,
      pwaEnabled: false,
      orientation: 'default',
      mobilePermissions: [],
      dependencies: {},
      marketplaceEnabled: false,
      logo: null,
      buildNumber: null,
    });
  });

  it('treats an empty text as none', async () => {
    const id = await made();
    await update({ id, ...everything });
    await update({ id, logo: '', aiKnowledge: '', appVersion: '', description: '' });
    expect(await get(id)).toMatchObject({ logo: null, aiKnowledge: null, appVersion: null, description: null });
  });

  it('records nothing without a change', async () => {
    const id = await made();
    await update({ id, pwaEnabled: true, dependencies: { b: '1', a: '1' } });
    const before = await get(id);
    await update({ id, pwaEnabled: true, dependencies: { a: '1', b: '1' }, color: '#3B82F6' });
    expect(await get(id)).toEqual(before);
  });

  it.each([
    ['an empty name', { name: ' ' }, 'name'],
    ['a color that is none', { color: 'blue' }, 'color'],
    ['a script as the logo', { logo: 'javascript:alert(1)' }, 'logo'],
    ['a path that leads to another host', { favicon: '//evil.example/x.ico' }, 'favicon'],
    ['a relative path', { appIcon: 'icon.png' }, 'appIcon'],
    ['a data URL', { splashScreen: 'data:image/png;base64,AAAA' }, 'splashScreen'],
    ['a bundle identifier that is none', { bundleIdentifier: 'tea' }, 'bundleIdentifier'],
    ['an orientation that is none', { orientation: 'sideways' }, 'orientation'],
    ['a permission that is none', { mobilePermissions: ['camera', 'microphone'] }, 'mobilePermissions'],
    ['a build number with a fraction', { buildNumber: 1.5 }, 'buildNumber'],
    ['a negative build number', { buildNumber: -1 }, 'buildNumber'],
    ['an app version with spaces', { appVersion: '1 2' }, 'appVersion'],
    ['a brand kit that is no object', { brandKit: [] }, 'brandKit'],
    ['dependencies that are no object', { dependencies: ['lodash'] }, 'dependencies'],
    ['null for a setting', { logo: null }, 'logo'],
    ['a misspelt badge', { showServiceBrandng: true }, 'showServiceBrandng'],
  ])('refuses %s and changes nothing', async (_, body, path) => {
    const id = await made();
    const before = await get(id);
    const reply = await update({ id, pwaEnabled: true, ...body });
    const paths = reply.body.errors.map((error: { path: string }) => error.path);
    expect(reply.status).toBe(400);
    expect(paths.every((one: string) => one.startsWith(path))).toBe(true);
    expect(await get(id)).toEqual(before);
  });

  it('answers neither needsRepublish nor a note while the project is not published', async () => {
    const reply = await update({ id: await made(), color: '#000000', pwaEnabled: true });
    expect(Object.keys(reply.body)).toEqual(['id', 'name']);
  });

  it('requires an Editor, and answers 404 for a project of another workspace', async () => {
    const id = await made();
    const viewer = await person(app, 'viewer');
    const editor = await person(app, 'editor');
    const { ownerKey } = await otherWorkspace(app);
    expect((await update({ id, color: '#111111' }, viewer.key)).status).toBe(403);
    expect((await update({ id, color: '#111111' }, editor.key)).status).toBe(200);
    const foreign = await update({ id, color: '#222222' }, ownerKey);
    expect([foreign.status, foreign.body.code]).toEqual([404, 'site-not-found']);
    expect((await get(id)).color).toBe('#111111');
  });
});

describe('the badge', () => {
  it('remains on a free plan: turning it off is 403 plan-limit with the upgrade link', async () => {
    const { ownerKey: key, workspaceId } = await otherWorkspace(app);
    await app.app.get(OperatorPlans, { strict: false }).set(workspaceId, 'free');
    const id = await made(key);
    const reply = await update({ id, showServiceBranding: false, color: '#000000' }, key);
    expect([reply.status, reply.body.code]).toEqual([403, 'plan-limit']);
    expect(reply.body.upgradeUrl).toMatch(/^http/);
    expect(reply.body.detail).toContain(reply.body.upgradeUrl);
    expect(await get(id, key)).toMatchObject({ showServiceBranding: true, color: '#3B82F6' });
    expect((await update({ id, showServiceBranding: true }, key)).status).toBe(200);
    await app.app.get(OperatorPlans, { strict: false }).set(workspaceId, 'starter');
    expect((await update({ id, showServiceBranding: false }, key)).status).toBe(200);
    expect((await get(id, key)).showServiceBranding).toBe(false);
  });
});

describe('dependencies', () => {
  it('are refused as a set with every refused package and its reason, and the saved set does not change', async () => {
    const id = await made();
    await update({ id, dependencies: { lodash: '4.17.21' } });
    const reply = await update({
      id,
      dependencies: { zod: '^3.0.0', react: '18.0.0', evil: 'git+ssh://git@example.com/evil.git', Upper: '1.0.0' },
    });
    expect([reply.status, reply.body.code]).toEqual([400, 'dependencies-refused']);
    expect(reply.body.packages).toEqual([
      { name: 'react', version: '18.0.0', reason: expect.stringContaining('pinned') },
      { name: 'evil', version: 'git+ssh://git@example.com/evil.git', reason: expect.stringContaining('registry') },
      { name: 'Upper', version: '1.0.0', reason: expect.stringContaining('name') },
    ]);
    for (const name of ['react', 'evil', 'Upper']) expect(reply.body.detail).toContain(name);
    expect(reply.body.detail).not.toContain('zod');
    expect((await get(id)).dependencies).toEqual({ lodash: '4.17.21' });
  });

  it('are replaced by the sent set', async () => {
    const id = await made();
    await update({ id, dependencies: { lodash: '4.17.21', zod: '3.0.0' } });
    await update({ id, dependencies: { zod: '3.1.0' } });
    expect((await get(id)).dependencies).toEqual({ zod: '3.1.0' });
    await update({ id, dependencies: {} });
    expect((await get(id)).dependencies).toEqual({});
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done, keyOf, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

describe('sitesManifest', () => {
  it('lists the sites of the workspace, even if there are none', async () => {
    expect(await done(app, 'automations/sitesManifest')).toEqual({ sites: [] });
  });

  it('is open to those who may read functions', async () => {
    const keys = [(await person(app, 'viewer')).key, await keyOf(app, { kind: 'automation', readOnly: true })];
    for (const key of keys) expect(await done(app, 'automations/sitesManifest', {}, key)).toEqual({ sites: [] });
    expect((await app.call('automations/sitesManifest', {}, 'csk_nobody')).status).toBe(401);
  });

  it('accepts no input', async () => {
    const { status, body } = await app.call('automations/sitesManifest', { siteId: 'x' });
    expect([status, body.errors[0].path]).toEqual([400, 'siteId']);
  });
});

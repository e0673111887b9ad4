import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { done, otherWorkspace, person } from '../support/people.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

describe('getAccessOverview', () => {
  it('answers together what decides on access to a project', async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Shop' });
    const overview = {
      isApp: false,
      aiPermissions: {},
      pageCount: 1,
      protectedPageCount: 0,
      envVarCount: 0,
      secretCount: 0,
    };
    expect(await done(app, 'site/getAccessOverview', { projectId })).toEqual({ projectId, ...overview });
    await done(app, 'site/createPage', { projectId, name: 'Members', path: '/members', isProtected: true });
    await done(app, 'site/createEnvVar', { projectId, name: 'KEY', value: 'hush' });
    await done(app, 'site/createEnvVar', { projectId, name: 'COLOR', value: 'blue', isSecret: false });
    await done(app, 'site/updateAiPermissions', { projectId, aiPermissions: { 'pages:*': true } });
    const { key } = await person(app, 'viewer');
    expect(await done(app, 'site/getAccessOverview', { projectId }, key)).toEqual({
      projectId,
      isApp: false,
      aiPermissions: { 'pages:*': true },
      pageCount: 2,
      protectedPageCount: 1,
      envVarCount: 2,
      secretCount: 1,
    });
  });

  it('is of the own workspace alone', async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Shop' });
    const { ownerKey } = await otherWorkspace(app);
    const { status, body } = await app.call('site/getAccessOverview', { projectId }, ownerKey);
    expect([status, body.code]).toEqual([404, 'site-not-found']);
  });
});

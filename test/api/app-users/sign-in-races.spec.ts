// Engines: one process.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { PasswordHash } from '../../../src/ports/offloaded/password-hash.port.js';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { visitorPassword as password, type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

const email = 'ada@example.com';
let app: TestApp;
let site: SiteVisitors;
let userId: string;
beforeAll(async () => {
  app = await sharedApp();
  site = await siteVisitors(app);
  userId = (await site.user(email)).id;
});
afterAll(async () => {
  jest.restoreAllMocks();
  await app.close();
});

describe('a session that begins with a password', () => {
  it('is invalid if the password was replaced during the sign-in', async () => {
    const newPassword = 'battery staple';
    const hashes = app.app.get(PasswordHash);
    const { matches } = hashes;
    // The comparison returns only after the password has been changed.
    jest.spyOn(hashes, 'matches').mockImplementationOnce(async (...asked) => {
      const found = await matches.apply(hashes, asked);
      await done(app, 'site/resetAppUserPassword', { projectId: site.projectId, userId, newPassword });
      return found;
    });
    const late = await site.logIn(email, password);
    expect(await site.me(late)).toBeNull();
    expect((await site.me(await site.logIn(email, newPassword)))?.id).toBe(userId);
  });
});

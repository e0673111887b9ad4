// Engines: one process.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ScryptPasswordHash } from '../../../src/adapters/password-hash/scrypt/scrypt-password-hash.adapter.js';
import { PasswordHash, type PasswordLine } from '../../../src/ports/offloaded/password-hash.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { visitorPassword as password, type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

/** Says what it found only when it is told to. */
class HeldPasswords extends ScryptPasswordHash {
  meanwhile: (() => Promise<unknown>) | undefined;

  override async matches(line: PasswordLine, sent: string, hash: string | undefined): Promise<boolean> {
    const found = await super.matches(line, sent, hash);
    const { meanwhile } = this;
    this.meanwhile = undefined;
    await meanwhile?.();
    return found;
  }
}

const held = new HeldPasswords({ ln: 4, r: 8, p: 1 });
const email = 'ada@example.com';
let app: TestApp;
let site: SiteVisitors;
let userId: string;
beforeAll(async () => {
  app = await startApp({ replacements: [{ provide: PasswordHash, useValue: held }] });
  site = await siteVisitors(app);
  userId = (await site.user(email)).id;
});
afterAll(() => app.close());

describe('a session that begins with a password', () => {
  it('is none once the password was replaced meanwhile', async () => {
    const newPassword = 'battery staple';
    held.meanwhile = () => done(app, 'site/resetAppUserPassword', { projectId: site.projectId, userId, newPassword });
    const late = await site.logIn(email, password);
    expect(await site.me(late)).toBeNull();
    expect((await site.me(await site.logIn(email, newPassword)))?.id).toBe(userId);
  });
});

// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PasswordHash, PasswordHashBusy, type PasswordLine } from '../../../src/ports/offloaded/password-hash.port.js';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { siteVisitors } from '../../support/sites/site-visitors.js';

/** Refuses to hash while it is busy, and records the line of each request. */
class TestedHash extends PasswordHash {
  busy = false;
  readonly asked: PasswordLine[] = [];

  async hash(line: PasswordLine): Promise<string> {
    this.asked.push(line);
    if (this.busy) throw new PasswordHashBusy(3);
    return 'a hash';
  }

  async matches(line: PasswordLine): Promise<boolean> {
    this.asked.push(line);
    return true;
  }
}

let app: TestApp;
let projectId: string;
const hashes = new TestedHash();
beforeAll(async () => {
  app = await sharedApp();
  const own = app.app.get(PasswordHash);
  jest.spyOn(own, 'hash').mockImplementation((line) => hashes.hash(line));
  jest.spyOn(own, 'matches').mockImplementation((line) => hashes.matches(line));
  projectId = (await done(app, 'site/createProject', { name: 'Users' })).id;
});
afterAll(async () => {
  jest.restoreAllMocks();
  await app.close();
});
beforeEach(() => {
  hashes.busy = false;
  hashes.asked.length = 0;
});

const password = 'long enough';
let made = 0;
const sent = () => ({ projectId, email: `u${made++}@example.com`, password });

describe('while the queue for hashing passwords is full', () => {
  it('createAppUser answers when to retry, and creates nothing', async () => {
    hashes.busy = true;
    const body = sent();
    const reply = await app.call('site/createAppUser', body);
    expect([reply.status, reply.body.code, reply.headers.get('retry-after')]).toEqual([503, 'passwords-busy', '3']);
    hashes.busy = false;
    expect((await app.call('site/createAppUser', body)).status).toBe(200);
  });

  it('resetAppUserPassword changes nothing, but users can still be changed and banned', async () => {
    const { id: userId } = await done(app, 'site/createAppUser', sent());
    hashes.busy = true;
    const reset = await app.call('site/resetAppUserPassword', { projectId, userId, newPassword: 'another one' });
    expect([reset.status, reset.body.code]).toEqual([503, 'passwords-busy']);
    const banned = await app.call('site/updateAppUser', { projectId, userId, isBanned: true });
    expect([banned.status, banned.body.isBanned]).toEqual([200, true]);
  });
});

describe('a password', () => {
  it('is hashed only after all other validation', async () => {
    const wrong = [
      { email: 'nobody' },
      { name: '' },
      { customFields: { none: 1 } },
      { roleIds: ['role_none'] },
      { password: 'short' },
      { projectId: 'proj_none' },
    ];
    for (const one of wrong) {
      expect((await app.call('site/createAppUser', { ...sent(), ...one })).status).toBeGreaterThanOrEqual(400);
    }
    expect(hashes.asked).toEqual([]);
  });

  it('waits in the queue of its site and its kind', async () => {
    const { id: userId } = await done(app, 'site/createAppUser', sent());
    await done(app, 'site/resetAppUserPassword', { projectId, userId, newPassword: password });
    const site = await siteVisitors(app);
    const { body } = await site.post('auth/signup', { email: 'ada@example.com', password });
    await site.post('auth/login', { email: 'ada@example.com', password });
    const pass = body.session.token;
    await site.post('auth/profile', { password: 'another one', currentPassword: password }, pass);
    const ofMember = { siteId: projectId, kind: 'member' };
    const of = (kind: string) => ({ siteId: site.projectId, kind });
    expect(hashes.asked).toEqual([ofMember, ofMember, of('sign-up'), ...Array(3).fill(of('sign-in'))]);
  });
});

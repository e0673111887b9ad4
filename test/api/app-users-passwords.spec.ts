import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PasswordHash, PasswordHashBusy } from '../../src/ports/password-hash.port.js';
import { startApp, type TestApp } from '../support/app.js';
import { done } from '../support/people.js';

/** Hashes nothing as long as it is busy, and notes for whom it was asked. */
class TestedHash extends PasswordHash {
  busy = false;
  readonly asked: string[] = [];

  async hash(queue: string): Promise<string> {
    this.asked.push(queue);
    if (this.busy) throw new PasswordHashBusy(3);
    return 'a hash';
  }

  async matches(): Promise<boolean> {
    return false;
  }
}

let app: TestApp;
let projectId: string;
const hashes = new TestedHash();
beforeAll(async () => {
  app = await startApp({ replacements: [{ provide: PasswordHash, useValue: hashes }] });
  projectId = (await done(app, 'site/createProject', { name: 'Users' })).id;
});
afterAll(() => app.close());
beforeEach(() => {
  hashes.busy = false;
  hashes.asked.length = 0;
});

const password = 'long enough';
let made = 0;
const sent = () => ({ projectId, email: `u${made++}@example.com`, password });

describe('while too many passwords are being hashed', () => {
  it('createAppUser says when to come again, and creates nothing', async () => {
    hashes.busy = true;
    const body = sent();
    const reply = await app.call('site/createAppUser', body);
    expect([reply.status, reply.body.code, reply.headers.get('retry-after')]).toEqual([503, 'passwords-busy', '3']);
    hashes.busy = false;
    expect((await app.call('site/createAppUser', body)).status).toBe(200);
  });

  it('resetAppUserPassword changes nothing, and a user is changed and banned all the same', async () => {
    const { id: userId } = await done(app, 'site/createAppUser', sent());
    hashes.busy = true;
    const reset = await app.call('site/resetAppUserPassword', { projectId, userId, newPassword: 'another one' });
    expect([reset.status, reset.body.code]).toEqual([503, 'passwords-busy']);
    const banned = await app.call('site/updateAppUser', { projectId, userId, isBanned: true });
    expect([banned.status, banned.body.isBanned]).toEqual([200, true]);
  });
});

describe('a password', () => {
  it('is hashed only after everything else that can be wrong', async () => {
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

  it('waits its turn with those of its own workspace', async () => {
    await done(app, 'site/createAppUser', sent());
    expect(hashes.asked).toEqual([(await done(app, 'workspace/getWorkspace')).id]);
  });
});

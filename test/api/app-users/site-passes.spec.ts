import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AppUser } from '../../../src/areas/app-users/app-user/app-user.record.js';
import { siteSignInStream } from '../../../src/areas/app-users/sign-in/sign-in.record.js';
import { SignIns } from '../../../src/areas/app-users/sign-in/sign-ins.api.js';
import { SitePasses } from '../../../src/areas/app-users/site-pass/site-passes.api.js';
import { Calls, systemActor } from '../../../src/engine/operation/calls.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { Vault } from '../../../src/ports/vault.port.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { eventually } from '../../support/eventually.js';
import { done, person } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

let clock: SettableClock;
const hours = 3_600_000;
let app: OutsideApp;
let site: SiteVisitors;
let userId: string;
let pass: string;
beforeAll(async () => {
  app = await sharedOutside();
  ({ clock } = app);
});
afterAll(() => app.close());
beforeEach(async () => {
  clock.set(Date.now());
  site = await siteVisitors(app);
  ({ id: userId } = await site.user(ada));
  pass = await site.logIn(ada);
});

const ada = 'ada@example.com';
const auth = (settings: object) => done(app, 'site/updateProjectAuth', { id: site.projectId, ...settings });
const updateUser = (changes: object) =>
  done(app, 'site/updateAppUser', { projectId: site.projectId, userId, ...changes });
const isSignedIn = async (token = pass) => (await site.me(token))?.id === userId;

describe("a visitor's pass", () => {
  it('names the user until it ends', async () => {
    expect(await isSignedIn()).toBe(true);
    expect(await site.me()).toBeNull();
    expect(await site.me(`${pass.slice(1)}A`)).toBeNull();
  });

  it('cannot be made up', async () => {
    for (const made of ['', 'x', 'x'.repeat(32), 'x'.repeat(10_000)]) expect(await site.me(made)).toBeNull();
  });

  it('is valid for one site', async () => {
    const other = await siteVisitors(app);
    expect(await other.me(pass)).toBeNull();
  });

  it.each([
    ['a ban', () => updateUser({ isBanned: true })],
    ['the deletion of the user', () => done(app, 'site/deleteAppUser', { projectId: site.projectId, userId })],
    [
      'a password reset',
      () => done(app, 'site/resetAppUserPassword', { projectId: site.projectId, userId, newPassword: 'other horse' }),
    ],
    ['resetSitePasses', () => done(app, 'site/resetSitePasses', { id: site.projectId })],
    ['logout', () => site.post('auth/logout', {}, pass)],
  ])('ends at once with %s', async (_, end) => {
    await end();
    expect(await isSignedIn()).toBe(false);
  });

  it('stays invalid when a ban is lifted', async () => {
    await updateUser({ isBanned: true });
    await updateUser({ isBanned: false });
    expect(await isSignedIn()).toBe(false);
    expect(await isSignedIn(await site.logIn(ada))).toBe(true);
  });

  it('is nowhere in the clear, and is removed from the vault by the sweep', async () => {
    const { workspaceId } = await app.app
      .get(SitePasses, { strict: false })
      .visitorOf((await done(app, 'workspace/getWorkspace')).id, site.projectId, pass);
    const names = await entries(workspaceId);
    expect(names).not.toHaveLength(0);
    expect(names.join()).not.toContain(pass);
    clock.set(clock.now() + 8 * 24 * hours);
    await app.app.get(Vault).sweep();
    expect(await entries(workspaceId)).toEqual([]);
  });
});

describe('sign-ins in the log', () => {
  const kept = async () => {
    const { id } = await done(app, 'workspace/getWorkspace');
    return app.app.get(EventStore).readStream(siteSignInStream(id, userId), {});
  };

  it('are the last one or two hundred of each user, and are deleted with the user', async () => {
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const { user } = await app.app.get(SitePasses, { strict: false }).visitorOf(workspaceId, site.projectId, pass);
    const signIns = app.app.get(SignIns, { strict: false });
    const call = app.app.get(Calls, { strict: false }).once(workspaceId, systemActor('spec'), 'spec');
    for (let n = 0; n < 250; n++) await signIns.begin(call, user as AppUser);
    const { length } = await kept();
    expect([length >= 100, length <= 200]).toEqual([true, true]);
    await done(app, 'site/deleteAppUser', { projectId: site.projectId, userId });
    await eventually(kept, (events) => events.length === 0);
  });
});

async function entries(workspaceId: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of app.app.get(Vault).sealedEntries()) {
    if (name.startsWith(`site-pass/${workspaceId}/`)) names.push(name);
  }
  return names;
}

describe('SL-01: authSessionHours', () => {
  const lifetime = async () => {
    const { body } = await site.post('auth/login', { email: ada, password: 'correct horse' });
    return Math.round((Date.parse(body.session.expiresAt) - clock.now()) / hours);
  };

  it.each([
    [1, 1],
    [8_760, 8_760],
    [null, 168],
  ])('of %j make a session of %i hours', async (authSessionHours, expected) => {
    await auth({ authSessionHours });
    expect(await lifetime()).toBe(expected);
  });

  it('end a session, and apply to later ones', async () => {
    await auth({ authSessionHours: 1 });
    const short = await site.logIn(ada);
    clock.set(clock.now() + hours);
    expect([await isSignedIn(), await isSignedIn(short)]).toEqual([true, false]);
    clock.set(clock.now() + 7 * 24 * hours);
    expect(await isSignedIn()).toBe(false);
  });
});

describe('resetSitePasses', () => {
  it('ends the passes of all visitors of one site, including guests, and lets them sign in again', async () => {
    await done(app, 'site/setRealtimeGuestAccess', { projectId: site.projectId, enabled: true });
    const guest = (await site.post('auth/guest')).body.session.token;
    const other = await siteVisitors(app);
    await other.user(ada);
    const elsewhere = await other.logIn(ada);
    await done(app, 'site/resetSitePasses', { id: site.projectId });
    expect([await isSignedIn(), (await other.me(elsewhere))?.['email']]).toEqual([false, ada]);
    expect(await throughSite(guest)).toBe(false);
    expect(await isSignedIn(await site.logIn(ada))).toBe(true);
  });

  it('requires the right to change users, and an existing site', async () => {
    const { key: viewer } = await person(app, 'viewer');
    expect((await app.call('site/resetSitePasses', { id: site.projectId }, viewer)).status).toBe(403);
    expect((await app.call('site/resetSitePasses', { id: 'proj_none' })).status).toBe(404);
    expect(await isSignedIn()).toBe(true);
  });
});

const throughSite = async (token?: string) => {
  const { id } = await done(app, 'workspace/getWorkspace');
  const found = await app.app.get(SitePasses, { strict: false }).visitorOf(id, site.projectId, token);
  return found.visitor.throughSite;
};

describe('AC-07: only through this site', () => {
  it('requires a valid pass, of a user or of a guest', async () => {
    await done(app, 'site/setRealtimeGuestAccess', { projectId: site.projectId, enabled: true });
    const guest = (await site.post('auth/guest')).body.session.token;
    expect([await throughSite(pass), await throughSite(guest), await throughSite()]).toEqual([true, true, false]);
  });
});

describe('auth/guest', () => {
  it('gives a guest a session while the site admits guests', async () => {
    expect((await site.post('auth/guest')).body.code).toBe('guests-off');
    await done(app, 'site/setRealtimeGuestAccess', { projectId: site.projectId, enabled: true });
    const { status, body } = await site.post('auth/guest');
    expect([status, body]).toEqual([
      200,
      {
        guestId: expect.stringMatching(/^guest_/),
        session: { token: expect.stringMatching(/^[\w-]{32}$/), expiresAt: expect.any(String) },
      },
    ]);
    expect(await site.me(body.session.token)).toBeNull();
  });

  it('accepts 600 an hour from one address, because each is stored for as long as a session lasts', async () => {
    await done(app, 'site/setRealtimeGuestAccess', { projectId: site.projectId, enabled: true });
    // The quota refills one place every six seconds, so a slow machine gets some more than 600.
    const answers = await Promise.all(Array.from({ length: 640 }, () => site.post('auth/guest')));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(40);
    for (const { status, body } of refused) expect([status, body.code]).toEqual([429, 'guest-rate']);
  });
});

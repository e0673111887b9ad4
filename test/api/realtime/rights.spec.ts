// Engines: one process.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LeaseKeeper, schedulerDuty } from '../../../src/engine/cluster/lease-keeper.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { RealtimeClient } from '../../support/sites/realtime-client.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { type SiteVisitors, siteVisitors, visitorPassword } from '../../support/sites/site-visitors.js';

let app: OutsideApp;
let visitors: SiteVisitors;
let projectId: string;
let ada: { readonly id: string; readonly pass: string; readonly client: RealtimeClient };
const opened: RealtimeClient[] = [];
beforeAll(async () => {
  app = await sharedOutside();
  await done(app, 'workspace/updateSettings', { versions: false });
});
afterAll(() => app?.close());
beforeEach(async () => {
  visitors = await siteVisitors(app, { authCustomFields: [{ name: 'plan', type: 'text' }] });
  projectId = visitors.projectId;
  const { id } = await visitors.user('ada@example.com', { customFields: { plan: 'gold' } });
  const pass = await visitors.logIn('ada@example.com');
  ada = { id, pass, client: await connect(pass) };
});
afterEach(() => {
  jest.restoreAllMocks();
  for (const client of opened.splice(0)) client.close();
});

const connect = async (pass?: string) => {
  const client = await RealtimeClient.open(app, projectId, pass);
  opened.push(client);
  return client;
};
const subscribe = (pattern: string, condition: unknown, sortOrder = 0) =>
  done(app, 'site/setChannelAccessRules', {
    projectId,
    pattern,
    accessRules: { subscribe: condition },
    sortOrder,
  });
const signedIn = { type: 'authenticated' };
const everybody = { type: 'public', scope: 'everywhere' };
/** Expects the server to end the subscription by itself, with a refusal that answers no message. */
const ended = async (channel: string, client = ada.client) => {
  const told = await client.next((one) => one.type === 'refused' && one.channel === channel && one.id === undefined);
  expect(told.code).toBe('channel-denied');
};
const mayListen = async (channel: string) => expect(await ada.client.listens(channel)).toBe('subscribed');
const mayNot = async (channel: string) => expect(await ada.client.listens(channel)).toBe('channel-denied');

describe('a subscription ends, and a new right applies at once, when', () => {
  it('a role is taken, given, or deleted', async () => {
    const { id: roleId } = await done(app, 'site/createProjectRole', { projectId, name: 'Editors' });
    await subscribe('staff', { type: 'has_role', roleId });
    await mayNot('staff');
    await done(app, 'site/assignRoleToAppUser', { userId: ada.id, roleId });
    await mayListen('staff');
    await done(app, 'site/unassignRoleFromAppUser', { userId: ada.id, roleId });
    await ended('staff');
    await done(app, 'site/assignRoleToAppUser', { userId: ada.id, roleId });
    await mayListen('staff');
    ada.client.received.length = 0;
    await done(app, 'site/deleteProjectRole', { roleId });
    await ended('staff');
  });

  it('an entitlement is revoked or granted', async () => {
    const of = { projectId, appUserId: ada.id, key: 'gold' };
    await subscribe('gold', { type: 'has_entitlement', key: 'gold' });
    await mayNot('gold');
    await done(app, 'site/grantEntitlement', of);
    await mayListen('gold');
    await done(app, 'site/revokeEntitlement', of);
    await ended('gold');
  });

  it('an entitlement ends by the clock, although no event records it', async () => {
    // The event would end the subscription too. It is recorded by the process that has this lease.
    const keeper = app.app.get(LeaseKeeper, { strict: false });
    const holds = keeper.holds.bind(keeper);
    jest.spyOn(keeper, 'holds').mockImplementation((name) => name !== schedulerDuty.name && holds(name));
    await subscribe('gold', { type: 'has_entitlement', key: 'gold' });
    const expiresAt = new Date(app.clock.now() + 10_000).toISOString();
    await done(app, 'site/grantEntitlement', { projectId, appUserId: ada.id, key: 'gold', expiresAt });
    app.clock.pass(8_000);
    await mayListen('gold');
    app.clock.pass(2_000);
    await ended('gold');
  });

  it('the user is banned', async () => {
    await mayListen('news');
    await subscribe('open', everybody);
    await mayListen('open');
    await done(app, 'site/updateAppUser', { projectId, userId: ada.id, isBanned: true });
    await ended('news');
    // The ban ended the session, so the connection is now anonymous.
    await mayListen('open');
    await mayNot('news');
  });

  it('the user is deleted', async () => {
    await mayListen('news');
    await done(app, 'site/deleteAppUser', { projectId, userId: ada.id });
    await ended('news');
  });

  it('a field of the user changes', async () => {
    await subscribe('plans', { type: 'user_property', property: 'plan', operator: 'eq', value: 'gold' });
    await mayListen('plans');
    await done(app, 'site/updateAppUser', { projectId, userId: ada.id, customFields: { plan: 'basic' } });
    await ended('plans');
  });

  it('the rules of a channel change', async () => {
    await mayListen('news');
    await subscribe('news', []);
    await ended('news');
    await subscribe('news', signedIn);
    await mayListen('news');
    ada.client.received.length = 0;
    await subscribe('*', [], -1);
    await ended('news');
    await done(app, 'site/deleteChannelAccessRules', { projectId, pattern: '*' });
    await mayListen('news');
  });

  it('a policy changes that its rule refers to', async () => {
    const policy = await done(app, 'site/createAccessPolicy', { projectId, name: 'Staff', condition: signedIn });
    await subscribe('staff', { policy: policy.id });
    await mayListen('staff');
    await done(app, 'site/updateAccessPolicy', { policyId: policy.id, condition: { not: signedIn } });
    await ended('staff');
  });

  it('a gate function is published that answers no', async () => {
    const functions = new SiteFunctionsScene(app, projectId);
    const gate = await functions.createGate('gate', 'return params.resource.name === "gated"');
    await subscribe('gated', { type: 'function', functionId: gate.id });
    await mayListen('gated');
    await functions.update(gate.id, { code: 'return false' });
    await ended('gated');
  });

  it('the user signs out', async () => {
    await mayListen('news');
    await visitors.post('auth/logout', {}, ada.pass);
    await ended('news');
  });

  it('the password is reset, except for the session that changed it', async () => {
    await mayListen('news');
    const elsewhere = await connect(await visitors.logIn('ada@example.com'));
    expect(await elsewhere.listens('news')).toBe('subscribed');
    const { status } = await visitors.post(
      'auth/profile',
      { password: 'another horse', currentPassword: visitorPassword },
      ada.pass,
    );
    expect(status).toBe(200);
    await ended('news', elsewhere);
    await ada.client.settled();
    expect(ada.client.received.some(({ type }) => type === 'refused')).toBe(false);
    await mayListen('news');
  });

  it('the password is reset, also if the client sends messages before the subscriptions are checked', async () => {
    await mayListen('news');
    await done(app, 'site/resetAppUserPassword', { projectId, userId: ada.id, newPassword: 'another horse' });
    const publish = { type: 'publish', channel: 'news', data: 1 };
    expect(await ada.client.outcome(publish)).toBe('publish-denied');
    await ended('news');
  });

  it('all passes of the site are reset, or its sign-in is switched off', async () => {
    await mayListen('news');
    await done(app, 'site/resetSitePasses', { id: projectId });
    await ended('news');
    const again = await connect(await visitors.logIn('ada@example.com'));
    expect(await again.listens('news')).toBe('subscribed');
    await done(app, 'site/updateProjectAuth', { id: projectId, authEnabled: false });
    await ended('news', again);
  });

  it('guest access is switched off, and guests lose their own channels', async () => {
    await done(app, 'site/setRealtimeGuestAccess', { projectId, enabled: true });
    const { body } = await visitors.post('auth/guest');
    const guest = await connect(body.session.token);
    expect(await guest.listens(`guest:${body.guestId}:a`)).toBe('subscribed');
    await done(app, 'site/setRealtimeGuestAccess', { projectId, enabled: false });
    await ended(`guest:${body.guestId}:a`, guest);
  });
});

it('a site that is deleted ends the connections to it', async () => {
  await mayListen('news');
  await done(app, 'site/deleteProject', { id: projectId });
  const closed = await eventually(
    async () => ada.client.closed,
    (one) => one !== undefined,
  );
  expect(closed?.code).toBe(1008);
});

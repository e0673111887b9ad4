import { expect } from '@jest/globals';
import { Coupons } from '../../../../src/areas/payments/coupon/coupons.api.js';
import { DueSweeps } from '../../../../src/engine/due/due-sweeps.js';
import { Calls, systemActor } from '../../../../src/engine/operation/calls.js';
import { eventually } from '../../eventually.js';
import { openShop, type Shop } from '../../sites/shops.js';
import { type SiteVisitors, visitorsOf } from '../../sites/site-visitors.js';
import {
  app,
  canary,
  dns,
  type Happening,
  type Happenings,
  made,
  name,
  nothing,
  ok,
  outside,
  processor,
} from './scene.js';

/**
 * Does something to a new project, and returns the expected account event. `act` returns the event's properties apart
 * from the project's id.
 */
const ofProject = (act: (id: string) => Promise<object>) => async (): Promise<Happening> => {
  const called = name();
  const { id } = await ok('site/createProject', { name: called });
  const properties = { projectId: id, ...(await act(id)) };
  // The project is deleted because a plan includes only a few. The event still contains its name.
  await ok('site/deleteProject', { id });
  return { subject: { type: 'project', id, name: called }, properties };
};
/** Publishes a site, and returns the id of the live deployment. */
const publishedSite = async (id: string): Promise<string> => {
  const { deploymentId } = await ok('site/publish', { id });
  await eventually(
    () => ok('site/getPublishStatus', { projectId: id }),
    (now) => now === null,
  );
  return deploymentId;
};
const rolledBack = ofProject(async (projectId) => {
  const deploymentId = await publishedSite(projectId);
  await publishedSite(projectId);
  await ok('site/rollBackPublish', { projectId, deploymentId });
  return { deploymentId };
});
const ofRow =
  (changed: readonly string[], act: (row: { readonly tableId: string; readonly id: string }) => Promise<unknown>) =>
  async (): Promise<Happening> => {
    const { linkedBaseId: baseId, id: projectId } = await ok('site/createProject', { name: name() });
    const fields = ['title', 'note'].map((field) => ({ name: field, type: 'text' }));
    const { id: tableId } = await ok('bases/createTable', { baseId, name: 'Orders', fields });
    const { id } = await ok('bases/createRow', { tableId, values: { title: canary } });
    await act({ tableId, id });
    await ok('site/deleteProject', { id: projectId });
    return { subject: { type: 'row', id }, properties: { tableId, table: 'Orders', rowId: id, changed } };
  };
/** Does something to a new user of a site, and returns the expected account event. */
const ofAppUser =
  (act: (user: { readonly projectId: string; readonly userId: string }) => Promise<unknown>) =>
  async (): Promise<Happening> => {
    const { id: projectId } = await ok('site/createProject', { name: name() });
    const email = `${canary.toLowerCase()}@example.com`;
    const { id: userId } = await ok('site/createAppUser', {
      projectId,
      email,
      name: canary,
      password: canary.repeat(3),
    });
    await act({ projectId, userId });
    await ok('site/deleteProject', { id: projectId });
    return { subject: { type: 'appUser', id: userId }, properties: { projectId } };
  };
/** Does something to a new user and a new role of a site, and returns the expected account event. */
const ofRole = (act: (of: { readonly userId: string; readonly roleId: string }) => Promise<unknown>) => async () => {
  let roleId = '';
  const happening = await ofAppUser(async ({ projectId, userId }) => {
    roleId = (await ok('site/createProjectRole', { projectId, name: canary })).id;
    // The second assignment must not raise another event.
    for (let n = 0; n < 2; n += 1) await ok('site/assignRoleToAppUser', { userId, roleId });
    await act({ userId, roleId });
  })();
  return { ...happening, properties: { ...happening.properties, roleId } };
};
/** Sends a campaign to one user of a site. */
async function sentCampaign() {
  const { id: projectId } = await ok('site/createProject', { name: name() });
  const email = `${canary.toLowerCase()}@example.com`;
  const { id: userId } = await ok('site/createAppUser', { projectId, email, password: canary.repeat(3) });
  const words = { projectId, name: 'News', subject: canary, html: `<p>${canary}</p>` };
  const { id: campaignId } = await ok('site/createCampaign', words);
  await ok('site/sendCampaign', { projectId, id: campaignId });
  await eventually(
    () => ok('site/listCampaigns', { projectId }),
    ([campaign]) => campaign.status === 'sent',
  );
  return { projectId, userId, campaignId };
}
/** Has a user of a site buy an offer, by default for ten dollars, and returns the expected account event. */
const ofPurchase =
  (act: (shop: Shop, paymentId: string) => Promise<unknown>, offer: object = {}, atProcessor = false) =>
  async (): Promise<Happening> => {
    const shop = await openShop(app, processor);
    await shop.offer({ name: canary, ...offer });
    if (atProcessor) await shop.connect();
    const { paymentId, amount } = (await shop.checkout()).body;
    await act(shop, paymentId);
    await ok('site/deleteProject', { id: shop.projectId });
    const about = { projectId: shop.projectId, appUserId: shop.userId, paymentId };
    const properties = { ...about, offerKey: 'club', amount, currency: 'usd' };
    return { subject: { type: 'appUser', id: shop.userId }, properties };
  };
/**
 * Delivers the same event of the processor twice. The event contains the checkout session with the changes in `said`.
 */
const heard = (type: string, said: object) =>
  ofPurchase(
    async (shop, paymentId) => {
      const session = processor.of('checkout.session').find((one) => one.client_reference_id === paymentId);
      const event = processor.event(type, { ...session, ...said });
      for (let n = 0; n < 2; n += 1) await shop.deliver(event);
    },
    {},
    true,
  );
/** Has a user sign up to a site, and returns the expected account event. */
const ofSignUp = (auth: object, act: (visitors: SiteVisitors) => Promise<unknown>) => async (): Promise<Happening> => {
  const { id: projectId } = await ok('site/createProject', { name: name() });
  await ok('site/updateProjectAuth', { id: projectId, authEnabled: true, ...auth });
  const visitors = visitorsOf(app, projectId);
  const sent = { email: `${canary}@example.com`, name: canary, password: canary.repeat(3) };
  expect((await visitors.post('auth/signup', sent)).status).toBe(200);
  const { users } = await ok('site/getAppUsers', { projectId });
  await act(visitors);
  await ok('site/deleteProject', { id: projectId });
  return { subject: { type: 'appUser', id: users[0].id }, properties: { projectId } };
};
/**
 * Does something to an entitlement of a site's user, and returns the expected account event. `act` returns the event's
 * properties apart from those that identify the entitlement.
 */
const ofEntitlement =
  (act: (of: object) => Promise<object>, times = 1) =>
  async (): Promise<Happening> => {
    const { id: projectId } = await ok('site/createProject', { name: name() });
    const email = `${canary.toLowerCase()}@example.com`;
    const user = { projectId, email, password: canary.repeat(3) };
    const { id: appUserId } = await ok('site/createAppUser', user);
    const of = { projectId, appUserId, key: 'member' };
    await ok('site/grantEntitlement', { ...of, source: { canary } });
    const properties = { ...of, ...(await act(of)) };
    await ok('site/deleteProject', { id: projectId });
    return { subject: { type: 'appUser', id: appUserId }, properties, times };
  };
const future = '2100-01-01T00:00:00.000Z';
const past = '2020-01-01T00:00:00.000Z';
const deletedAndUndone = async (row: object) => {
  await ok('bases/deleteRow', row);
  await ok('bases/undoRow', row);
};

export const siteHappenings: Happenings = {
  'CustomDomainVerified site.domain_verified': ofProject(async (id) => {
    const domain = `site-${made}.example.com`;
    const { record } = await ok('site/updateCustomDomain', { id, customDomain: domain });
    dns.says(record.name, { texts: [record.value] });
    // The second verification changes nothing, so it must not raise another event.
    for (let n = 0; n < 2; n += 1) await ok('site/verifyCustomDomain', { id });
    return { domain };
  }),
  'SitePublished site.published': ofProject(async (id) => ({ deploymentId: await publishedSite(id) })),
  'SiteRolledBack site.published': async () => ({ ...(await rolledBack()), times: 3 }),
  'SiteUnpublished site.unpublished': ofProject(async (id) => {
    await publishedSite(id);
    await ok('site/unpublish', { id });
    return {};
  }),
  'SnapshotRestored site.snapshot_restored': ofProject(async (projectId) => {
    const { snapshots } = await ok('site/listSnapshots', { projectId });
    const snapshotId = snapshots[0].id;
    await ok('site/createPage', { projectId, name: canary, path: `/${canary}`, content: canary });
    await ok('site/restoreSnapshot', { projectId, snapshotId });
    return { snapshotId };
  }),
  'AppUserCreated site.user_signed_up': ofSignUp({}, nothing),
  'AppUserVerified site.user_verified': ofSignUp({ authRequireEmail: true }, async ({ projectId, post }) => {
    // The service has no mail server to send through, so it stores the mail.
    const { mails } = await eventually(
      () => ok('site/listOutgoingMail', { projectId }),
      ({ mails: kept }) => kept.length === 1,
    );
    const token = new URL(mails[0].link).searchParams.get('token');
    expect((await post('auth/verify-email', { token })).status).toBe(200);
    // The second verification must not raise another event.
    await post('auth/verify-email', { token });
  }),
  'AppUserSignedIn site.user_signed_in': ofAppUser(async ({ projectId }) => {
    await ok('site/updateProjectAuth', { id: projectId, authEnabled: true });
    const sent = { email: `${canary}@example.com`, password: canary.repeat(3) };
    const json = { 'content-type': 'application/json' };
    const { status } = await app.send('POST', `/api/app/${projectId}/auth/login`, JSON.stringify(sent), json);
    expect(status).toBe(200);
  }),
  'AppUserBanned site.user_banned': ofAppUser(async (user) => {
    // The second ban must not raise another event.
    for (let n = 0; n < 2; n += 1) await ok('site/updateAppUser', { ...user, isBanned: true });
  }),
  'AppUserDeleted site.user_deleted': ofAppUser((user) => ok('site/deleteAppUser', user)),
  'AppUserRoleAssigned site.role_assigned': ofRole(nothing),
  'AppUserRoleUnassigned site.role_unassigned': ofRole(async (of) => {
    for (let n = 0; n < 2; n += 1) await ok('site/unassignRoleFromAppUser', of);
  }),
  'SitePaymentStarted site.payment_succeeded': ofPurchase(nothing, { amount: 0 }),
  'SitePaymentStarted site.payment_pending': ofPurchase(nothing),
  'SitePaymentApproved site.payment_succeeded': ofPurchase(({ projectId }, paymentId) =>
    ok('site/approveManualPayment', { projectId, paymentId }),
  ),
  'SitePaymentRejected site.payment_rejected': ofPurchase(({ projectId }, paymentId) =>
    ok('site/rejectManualPayment', { projectId, paymentId, reason: canary }),
  ),
  'SitePaymentFailed site.payment_failed': async () => {
    const shop = await openShop(app, processor);
    await shop.offer();
    await shop.connect();
    processor.faults(500, 500, 500);
    await shop.checkout();
    const [payment] = (await shop.mine()).payments;
    await ok('site/deleteProject', { id: shop.projectId });
    const about = { projectId: shop.projectId, appUserId: shop.userId, paymentId: payment?.id };
    const properties = { ...about, offerKey: 'club', amount: 1_000, currency: 'usd' };
    return { subject: { type: 'appUser', id: shop.userId }, properties };
  },
  'SitePaymentHeardOf site.payment_pending': heard('checkout.session.completed', { payment_status: 'unpaid' }),
  'SitePaymentHeardOf site.payment_succeeded': heard('checkout.session.completed', { payment_status: 'paid' }),
  'SitePaymentHeardOf site.payment_failed': heard('checkout.session.async_payment_failed', {}),
  'SitePaymentHeardOf site.payment_refunded': heard('charge.refunded', { amount_refunded: 1_000, refunded: true }),
  'EntitlementGranted site.entitlement_granted': ofEntitlement(async () => ({ expiresAt: null, graceUntil: null })),
  // The entitlement is granted twice.
  'EntitlementGrantedAgain site.entitlement_granted': ofEntitlement(async (of) => {
    await ok('site/grantEntitlement', { ...of, expiresAt: future });
    return { expiresAt: future, graceUntil: null };
  }, 2),
  'EntitlementExtended site.entitlement_extended': ofEntitlement(async (of) => {
    for (let n = 0; n < 2; n += 1) await ok('site/extendEntitlement', { ...of, expiresAt: future });
    return { expiresAt: future, graceUntil: null };
  }),
  'EntitlementSuspended site.entitlement_suspended': ofEntitlement(async (of) => {
    for (let n = 0; n < 2; n += 1) await ok('site/suspendEntitlement', { ...of, graceUntil: future });
    return { graceUntil: future };
  }),
  'EntitlementRevoked site.entitlement_revoked': ofEntitlement(async (of) => {
    await ok('site/revokeEntitlement', of);
    return {};
  }),
  'EntitlementExpired site.entitlement_expired': ofEntitlement(async (of) => {
    await ok('site/extendEntitlement', { ...of, expiresAt: past });
    for (let n = 0; n < 2; n += 1) await app.app.get(DueSweeps, { strict: false }).sweep('entitlement-watch');
    return {};
  }),
  'CouponRedeemed site.coupon_redeemed': async () => {
    const { id: projectId } = await ok('site/createProject', { name: name() });
    await ok('site/createCoupon', { projectId, code: 'spring', percentOff: 10 });
    const { id: workspaceId } = await ok('workspace/getWorkspace', {});
    const coupons = app.app.get(Coupons, { strict: false });
    const contextOf = () => app.app.get(Calls, { strict: false }).once(workspaceId, systemActor('test'), 'test');
    const about = { projectId, code: 'SPRING', paymentId: 'pay_1', appUserId: 'usr_1', offerKey: 'gold' };
    await coupons.reserve(contextOf(), { ...about, amount: 100, currency: 'usd', step: 1, until: future });
    for (let n = 0; n < 2; n += 1) await coupons.redeem(contextOf(), about);
    await ok('site/deleteProject', { id: projectId });
    return { subject: { type: 'appUser', id: 'usr_1' }, properties: about };
  },
  'CampaignSent site.campaign_sent': async () => {
    const { projectId, campaignId } = await sentCampaign();
    await ok('site/deleteProject', { id: projectId });
    const counts = { recipients: 1, sent: 1, failed: 0, suppressed: 0 };
    return { subject: { type: 'project', id: projectId }, properties: { projectId, campaignId, ...counts } };
  },
  'SuppressionAdded site.unsubscribed': async () => {
    const { projectId, campaignId, userId } = await sentCampaign();
    const link = /List-Unsubscribe: <([^>]+)>/.exec(outside.last.raw)?.[1] ?? '';
    for (let n = 0; n < 2; n += 1) expect((await app.send('POST', new URL(link).pathname, '')).status).toBe(200);
    await ok('site/deleteProject', { id: projectId });
    return { subject: { type: 'appUser', id: userId }, properties: { projectId, campaignId } };
  },
  'RowCreated base.row_created': ofRow(['title'], nothing),
  // The row is created first and restored later, so there are two events.
  'RowRestored base.row_created': async () => ({ ...(await ofRow(['title'], deletedAndUndone)()), times: 2 }),
  'RowUpdated base.row_updated': ofRow(['note'], (row) =>
    ok('bases/updateRow', { ...row, values: { title: canary, note: canary } }),
  ),
  'RowDeleted base.row_deleted': ofRow(['title'], (row) => ok('bases/deleteRow', row)),
};

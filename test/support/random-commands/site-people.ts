import { visitorPassword, visitorsOf } from '../sites/site-visitors.js';
import { changing, type Move, making, NotNow, removing, type Scene, soon } from './move.js';
import type { Thing } from './world.js';

const ofProject = (_: unknown, { projectId }: { readonly projectId: string }) => ({ projectId });
const user = (scene: Scene): Thing => scene.one('appUser');
const named = ({ id, projectId }: Thing) => ({ projectId, userId: id });
const keys = ['club', 'gold'] as const;
const entitled = (scene: Scene) => {
  const { id, projectId } = user(scene);
  return { projectId, appUserId: id, key: scene.draw.oneOf(...keys) };
};
const pair = (scene: Scene) => {
  const { id, projectId } = user(scene);
  return { userId: id, roleId: scene.one('role', { where: (one) => one['projectId'] === projectId }).id };
};
const offered = ({ key, projectId }: Thing) => ({ projectId, key });
const paid = (scene: Scene) => {
  const { id, projectId } = scene.one('payment');
  return { projectId, paymentId: id };
};

/** Commands about users of sites, their roles, entitlements and purchases. */
export const sitePeopleMoves: readonly Move[] = [
  making('site/createAppUser', {
    kind: 'appUser',
    weight: 2,
    body: (scene) => ({
      projectId: scene.id('project'),
      email: `${scene.draw.word()}@example.com`,
      password: visitorPassword,
      ...scene.draw.perhaps({ name: scene.draw.word(), role: scene.draw.oneOf('user', 'admin') }),
    }),
    facts: (_, { projectId, email }) => ({ projectId, email }),
  }),
  changing('site/updateAppUser', (scene) => ({
    ...named(user(scene)),
    ...scene.draw.some({
      name: scene.draw.word(),
      isBanned: scene.draw.chance(0.3),
    }),
  })),
  changing('site/updateAppUserRole', (scene) => ({ ...named(user(scene)), role: scene.draw.oneOf('user', 'admin') })),
  changing('site/resetAppUserPassword', (scene) => ({ ...named(user(scene)), newPassword: visitorPassword })),
  removing('site/deleteAppUser', 'appUser', (_, thing) => named(thing)),
  making('site/createCampaign', {
    kind: 'campaign',
    body: (scene) => ({
      projectId: scene.id('project'),
      name: scene.name('campaign'),
      subject: scene.draw.word(),
      html: '<p>Hello {{userName}}</p>',
      audienceRules: { type: 'authenticated' },
    }),
    facts: ofProject,
  }),
  changing('site/updateCampaign', (scene) => {
    const { id, projectId } = scene.one('campaign');
    return { projectId, id, ...scene.draw.some({ name: scene.name('campaign'), subject: scene.draw.word() }) };
  }),
  changing('site/updateGitPermissions', (scene) => ({
    projectId: scene.id('project'),
    ...scene.draw.some({ allowAiPush: scene.draw.chance(0.5), publishOnPush: scene.draw.chance(0.5) }),
  })),
  removing('site/deleteCampaign', 'campaign', (_, { id, projectId }) => ({ projectId, id })),
  {
    operation: 'site/addSuppression',
    body: (scene) => ({ projectId: scene.id('project'), email: `${scene.draw.word()}@example.com` }),
    done: ({ world }, _, { projectId, email }) =>
      world.add('suppression', { id: `${projectId} ${email}`, projectId, email }),
  },
  removing('site/removeSuppression', 'suppression', (_, { projectId, email }) => ({ projectId, email })),
  making('site/createProjectRole', {
    kind: 'role',
    weight: 1.5,
    body: (scene) => ({
      projectId: scene.id('project'),
      name: scene.name('role'),
      ...scene.draw.perhaps({ color: '#112233' }),
    }),
    facts: ofProject,
  }),
  changing('site/updateProjectRole', (scene) => ({
    roleId: scene.id('role'),
    ...scene.draw.some({ name: scene.name('role'), color: scene.draw.oneOf('#445566', null) }),
  })),
  removing('site/deleteProjectRole', 'role', (_, { id }) => ({ roleId: id }), 1),
  changing('site/listProjectRoles', (scene) => ({ projectId: scene.id('project') }), 0.3),
  changing('site/assignRoleToAppUser', pair, 1.5),
  changing('site/unassignRoleFromAppUser', async (scene) => {
    const { id: userId } = user(scene);
    const roles = await scene.ask('site/getAppUserRoles', { userId });
    const list: readonly Thing[] = roles.roles ?? roles;
    if (list.length === 0) throw new NotNow('role');
    return { userId, roleId: scene.draw.from(list).id };
  }),
  changing(
    'site/grantEntitlement',
    (scene) => ({ ...entitled(scene), ...scene.draw.perhaps({ expiresAt: soon(scene.draw) }) }),
    2,
  ),
  changing('site/extendEntitlement', (scene) => ({ ...entitled(scene), expiresAt: soon(scene.draw) })),
  changing('site/suspendEntitlement', entitled, 0.7),
  changing('site/revokeEntitlement', entitled, 0.5),
  {
    operation: 'site/createOffer',
    body: (scene) => ({
      projectId: scene.id('project'),
      key: scene.draw.oneOf(...keys),
      name: scene.draw.word(),
      amount: 100 + scene.draw.below(10_000),
      ...scene.draw.perhaps({ features: [scene.draw.word()], accessTerm: { for: 1, unit: 'month' } }),
    }),
    done: ({ world }, _, { projectId, key }) => world.add('offer', { id: `${projectId} ${key}`, projectId, key }),
  },
  changing('site/updateOffer', (scene) => ({
    ...offered(scene.one('offer')),
    ...scene.draw.some({
      name: scene.draw.word(),
      amount: 100 + scene.draw.below(900),
      isActive: scene.draw.chance(0.8),
    }),
  })),
  removing('site/deleteOffer', 'offer', (_, thing) => offered(thing)),
  {
    operation: 'site/createCoupon',
    body: (scene) => ({
      projectId: scene.id('project'),
      code: scene.draw.oneOf('half', 'less', 'least'),
      percentOff: 1 + scene.draw.below(99),
      ...scene.draw.perhaps({ maxRedemptions: 1 + scene.draw.below(9) }),
    }),
    done: ({ world }, { code }, { projectId }) => world.add('coupon', { id: `${projectId} ${code}`, projectId, code }),
  },
  changing('site/updateCoupon', (scene) => {
    const { projectId, code } = scene.one('coupon');
    return {
      projectId,
      code,
      ...scene.draw.some({ percentOff: 1 + scene.draw.below(99), isActive: scene.draw.chance(0.8) }),
    };
  }),
  removing('site/deleteCoupon', 'coupon', (_, { projectId, code }) => ({ projectId, code }), 1),
  changing(
    'site/setManualPayments',
    (scene) => ({ projectId: scene.id('project'), manualPayments: scene.draw.oneOf('auto', 'on', 'on', 'off') }),
    0.5,
  ),
  {
    operation: 'site/approveManualPayment',
    body: paid,
    done: ({ world }, _, { paymentId }) => world.remove('payment', paymentId),
  },
  {
    operation: 'site/rejectManualPayment',
    body: (scene) => ({ ...paid(scene), ...scene.draw.perhaps({ reason: 'No money came.' }) }),
    done: ({ world }, _, { paymentId }) => world.remove('payment', paymentId),
  },
  {
    operation: 'visitor/sign-up',
    body: (scene) => ({ projectId: scene.id('project'), email: `${scene.draw.word()}@example.org` }),
    send: async ({ app }, { projectId, email }) => {
      const auth = { authEnabled: true, authAllowSignup: true };
      await app.call('site/updateProjectAuth', { id: projectId, ...auth });
      return visitorsOf(app, projectId).post('auth/signup', { email, password: visitorPassword });
    },
    done: ({ world }, { user: made }, { projectId, email }) => {
      if (made?.id !== undefined) world.add('appUser', { id: made.id, projectId, email });
    },
  },
  {
    operation: 'visitor/checkout',
    weight: 3,
    body: (scene) => {
      const { projectId, key } = scene.one('offer');
      const { email } = scene.one('appUser', { where: (one) => one['projectId'] === projectId });
      return { projectId, offerKey: key, email };
    },
    send: async ({ app }, { projectId, offerKey, email }) => {
      const site = visitorsOf(app, projectId);
      await app.call('site/updateProjectAuth', { id: projectId, authEnabled: true });
      const login = await site.post('auth/login', { email, password: visitorPassword });
      return login.status === 200
        ? site.post('payments/checkout', { offerKey, method: 'manual' }, login.body.session.token)
        : login;
    },
    done: ({ world }, { paymentId }, { projectId }) => world.add('payment', { id: paymentId, projectId }),
  },
];

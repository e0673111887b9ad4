// Second tier.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SitePasses } from '../../../src/areas/app-users/site-pass/site-passes.api.js';
import type { Condition } from '../../../src/kernel/condition/condition.js';
import type { Facts } from '../../../src/kernel/judging/facts.js';
import { judge } from '../../../src/kernel/judging/judge.js';
import type { TestApp } from '../../support/app.js';
import { policies as known } from '../../support/conditions/condition-facts.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

/** Saves the same conditions at every entrance that has rules, and compares its decisions with those of `judge`. */
let app: TestApp;
let visitors: SiteVisitors;
let projectId: string;
let workspaceId: string;
/** Passes by the name of the visitor. `undefined` is a visitor without a pass. */
const passes: Record<string, string | undefined> = {};
const ids: Record<string, string> = {};
let roleId: string;
let policyId: string;
const members = { all: [{ type: 'authenticated' }, { not: { type: 'has_entitlement', key: 'blocked' } }] };

beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'workspace/updateSettings', { versions: false });
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
  visitors = await siteVisitors(app, {
    authCustomFields: [
      { name: 'plan', type: 'text' },
      { name: 'age', type: 'number' },
    ],
  });
  ({ projectId } = visitors);
  await done(app, 'site/setRealtimeGuestAccess', { projectId, enabled: true });
  const user = async (name: string, customFields: object) => {
    ids[name] = (await visitors.user(`${name}@example.com`, { name, customFields })).id;
    passes[name] = await visitors.logIn(`${name}@example.com`);
  };
  await user('ada', { plan: 'gold', age: 40 });
  await user('eve', { plan: 'basic' });
  passes['guest'] = (await visitors.post('auth/guest')).body.session.token;
  passes['nobody'] = undefined;
  roleId = (await done(app, 'site/createProjectRole', { projectId, name: 'Editors' })).id;
  await done(app, 'site/assignRoleToAppUser', { userId: ids['ada'], roleId });
  await done(app, 'site/grantEntitlement', { projectId, appUserId: ids['ada'], key: 'pro' });
  await done(app, 'site/grantEntitlement', { projectId, appUserId: ids['eve'], key: 'blocked' });
  policyId = (await done(app, 'site/createAccessPolicy', { projectId, name: 'Members', condition: members })).id;
});
afterAll(() => app?.close());

const scope = (of: string) => ({ type: 'public', scope: of });
const signedIn = { type: 'authenticated' };
const property = (name: string, operator: string, value?: unknown) => ({
  type: 'user_property',
  property: name,
  operator,
  ...(value === undefined ? {} : { value }),
});
/** The order is the one in the specification: single rules, lists, groups, policies. */
const conditions = (): readonly unknown[] => [
  [],
  scope('everywhere'),
  scope('site'),
  scope('internet'),
  signedIn,
  { not: signedIn },
  { type: 'has_role', roleId },
  { not: { type: 'has_role', roleId } },
  { type: 'has_entitlement', key: 'pro' },
  { type: 'has_entitlement', key: 'none' },
  property('plan', 'eq', 'gold'),
  property('plan', 'ne', 'gold'),
  property('plan', 'in', ['basic', 'silver']),
  property('plan', 'contains', 'old'),
  property('age', 'gte', 18),
  property('age', 'isEmpty'),
  property('emailVerified', 'eq', true),
  property('name', 'eq', 'eve'),
  [property('plan', 'eq', 'gold'), scope('site')],
  { all: [signedIn, { any: [{ type: 'has_role', roleId }, property('name', 'eq', 'eve')] }] },
  { all: [scope('everywhere'), { not: { all: [signedIn, property('age', 'lt', 18)] } }] },
  { policy: policyId },
  { any: [{ not: { policy: policyId } }, { type: 'has_role', roleId }] },
];

type Asks = (pass: string | undefined) => Promise<boolean>;
interface Entrance {
  readonly name: string;
  readonly place: Facts['place'];
  /** Saves the condition. Returns undefined if this entrance does not accept the condition. */
  saved(condition: unknown): Promise<Asks | undefined>;
}

const named = (condition: unknown) => JSON.stringify(condition);
const entrances: readonly Entrance[] = [
  {
    name: 'functions/<name>',
    place: 'function',
    saved: async (condition) => {
      const site = new SiteFunctionsScene(app, projectId);
      const name = `f ${crypto.randomUUID()}`;
      const { id: functionId } = await site.create(name, 'return 1');
      await done(app, 'site/setBackendFunctionAccessRules', { functionId, accessRules: { execute: condition } });
      return async (pass) => (await visitors.post(`functions/${encodeURIComponent(name)}`, {}, pass)).status === 200;
    },
  },
  {
    name: 'account-functions/<id>',
    place: 'account-function',
    saved: async (condition) => {
      if (named(condition).includes('policy') || named(condition).includes('everywhere')) return undefined;
      const runBy = { pages: true, functions: [], agents: [] };
      const { id } = await done(app, 'automations/createFunction', {
        name: `a ${crypto.randomUUID()}`,
        code: 'return 1',
        grants: { bases: [{ projectId }] },
        accessRules: { execute: condition, runBy },
      });
      await done(app, 'automations/updateFunction', { id, isActive: true });
      return async (pass) => (await visitors.post(`account-functions/${id}`, {}, pass)).status === 200;
    },
  },
  {
    name: 'email/send',
    place: 'email',
    saved: async (condition) => {
      await done(app, 'site/setEmailAccessRules', { projectId, accessRules: { send: condition } });
      const mail = { to: 'somebody@example.org', subject: 'Hello', text: 'Hello' };
      // The site has no mailbox, so the call fails later, with another code, if the rule admits the visitor.
      return async (pass) => (await visitors.post('email/send', mail, pass)).body.code !== 'email-send-denied';
    },
  },
  {
    name: 'proxy',
    place: 'proxy',
    saved: async (condition) => {
      await done(app, 'site/setServerProxyAccessRules', { projectId, accessRules: { execute: condition } });
      // The address is forbidden, so the call fails later, with another code, if the rule admits the visitor.
      return async (pass) =>
        (await visitors.post('proxy', { url: 'http://10.0.0.1/' }, pass)).body.code !== 'proxy-denied';
    },
  },
  {
    name: 'rows of a table',
    place: 'table',
    saved: async (condition) => {
      const { linkedBase } = await done(app, 'site/getProject', { id: projectId });
      const table = `T ${crypto.randomUUID()}`;
      const fields = [{ name: 'a', type: 'text' }];
      const { id: tableId } = await done(app, 'bases/createTable', { baseId: linkedBase.id, name: table, fields });
      await done(app, 'bases/setTableAccessRules', { tableId, accessRules: { read: condition } });
      await done(app, 'bases/createRow', { tableId, values: { a: 'x' } });
      const site = new SiteFunctionsScene(app, projectId);
      const code = `return ctx.tables.getRowCount('${tableId}')`;
      await site.create(table, code, { accessRules: { execute: scope('everywhere') } });
      return async (pass) => (await visitors.post(`functions/${encodeURIComponent(table)}`, {}, pass)).body.data === 1;
    },
  },
];

describe.each(entrances.map((one) => [one.name, one] as const))(
  'the common judge at the entrance %s',
  (_, { place, saved }) => {
    it('admits exactly those whom the common judge admits', async () => {
      const passOf = app.app.get(SitePasses, { strict: false });
      const policies = known({ [policyId]: members });
      const differing: unknown[] = [];
      const seen = new Set<boolean>();
      for (const condition of conditions()) {
        const asks = await saved(condition);
        if (asks === undefined) continue;
        for (const [who, pass] of Object.entries(passes)) {
          const { visitor } = await passOf.visitorOf(workspaceId, projectId, pass);
          const expected = judge(condition as Condition, { ...visitor, place }, policies).isAllowed;
          const letIn = await asks(pass);
          seen.add(letIn);
          if (letIn !== expected) differing.push({ who, condition, expected, letIn });
        }
      }
      expect(differing).toEqual([]);
      expect([...seen].sort()).toEqual([false, true]);
    });
  },
);

describe('a place without an entrance of its own', () => {
  it.each([
    ['page', 'site/setPageAccessRules', 'read'],
    ['channel', 'site/setChannelAccessRules', 'subscribe'],
    ['proxy', 'site/setServerProxyAccessRules', 'execute'],
  ] as const)('is explained as the common judge decides: %s', async (place, operation, key) => {
    const page = await done(app, 'site/createPage', { projectId, name: 'P', path: `/${crypto.randomUUID()}` });
    const id = { page: page.id, channel: 'chat:*', proxy: projectId }[place];
    const policies = known({ [policyId]: members });
    const passOf = app.app.get(SitePasses, { strict: false });
    const differing: unknown[] = [];
    for (const condition of conditions()) {
      await done(app, operation, {
        ...(place === 'page' ? { pageId: id } : { projectId }),
        ...(place === 'channel' ? { pattern: id } : {}),
        accessRules: { [key]: condition },
      });
      for (const who of ['ada', 'eve']) {
        const { visitor } = await passOf.visitorOf(workspaceId, projectId, passes[who]);
        const expected = judge(condition as Condition, { ...visitor, place }, policies).isAllowed;
        const named = place === 'channel' ? { projectId } : {};
        const { allowed } = await done(app, 'site/explainAccess', {
          ...named,
          resource: { kind: place, id },
          appUserId: ids[who],
        });
        if (allowed !== expected) differing.push({ who, condition, expected, allowed });
      }
    }
    expect(differing).toEqual([]);
  });
});

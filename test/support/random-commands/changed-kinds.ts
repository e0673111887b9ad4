import { expect } from '@jest/globals';
import { startApp, type TestApp } from '../app.js';
import { activeFlow, activeFunction } from '../automations/flows.js';
import { eventually } from '../eventually.js';
import { done } from '../people.js';
import { liveAnswer } from './live-answers.js';
import type { Thing } from './world.js';

export let app: TestApp;
let projectId: string;
let functionId: string;
let flowId: string;
export async function startSite(): Promise<void> {
  app = await startApp();
  projectId = (await done(app, 'site/createProject', { name: 'Undo site' })).id;
  functionId = await activeFunction(app, 'return params');
  flowId = await activeFlow(app, []);
}

export interface Kind {
  readonly kind: string;
  make(): Promise<Thing>;
  /** Operations, each with a function that returns its input. Each change is undone separately. */
  readonly changes: readonly (readonly [operation: string, (one: Thing) => object])[];
  /** Operation that deletes a record, for kinds whose records can be restored. */
  readonly ends?: readonly [operation: string, (one: Thing) => object];
  works?(one: Thing): Promise<void>;
}

const byId = ({ id }: Thing) => ({ id });
export const named = ({ id }: Thing) => ({ projectId, functionId: id });
const ofKey = ({ key }: Thing) => ({ projectId, key });
const inSite = ({ id }: Thing) => ({ projectId, id });
const ofCode = ({ code }: Thing) => ({ projectId, code });
const json = { 'content-type': 'application/json' };
const page = (text: string) => `export default () => <p>${text}</p>;\n`;
export const making =
  (operation: string, body: () => object | Promise<object>, facts: object = {}) =>
  async () => {
    const sent = await body();
    return { ...sent, ...(await done(app, operation, sent)), ...facts };
  };
const with_ =
  (sent: object, who: (one: Thing) => object = byId) =>
  (one: Thing) => ({ ...who(one), ...sent });

const inProject = (more: object) => () => ({ projectId, ...more });
/** Returns the created thing with its id, taken from its first event because some responses do not contain the id. */
async function withId(kind: string, make: () => Promise<Thing>): Promise<Thing> {
  const made = await make();
  const { events } = await done(app, 'audit/listEvents', { kind, limit: 1 });
  return { ...made, id: events[0].resource.id };
}

export const kinds: readonly Kind[] = [
  {
    kind: 'flow',
    make: making('flows/createFlow', () => ({ name: 'Kinds flow', steps: [] })),
    changes: [
      ['flows/updateFlow', with_({ name: 'Renamed', description: 'said' })],
      ['flows/updateFlow', with_({ isActive: true })],
      ['flows/updateFlow', with_({ steps: [{ id: 'pause', kind: 'wait', settings: { seconds: 0 } }] })],
    ],
    ends: ['flows/deleteFlow', byId],
    works: async ({ id }) => {
      await done(app, 'flows/updateFlow', { id, isActive: true });
      await done(app, 'flows/runFlow', { id, input: {} });
    },
  },
  {
    kind: 'schedule',
    make: making('automations/createSchedule', () => ({ functionId, cronExpression: '0 3 1 1 *' })),
    changes: [
      ['automations/setScheduleActive', with_({ isActive: false })],
      ['automations/setTriggerReplay', with_({ keepInput: false })],
    ],
    ends: ['automations/deleteSchedule', byId],
  },
  {
    kind: 'schedule',
    make: async () => {
      const name = 'undo_scheduled';
      const fn = { projectId, name, code: 'return 1' };
      await app.call('site/createBackendFunction', fn);
      const sent = { projectId, functionName: name, cronExpression: '0 3 1 1 *' };
      return { ...(await done(app, 'site/createSchedule', sent)), projectId };
    },
    changes: [['site/updateSchedule', with_({ cronExpression: '0 4 1 1 *' }, ({ id }) => ({ projectId, id }))]],
    ends: ['site/deleteSchedule', ({ id }) => ({ projectId, id })],
  },
  {
    kind: 'webhook',
    make: making('automations/createWebhook', () => ({ functionId })),
    changes: [
      ['automations/setWebhookActive', with_({ isActive: false })],
      ['automations/setTriggerReplay', with_({ keepInput: false })],
    ],
    ends: ['automations/deleteWebhook', byId],
    works: async ({ token }) => {
      const path = `/api/automations/functions/webhook/${token}`;
      const { status, body } = await app.send('POST', path, JSON.stringify({ n: 1 }), json);
      expect([status, body]).toMatchObject([200, { data: { n: 1 } }]);
    },
  },
  {
    kind: 'mailhook',
    make: making('automations/createMailhook', () => ({
      name: 'Kinds mailhook',
      targetKind: 'account_function',
      targetRef: functionId,
    })),
    changes: [
      ['automations/updateMailhook', with_({ name: 'Renamed' })],
      ['automations/updateMailhook', with_({ isActive: false })],
      ['automations/setTriggerReplay', with_({ keepInput: false })],
    ],
    ends: ['automations/deleteMailhook', byId],
  },
  {
    kind: 'eventTrigger',
    make: making('accountEvents/addEventTrigger', () => ({
      event: 'custom.kinds',
      targetKind: 'account_function',
      targetRef: functionId,
    })),
    changes: [
      ['accountEvents/updateEventTrigger', with_({ name: 'Renamed', filters: [{ field: 'a', op: 'eq', value: 1 }] })],
    ],
    ends: ['accountEvents/removeEventTrigger', byId],
    works: async ({ id }) => {
      const runs = async () => (await done(app, 'automations/listRuns', { functionId, limit: 200 })).length;
      const before = await runs();
      expect((await liveAnswer(app, 'eventTrigger', { id })) as Thing).toMatchObject({ isActive: true });
      await done(app, 'accountEvents/raise', { name: 'kinds', properties: { a: 1 } });
      await eventually(runs, (count) => count === before + 1);
    },
  },
  {
    kind: 'eventTrigger',
    make: async () => {
      const sent = { flowId, triggerId: 'node', event: 'custom.node' };
      return done(app, 'accountEvents/setFlowEventTrigger', sent);
    },
    changes: [['accountEvents/setFlowEventTrigger', () => ({ flowId, triggerId: 'node', event: 'custom.other' })]],
    ends: ['accountEvents/removeEventTrigger', byId],
  },
  {
    kind: 'member',
    make: making('workspace/addMember', () => ({ name: 'Mia', email: 'mia@example.com', role: 'viewer' })),
    changes: [['workspace/updateMember', with_({ name: 'Maria', role: 'editor', permissions: ['audit.read'] })]],
  },
  {
    kind: 'agent',
    make: making('workspace/addAgent', () => ({ name: 'Kinds agent', instructions: 'Help.' })),
    changes: [
      [
        'workspace/updateAgent',
        with_({ name: 'Renamed', instructions: 'Look.', isActive: false, canCreateFunctions: true }),
      ],
    ],
    ends: ['workspace/removeAgent', byId],
    works: async ({ id }) => {
      await done(app, 'workspace/createApiKey', { name: 'again', kind: 'agent', agentId: id });
    },
  },
  {
    kind: 'workspace',
    make: async () => ({ id: (await done(app, 'workspace/getWorkspace')).id }),
    changes: [
      ['workspace/updateWorkspace', () => ({ name: 'Renamed' })],
      ['workspace/updateSettings', () => ({ functionLogs: false, runsTab: false })],
    ],
  },
  {
    kind: 'base',
    make: making('bases/createBase', () => ({ name: 'Kinds base' })),
    changes: [['bases/updateBase', with_({ name: 'Renamed', description: 'said' })]],
  },
  {
    kind: 'table',
    make: async () => {
      const { id: baseId } = await done(app, 'bases/createBase', { name: 'Kinds tables' });
      return done(app, 'bases/createTable', { baseId, name: 'Orders', fields: [{ name: 'title', type: 'text' }] });
    },
    changes: [
      ['bases/updateTable', with_({ name: 'Renamed', description: 'said' })],
      ['bases/setTableAccessRules', ({ id }) => ({ tableId: id, accessRules: { read: { type: 'authenticated' } } })],
    ],
  },
  {
    kind: 'page',
    make: making('site/createPage', inProject({ name: 'Kinds', path: '/kinds', content: page('a') })),
    changes: [
      ['site/updatePage', with_({ name: 'Renamed', path: '/renamed', content: page('b'), sortOrder: 4 })],
      ['site/setPageActive', ({ id }) => ({ projectId, pageId: id, active: false })],
      ['site/editPage', with_({ oldString: '<p>', newString: '<p> more' })],
    ],
  },
  {
    kind: 'component',
    make: making('site/createComponent', inProject({ name: 'Kinds', description: 'one', content: page('a') })),
    changes: [
      ['site/updateComponent', with_({ name: 'Renamed', content: page('b'), description: 'said' })],
      ['site/editComponent', with_({ oldString: '<p>', newString: '<p> more' })],
    ],
  },
  {
    kind: 'emailTemplate',
    make: making(
      'site/createEmailTemplate',
      inProject({ name: 'Kinds', slug: 'kinds', subject: 'About', content: '<p>a</p>' }),
    ),
    changes: [
      ['site/updateEmailTemplate', with_({ name: 'Renamed', slug: 'renamed', content: '<p>b</p>' })],
      ['site/editEmailTemplate', with_({ oldString: '<p>', newString: '<p> more' })],
    ],
  },
  {
    kind: 'project',
    make: making('site/createProject', () => ({ name: 'Kinds site' })),
    changes: [
      ['site/updateProject', with_({ name: 'Renamed', description: 'said', color: '#a0b0c0' })],
      [
        'site/updateProjectAuth',
        with_({ authEnabled: true, authAllowSignup: true, authSessionHours: 4, authPaths: { login: '/in' } }),
      ],
      [
        'site/updateAnalyticsSettings',
        ({ id }) => ({
          projectId: id,
          primaryAnalyticsId: 'G-AB12CD34EF',
          secondaryAnalyticsId: 'abc12',
          consentBanner: false,
        }),
      ],
      ['site/updateSubdomain', with_({ subdomain: 'kinds-renamed' })],
    ],
  },
  {
    kind: 'appUser',
    make: making('site/createAppUser', inProject({ email: 'kind@example.com', password: 'correct horse battery' })),
    changes: [
      ['site/updateAppUser', ({ id }) => ({ projectId, userId: id, isBanned: true })],
      ['site/updateAppUser', ({ id }) => ({ projectId, userId: id, name: 'Renamed' })],
    ],
  },
  {
    kind: 'siteRole',
    make: making('site/createProjectRole', inProject({ name: 'Kinds role' })),
    changes: [['site/updateProjectRole', ({ id }) => ({ roleId: id, name: 'Renamed', color: '#445566' })]],
  },
  {
    kind: 'campaign',
    make: making('site/createCampaign', inProject({ name: 'Kinds', subject: 'About', html: '<p>a</p>' })),
    changes: [
      [
        'site/updateCampaign',
        with_({ name: 'Renamed', html: '<p>b</p>', audienceRules: { type: 'authenticated' } }, inSite),
      ],
    ],
  },
  {
    kind: 'coupon',
    make: () => withId('coupon', making('site/createCoupon', inProject({ code: 'HALF', percentOff: 50 }))),
    changes: [['site/updateCoupon', with_({ percentOff: 60, isActive: false }, ofCode)]],
    ends: ['site/deleteCoupon', ofCode],
    works: async (one) => {
      await done(app, 'site/updateCoupon', { ...ofCode(one), percentOff: 70 });
    },
  },
  {
    kind: 'offer',
    make: () => withId('offer', making('site/createOffer', inProject({ key: 'club', name: 'Club', amount: 900 }))),
    changes: [
      ['site/updateOffer', with_({ name: 'Renamed', isActive: false }, ofKey)],
      ['site/updateOffer', with_({ amount: 1_000, accessTerm: { for: 1, unit: 'month' } }, ofKey)],
    ],
    ends: ['site/deleteOffer', ofKey],
    works: async (one) => {
      await done(app, 'site/updateOffer', { ...ofKey(one), amount: 1_100 });
    },
  },
  {
    kind: 'mailAccount',
    make: making('automations/createMailAccount', () => ({
      name: 'Kinds mailbox',
      fromAddress: 'robot@example.com',
      host: 'mail.example.com',
      username: 'robot',
      password: 'correct horse battery staple',
    })),
    changes: [
      ['automations/updateMailAccount', with_({ name: 'Renamed', hourlyLimit: 9 })],
      ['automations/updateMailAccount', with_({ isActive: false })],
    ],
  },
  {
    kind: 'mcpConnection',
    make: making('connections/addMcpConnection', () => ({
      name: 'Kinds server',
      serverUrl: 'https://tools.example.com/mcp',
    })),
    changes: [
      ['connections/updateMcpConnection', with_({ name: 'Renamed server', transport: 'sse' })],
      ['connections/updateMcpConnection', with_({ isEnabled: false })],
    ],
  },
  {
    kind: 'siteFunction',
    make: making('site/createBackendFunction', inProject({ name: 'kinds_fn', code: 'return params' })),
    changes: [
      ['site/updateBackendFunction', with_({ description: 'said' }, named)],
      ['site/updateBackendFunction', with_({ isActive: false }, named)],
    ],
    ends: ['site/deleteBackendFunction', named],
    works: async () => {
      const sent = { projectId, functionName: 'kinds_fn', params: { a: 3 } };
      expect(JSON.stringify(await done(app, 'site/invokeBackendFunction', sent))).toContain('"a":3');
    },
  },
];

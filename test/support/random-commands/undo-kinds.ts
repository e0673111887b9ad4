import type { TestApp } from '../app.js';
import { done } from '../people.js';

// biome-ignore lint/suspicious/noExplicitAny: states of every kind are looked into.
export type State = any;
/** An operation, and a function that returns its input. `n` is different in each call, so that values differ. */
export type Step = readonly [operation: string, sent: (id: string, n: number, state: State) => object];

/** A kind of record whose changes can be undone, with commands that change such a record in any order. */
export interface UndoKind {
  readonly kind: string;
  /** Creates a record, and returns its id. `n` makes its name unique. */
  make(n: number): Promise<string>;
  /** Commands that change the record. The first one can be undone. */
  readonly steps: readonly Step[];
  /** Indexes of the steps to begin with, so that there are interesting changes to undo. */
  readonly begins?: readonly number[];
  /** Sequences that failed once: indexes of steps, and which of their changes were undone. */
  readonly found?: readonly [steps: number[], picks: number[]][];
  /** Returns state of the record that operations for states do not show. */
  beside?(id: string): Promise<object>;
}

/** Ids of other records that the commands refer to. */
export interface Surroundings {
  readonly projectId: string;
  readonly functionId: string;
  readonly baseId: string;
  readonly tableId: string;
}

const seen = ({ updatedAt: seenUpdatedAt }: State) => ({ seenUpdatedAt });
const former = ({ versions, liveVersionId }: State) =>
  versions?.find(({ id }: State) => id !== liveVersionId)?.id ?? liveVersionId;
const draftOf = ({ draft }: State) => draft?.versionId ?? 'none';
const settings = (versions: boolean): Step => ['workspace/updateSettings', () => ({ versions })];
const signedIn = { type: 'authenticated' };
const open = (scope: string) => ({ execute: { type: 'public', scope } });
const source = (text: string) => `export default () => <p>${text}</p>;`;

type Sent = object | ((n: number) => object);
const sentOf = (sent: Sent, n: number) => (typeof sent === 'function' ? sent(n) : sent);
const byId = (id: string) => ({ id });
/** Returns one step for each input. */
const each = (operation: string, who: (id: string) => object, ...sent: readonly Sent[]): readonly Step[] =>
  sent.map((one) => [operation, (id, n) => ({ ...who(id), ...sentOf(one, n) })]);
const save = (operation: string, who: (id: string) => object, ...sent: readonly object[]): readonly Step[] =>
  sent.map((one) => [operation, (id, _, state) => ({ ...who(id), ...seen(state), ...one })]);

export async function surroundings(app: TestApp): Promise<Surroundings> {
  const { id: projectId } = await done(app, 'site/createProject', { name: 'Undo' });
  const { id: functionId } = await done(app, 'automations/createFunction', { name: 'target', code: 'return 1' });
  await done(app, 'automations/updateFunction', { id: functionId, isActive: true });
  await done(app, 'site/createBackendFunction', { projectId, name: 'target', code: 'return 1' });
  const { id: baseId } = await done(app, 'bases/createBase', { name: 'Undo' });
  const fields = [
    { name: 'title', type: 'text' },
    { name: 'count', type: 'integer' },
  ];
  const { id: tableId } = await done(app, 'bases/createTable', { baseId, name: 'Rows', fields });
  return { projectId, functionId, baseId, tableId };
}

export function undoKinds(app: TestApp, { projectId, functionId, baseId, tableId }: Surroundings): readonly UndoKind[] {
  const made = (operation: string, sent: (n: number) => object) => async (n: number) =>
    (await done(app, operation, sent(n))).id as string;
  /**
   * Returns a function that creates a record. The id comes from the record's first event, because some responses do not
   * contain it.
   */
  const found = (kind: string, operation: string, sent: (n: number) => object) => async (n: number) => {
    await done(app, operation, sent(n));
    return (await done(app, 'audit/listEvents', { kind, limit: 1 })).events[0].resource.id as string;
  };
  const inProject = (more: (n: number) => object) => (n: number) => ({ projectId, name: `Undo ${n}`, ...more(n) });
  const siteFunction = (id: string) => ({ projectId, functionId: id });
  const user = (userId: string) => ({ projectId, userId });
  const role = (roleId: string) => ({ roleId });
  const page = (pageId: string) => ({ projectId, pageId });
  const rules = (pageId: string) => ({ pageId });
  const row = (id: string) => ({ tableId, id });
  const couponCodes = new Map<string, string>();
  const offerKeys = new Map<string, string>();
  const keeping = (names: Map<string, string>, name: (n: number) => string, make: (n: number) => Promise<string>) => {
    return async (n: number) => {
      const id = await make(n);
      names.set(id, name(n));
      return id;
    };
  };
  const campaign = (id: string) => ({ projectId, id });
  const coupon = (id: string) => ({ projectId, code: couponCodes.get(id) });
  const offer = (id: string) => ({ projectId, key: offerKeys.get(id) });
  const replay = each('automations/setTriggerReplay', byId, { keepInput: false }, { keepInput: true });

  return [
    {
      kind: 'function',
      begins: [8, 1, 5],
      make: made('automations/createFunction', (n) => ({ name: `undo ${n}`, code: 'return 1' })),
      steps: [
        ...save(
          'automations/updateFunction',
          byId,
          { description: 'said' },
          { code: 'return 2' },
          { code: 'return 3', timeout: 5_000 },
          { isActive: true },
          { isActive: false, summary: 'short' },
        ),
        ['automations/publishFunction', (id, _, state) => ({ id, versionId: draftOf(state) })],
        ['automations/rollBackFunction', (id, _, state) => ({ id, versionId: former(state) })],
        settings(false),
        settings(true),
        ['automations/deleteFunction', byId],
      ],
    },
    {
      kind: 'siteFunction',
      begins: [9, 1, 4],
      make: made('site/createBackendFunction', (n) => ({ projectId, name: `undo_${n}`, code: 'return 1' })),
      steps: [
        ...save(
          'site/updateBackendFunction',
          siteFunction,
          { isActive: false },
          { code: 'return 2' },
          { accessRules: open('site') },
          { exposed: true },
        ),
        ['site/publishBackendFunction', (id, _, state) => ({ ...siteFunction(id), versionId: draftOf(state) })],
        ['site/setBackendFunctionAccessRules', (id) => ({ functionId: id, accessRules: open('everywhere') })],
        ['site/setBackendFunctionAccessRules', (id) => ({ functionId: id, accessRules: { execute: null } })],
        ['site/deleteBackendFunction', siteFunction],
        settings(false),
        settings(true),
      ],
    },
    {
      kind: 'flow',
      make: made('flows/createFlow', (n) => ({ name: `undo ${n}`, steps: [] })),
      steps: [
        ...each(
          'flows/updateFlow',
          byId,
          { description: 'said' },
          { description: 'more', isActive: true },
          { isActive: false },
          { steps: [{ id: 'pause', kind: 'wait', settings: { seconds: 0 } }] },
        ),
        ['flows/deleteFlow', byId],
      ],
    },
    {
      kind: 'schedule',
      make: made('site/createSchedule', () => ({
        projectId,
        functionName: 'target',
        cronExpression: '0 3 1 1 *',
      })),
      steps: [
        ...each(
          'site/updateSchedule',
          (id) => ({ projectId, id }),
          (n: number) => ({ cronExpression: `0 ${n % 24} 1 1 *` }),
        ),
        ...each('automations/setScheduleActive', byId, { isActive: false }, { isActive: true }),
        ...replay,
        ['automations/deleteSchedule', byId],
      ],
    },
    {
      kind: 'webhook',
      make: made('automations/createWebhook', () => ({ functionId })),
      steps: [
        ...each('automations/setWebhookActive', byId, { isActive: false }, { isActive: true }),
        ...replay,
        ['automations/deleteWebhook', byId],
      ],
    },
    {
      kind: 'mailhook',
      make: made('automations/createMailhook', (n) => ({
        name: `undo ${n}`,
        targetKind: 'account_function',
        targetRef: functionId,
      })),
      steps: [
        ...each(
          'automations/updateMailhook',
          byId,
          (n: number) => ({ name: `renamed ${n}` }),
          { isActive: false },
          { isActive: true, projectId },
          { projectId: null },
        ),
        ...replay,
        ['automations/deleteMailhook', byId],
      ],
    },
    {
      kind: 'eventTrigger',
      make: made('accountEvents/addEventTrigger', () => ({
        event: 'custom.undo',
        targetKind: 'account_function',
        targetRef: functionId,
      })),
      steps: [
        ...each(
          'accountEvents/updateEventTrigger',
          byId,
          (n: number) => ({ name: `renamed ${n}`, filters: [{ field: 'a', op: 'eq', value: n }] }),
          { filters: [], isActive: false },
          { isActive: true, event: 'custom.other' },
        ),
        ['accountEvents/removeEventTrigger', byId],
      ],
    },
    {
      kind: 'gitRepository',
      make: async (n) => {
        const { id } = await done(app, 'site/createProject', { name: `Undo repository ${n}` });
        await done(app, 'site/updateGitPermissions', { projectId: id, allowAiCommit: true });
        return id as string;
      },
      steps: each(
        'site/updateGitPermissions',
        (id) => ({ projectId: id }),
        { allowAiPush: true },
        { allowAiCommit: false, allowAiPull: true },
        { publishOnPush: true },
        { publishOnPush: false, allowAiPush: false },
      ),
    },
    {
      kind: 'mcpConnection',
      make: made('connections/addMcpConnection', (n) => ({
        name: `undo ${n}`,
        serverUrl: 'https://tools.example.com/mcp',
      })),
      steps: each(
        'connections/updateMcpConnection',
        byId,
        (n: number) => ({ name: `renamed ${n}` }),
        { transport: 'sse' },
        { isEnabled: false },
        { isEnabled: true, transport: 'http' },
      ),
    },
    {
      kind: 'mailAccount',
      make: made('automations/createMailAccount', (n) => ({
        name: `undo ${n}`,
        fromAddress: 'robot@example.com',
        host: 'mail.example.com',
        username: 'robot',
        password: 'correct horse battery staple',
      })),
      steps: each(
        'automations/updateMailAccount',
        byId,
        (n: number) => ({ name: `renamed ${n}`, hourlyLimit: 9 }),
        { hourlyLimit: 7, fromName: 'Robot' },
        { isActive: false, projectId, replyTo: 'answers@example.com' },
        { isActive: true, projectId: null, isDefault: true },
      ),
    },
    {
      kind: 'base',
      make: made('bases/createBase', (n) => ({ name: `undo ${n}` })),
      steps: each(
        'bases/updateBase',
        byId,
        (n: number) => ({ name: `renamed ${n}`, description: 'said' }),
        { description: 'more' },
        { description: '' },
      ),
    },
    {
      kind: 'table',
      make: made('bases/createTable', (n) => ({
        baseId,
        name: `Undo ${n}`,
        fields: [{ name: 'title', type: 'text' }],
      })),
      steps: [
        ...each('bases/updateTable', byId, (n: number) => ({ name: `renamed ${n}`, description: 'said' }), {
          description: '',
        }),
        ...each(
          'bases/setTableAccessRules',
          (id) => ({ tableId: id }),
          { accessRules: { read: signedIn } },
          { accessRules: { read: signedIn, update: signedIn } },
          { accessRules: {} },
        ),
        ['bases/addField', (id, n) => ({ tableId: id, field: { name: `more_${n}`, type: 'text' } })],
      ],
    },
    {
      kind: 'row',
      make: made('bases/createRow', () => ({ tableId, values: { title: 'One' } })),
      steps: [
        ...each(
          'bases/updateRow',
          row,
          (n: number) => ({ values: { count: n } }),
          { values: { title: 'Two', count: null } },
          { values: { title: null } },
        ),
        ['bases/deleteRow', row],
      ],
    },
    {
      kind: 'page',
      begins: [6],
      make: made(
        'site/createPage',
        inProject((n) => ({ path: `/${n}`, content: source('a'), isProtected: n % 2 === 0 })),
      ),
      steps: [
        ...each(
          'site/updatePage',
          byId,
          { sortOrder: 4 },
          (n: number) => ({ sortOrder: 5, content: source(`${n}`) }),
          { isProtected: false, requiredRole: null },
          { isProtected: true },
        ),
        ...each('site/setPageActive', page, { active: false }, { active: true }),
        ...each(
          'site/setPageAccessRules',
          rules,
          { accessRules: { read: signedIn } },
          { accessRules: { read: [signedIn, signedIn] } },
          { accessRules: {} },
        ),
        ['site/deletePage', byId],
      ],
      beside: (pageId) => done(app, 'site/getPageAccessRules', { pageId }),
    },
    {
      kind: 'component',
      make: made(
        'site/createComponent',
        inProject(() => ({ content: source('a') })),
      ),
      steps: [
        ...each(
          'site/updateComponent',
          byId,
          (n: number) => ({ name: `Renamed ${n}`, content: source(`${n}`) }),
          { description: 'said' },
          { content: source('b'), description: '' },
        ),
        ...each('site/editComponent', byId, { oldString: '<p>', newString: '<p> more' }),
        ['site/deleteComponent', byId],
      ],
    },
    {
      kind: 'emailTemplate',
      make: made(
        'site/createEmailTemplate',
        inProject((n) => ({ slug: `s${n}`, subject: 'About', content: '<p>a</p>' })),
      ),
      steps: [
        ...each(
          'site/updateEmailTemplate',
          byId,
          { subject: 'Other' },
          (n: number) => ({ subject: 'Third', content: `<p>${n}</p>` }),
          (n: number) => ({ slug: `renamed-${n}` }),
        ),
        ...each('site/editEmailTemplate', byId, { oldString: '<p>', newString: '<p> more' }),
        ['site/deleteEmailTemplate', byId],
      ],
    },
    {
      kind: 'project',
      make: made('site/createProject', (n) => ({ name: `Undo ${n}` })),
      steps: [
        ...each('site/updateProject', byId, { description: 'said', color: '#a0b0c0' }, { description: 'more' }),
        ...each(
          'site/updateProjectAuth',
          byId,
          { authEnabled: true, authSessionHours: 4 },
          { authPaths: { login: '/in' } },
          { authPaths: { login: '/come', signup: '/up' } },
        ),
        ...each(
          'site/updateAnalyticsSettings',
          (projectId) => ({ projectId }),
          { primaryAnalyticsId: 'G-AB12CD34EF', secondaryAnalyticsId: null },
          { primaryAnalyticsId: null, secondaryAnalyticsId: 'abc12def34', consentBanner: false },
        ),
        ...each('site/updateSubdomain', byId, (n: number) => ({ subdomain: `undo-renamed-${n}` })),
      ],
    },
    {
      kind: 'appUser',
      found: [[[5, 4, 6], [2]]],
      make: made('site/createAppUser', (n) => ({
        projectId,
        email: `undo${n}@example.com`,
        password: 'correct horse battery',
        name: 'One',
        ...(n % 2 === 0 ? { role: 'admin' } : {}),
      })),
      steps: [
        ...each(
          'site/updateAppUser',
          user,
          (n: number) => ({ name: `Renamed ${n}` }),
          (n: number) => ({ email: `renamed${n}@example.com` }),
          { isBanned: true },
          { isBanned: false },
          { role: 'editor' },
          { role: 'user' },
        ),
        ['site/migrateProjectToRoleSystem', () => ({ projectId })],
      ],
    },
    {
      kind: 'siteRole',
      make: made(
        'site/createProjectRole',
        inProject(() => ({})),
      ),
      steps: each(
        'site/updateProjectRole',
        role,
        { color: '#445566' },
        (n: number) => ({ name: `Renamed ${n}` }),
        (n: number) => ({ color: '#112233', name: `Again ${n}` }),
      ),
    },
    {
      kind: 'campaign',
      make: made(
        'site/createCampaign',
        inProject(() => ({ subject: 'About', html: '<p>a</p>' })),
      ),
      steps: [
        ...each(
          'site/updateCampaign',
          campaign,
          { subject: 'Other' },
          (n: number) => ({ name: `Undo again ${n}`, html: `<p>${n}</p>` }),
          { audienceRules: { type: 'authenticated' } },
          { audienceRules: null, subject: 'Third' },
        ),
        ['site/deleteCampaign', campaign],
      ],
    },
    {
      kind: 'coupon',
      make: keeping(
        couponCodes,
        (n) => `UNDO${n}`,
        found('coupon', 'site/createCoupon', (n) => ({ projectId, code: `UNDO${n}`, percentOff: 50 })),
      ),
      steps: [
        ...each(
          'site/updateCoupon',
          coupon,
          (n: number) => ({ percentOff: (n % 90) + 1 }),
          { percentOff: 60, isActive: false },
          { amountOff: 300, currency: 'eur' },
          { maxRedemptions: 3, isActive: true },
        ),
        ['site/deleteCoupon', coupon],
      ],
    },
    {
      kind: 'offer',
      make: keeping(
        offerKeys,
        (n) => `undo-${n}`,
        found(
          'offer',
          'site/createOffer',
          inProject((n) => ({ key: `undo-${n}`, amount: 900 })),
        ),
      ),
      steps: [
        ...each(
          'site/updateOffer',
          offer,
          (n: number) => ({ amount: 1_000 + n }),
          { name: 'Renamed', isActive: false },
          { features: ['more'], description: 'said' },
          { accessTerm: { for: 1, unit: 'month' }, isActive: true },
        ),
        ['site/deleteOffer', offer],
      ],
    },
    {
      kind: 'member',
      make: made('workspace/addMember', (n) => ({ name: 'Mia', email: `undo${n}@example.com`, role: 'viewer' })),
      steps: each(
        'workspace/updateMember',
        byId,
        { name: 'Maria' },
        { role: 'editor', permissions: ['audit.read'] },
        { name: 'Marie', role: 'admin' },
        { permissions: [] },
      ),
    },
    {
      kind: 'agent',
      make: made('workspace/addAgent', (n) => ({ name: `Undo ${n}`, instructions: 'Help.' })),
      steps: [
        ...each(
          'workspace/updateAgent',
          byId,
          { instructions: 'Look.' },
          { isActive: false, canCreateFunctions: true },
          { isActive: true, instructions: 'Go.', asks: 'changes' },
        ),
        ['workspace/removeAgent', byId],
      ],
    },
    {
      kind: 'workspace',
      make: async () => (await done(app, 'workspace/getWorkspace')).id,
      steps: [
        ...each(
          'workspace/updateWorkspace',
          () => ({}),
          (n: number) => ({ name: `Name ${n}` }),
        ),
        ...each(
          'workspace/updateSettings',
          () => ({}),
          { runsTab: false },
          { runsTab: true, functionLogs: false },
          { functionLogs: true },
        ),
      ],
    },
  ];
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allOperations, type RegisteredOperation } from '../../../src/engine/operation/operation.js';
import { type FieldSpec, fieldsOf } from '../../../src/kernel/field/field.js';
import type { TestApp } from '../../support/app.js';
import { agentWith } from '../../support/automations/agents.js';
import { done, keyOf } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { kept, type NarrowedSite, narrowedSite } from '../../support/sites/narrowed-site.js';

let app: TestApp;
let site: NarrowedSite;
let agentKey: string;
beforeAll(async () => {
  app = await sharedApp({ several: false });
  site = await narrowedSite(app);
  agentKey = await keyOf(app, { kind: 'agent', agentId: (await agentWith(app, { canCreateFunctions: true })).id });
});
afterAll(() => app.close());

/** What the `id` of an operation names, by the last words of the operation's name. */
const named: readonly (readonly [name: RegExp, which: keyof NarrowedSite])[] = [
  [/Base$/, 'base'],
  [/^bases\/.*Table$/, 'table'],
  [/^bases\/.*Row$/, 'row'],
  [/Page$/, 'pageId'],
  [/Component$/, 'component'],
  [/EmailTemplate$/, 'template'],
  [/EnvVar$/, 'envVar'],
  [/EventTrigger$/, 'trigger'],
  [/PendingChange$/, 'card'],
  [/MailAccount$/, 'mailbox'],
  [/Mailhook$/, 'mailhook'],
  [/Webhook|WebhookActive|WebhookVerification|setTriggerReplay$/, 'webhook'],
  [/Schedule|ScheduleActive$/, 'schedule'],
  [/^site\//, 'project'],
];

/** By the name of the field. What is not here and has to be sent is made of its type. */
const values = (): Readonly<Record<string, unknown>> => ({
  projectId: site.project,
  pageId: site.pageId,
  baseId: site.base,
  tableId: site.table,
  fieldId: site.field,
  functionId: site.fn,
  functionName: site.functionName,
  versionId: site.version,
  userId: site.user,
  appUserId: site.user,
  roleId: site.role,
  policyId: site.policy,
  snapshotId: site.snapshot,
  runId: site.run,
  mailhookId: site.mailhook,
  triggerId: site.trigger,
  hash: site.hash,
  kind: 'site',
  code: 'KEPT',
  html: '<p>KEPT</p>',
  key: 'kept',
  path: '/new',
  slug: 'new',
  name: 'New',
  email: 'new@example.com',
  password: 'long enough',
  newPassword: 'long enough',
  value: 'new',
  cronExpression: '0 0 1 1 *',
  expiresAt: '2099-01-01T00:00:00.000Z',
  condition: { type: 'authenticated' },
  definition: { kind: 'list', table: site.table },
  field: { name: 'more', type: 'text' },
  values: { title: 'new' },
  match: { title: 'new' },
  rows: [{ title: 'new' }],
  ids: [site.row],
  spec: { measures: [{ op: 'count' }] },
  resource: { kind: 'page', id: site.pageId },
  targetRef: site.fn,
  amount: 100,
  position: 0,
  percentOff: 10,
  pattern: 'new',
  oldString: 'old',
  newString: 'new',
  subdomain: 'new-site',
  fromAddress: 'new@example.com',
  host: 'mail.example.com',
  username: 'new',
});

const own: Readonly<Record<string, () => object>> = {
  'site/updateAnalyticsSettings': () => ({ primaryAnalyticsId: null, secondaryAnalyticsId: null }),
  'automations/createMailhook': () => ({ targetKind: 'site_function', projectId: site.project }),
  'automations/createSchedule': () => ({ targetKind: 'site_function', functionId: undefined, targetRef: site.fn }),
  'automations/createMailAccount': () => ({ projectId: site.project }),
  'automations/listMailAccounts': () => ({ projectId: site.project }),
  'automations/createFunction': () => ({ name: 'Agents own' }),
  'automations/createTargetWebhook': () => ({ targetRef: 'of-the-workspace' }),
  'automations/listTargetTriggers': () => ({ targetRef: 'of-the-workspace' }),
  'automations/listFunctionVersions': () => ({ functionId: 'of-the-workspace' }),
  'automations/listRuns': () => ({ functionId: 'of-the-workspace' }),
  'automations/publishFunction': () => ({ versionId: 'of-the-workspace' }),
  'automations/rollBackFunction': () => ({ versionId: 'of-the-workspace' }),
  'accountEvents/setFlowEventTrigger': () => ({ triggerId: 'of-the-workspace' }),
  'accountEvents/addEventTrigger': () => ({ targetKind: 'site_function', event: 'custom.new' }),
  'accountEvents/raise': () => ({ name: 'new' }),
  'accountEvents/eventTriggerRuns': () => ({ triggerId: site.trigger }),
  'audit/getHistory': () => ({ kind: 'appUser', id: site.user }),
  'audit/getStateAt': () => ({ kind: 'appUser', id: site.user, at: new Date().toISOString() }),
  'audit/diffStates': () => ({ kind: 'row', id: site.row, from: 0, to: 1 }),
  'audit/effectsOf': () => ({ runId: site.run }),
  'audit/causesOf': () => ({ runId: site.run }),
  'site/createEnvVar': () => ({ name: 'NEW' }),
  'site/setBackendFunctionAccessRules': () => ({ accessRules: { execute: null } }),
  'bases/updateRows': () => ({ rows: [{ id: site.row, values: { title: 'new' } }] }),
  'automations/setWebhookVerification': () => ({ scheme: 'github' }),
  'site/gitRollback': () => ({ sha: 'a'.repeat(40) }),
  'site/createFileUpload': () => ({ path: 'new.png', contentType: 'image/png', size: 1 }),
  'site/deletePublicFile': () => ({ path: 'new.png' }),
  'site/scheduleCampaign': () => ({ at: '2099-01-01T00:00:00.000Z' }),
  // Conversations belong to persons, and to no site.
  'site/renameChat': () => ({ id: 'of-a-person' }),
  'site/deleteChat': () => ({ id: 'of-a-person' }),
  'site/createProject': () => ({ name: 'Agents own' }),
  'bases/createBase': () => ({ name: 'Agents own' }),
  'flows/createFlow': () => ({ steps: [] }),
};

function madeOf(spec: FieldSpec): unknown {
  switch (spec.type) {
    case 'string':
      return spec.enum?.[0] ?? 'x';
    case 'boolean':
      return true;
    case 'number':
    case 'integer':
      return spec.minimum ?? 1;
    case 'array':
      return [];
    case 'object':
    case 'any':
      return {};
  }
}

function bodyOf({ name, input }: RegisteredOperation): Readonly<Record<string, unknown>> {
  const id = named.find(([pattern]) => pattern.test(name))?.[1];
  const sent = [...fieldsOf(input)].flatMap(([field, spec]): (readonly [string, unknown])[] => {
    if (field === 'id' && id !== undefined) return [[field, site[id]]];
    const isNeeded = !spec.optional || field === 'kind';
    return isNeeded ? [[field, values()[field] ?? madeOf(spec)]] : [];
  });
  return { ...Object.fromEntries(sent), ...own[name]?.() };
}

/** Refused for the sake of the site, or whatever the site says, because an agent may never. */
const missing = 'ai-permission-missing';
const refusals = [missing, 'caller-not-allowed', 'permission-missing', 'only-a-person-decides'];

interface Told {
  readonly id: string;
  readonly position: number;
  readonly resource: { readonly kind: string; readonly id: string };
}

describe('an agent of a site that lets agents use its pages alone', () => {
  it('is refused every operation outside the pages that names something of the site, and no other tells of it', async () => {
    const ids = new Set<unknown>(Object.values(site));
    const wrong: unknown[] = [];
    let refused = 0;
    for (const operation of allOperations()) {
      if (operation.group === 'pages') continue;
      const body = bodyOf(operation);
      const names = Object.values(body).some((value) => ids.has(value) || JSON.stringify(value).includes(site.row));
      const { status, body: answer } = await app.call(operation.name, body, agentKey);
      const told = [operation.name, body, status, answer.code ?? answer];
      if (names && !(status === 403 && refusals.includes(answer.code))) wrong.push(told);
      if (names) refused += 1;
      if (!names && JSON.stringify(answer).includes(kept)) wrong.push(told);
    }
    expect(wrong).toEqual([]);
    expect(refused).toBeGreaterThan(150);
  });

  it('reads nothing of the site in the audit but its pages', async () => {
    const { events } = await done(app, 'audit/listEvents', { limit: 200 });
    const ofSite = new Set<unknown>(Object.values(site));
    const told: Told[] = events.filter(({ resource }: Told) => ofSite.has(resource.id) && resource.kind !== 'page');
    const resources = new Map(told.map((event) => [`${event.resource.kind} ${event.resource.id}`, event]));
    const asked = [...resources.values()].flatMap(({ id, position, resource }): [string, string, object][] => [
      [resource.kind, 'audit/getHistory', resource],
      [resource.kind, 'audit/getStateAt', { ...resource, position }],
      [resource.kind, 'audit/diffStates', { ...resource, from: 0, to: position }],
      [resource.kind, 'audit/getEvent', { position }],
      [resource.kind, 'audit/effectsOf', { eventId: id }],
      [resource.kind, 'audit/causesOf', { eventId: id }],
    ]);
    for (const [kind, operation, body] of asked) {
      const { status, body: answer } = await app.call(operation, body, agentKey);
      // No agent has the right to see mailboxes, whatever a site says.
      const refused = kind === 'mailAccount' ? [404, 'resource-not-found'] : [403, missing];
      expect([kind, operation, status, answer.code]).toEqual([kind, operation, ...refused]);
    }
    expect(resources.size).toBeGreaterThan(15);
    const listed = await done(app, 'audit/listEvents', { limit: 200 }, agentKey);
    const seen = listed.events
      .filter(({ resource }: Told) => ofSite.has(resource.id))
      .map(({ resource }: Told) => resource.kind);
    expect([...new Set(seen)]).toEqual(['page']);
    const others = listed.events.filter(({ resource }: Told) => resource.kind !== 'page');
    expect(JSON.stringify(others)).not.toContain(kept);
  });

  it('is let use the pages', async () => {
    await done(app, 'site/getPage', { id: site.pageId }, agentKey);
    await done(app, 'audit/getHistory', { kind: 'page', id: site.pageId }, agentKey);
  });
});

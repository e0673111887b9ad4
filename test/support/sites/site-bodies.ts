import type { RegisteredOperation } from '../../../src/engine/operation/operation.js';
import { type FieldSpec, fieldsOf } from '../../../src/kernel/field/field.js';
import type { NarrowedSite } from './narrowed-site.js';

/** For operations whose name matches, the record whose id is sent as `id`. */
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

/** Values by field name. A required field that is missing here gets a value of its type. */
const values = (site: NarrowedSite): Readonly<Record<string, unknown>> => ({
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

const own: Readonly<Record<string, (site: NarrowedSite) => object>> = {
  'site/updateAnalyticsSettings': () => ({ primaryAnalyticsId: null, secondaryAnalyticsId: null }),
  'automations/createMailhook': (site) => ({ targetKind: 'site_function', projectId: site.project }),
  'automations/createSchedule': (site) => ({ targetKind: 'site_function', functionId: undefined, targetRef: site.fn }),
  'automations/createMailAccount': (site) => ({ projectId: site.project }),
  'automations/listMailAccounts': (site) => ({ projectId: site.project }),
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
  'accountEvents/eventTriggerRuns': (site) => ({ triggerId: site.trigger }),
  'audit/getHistory': (site) => ({ kind: 'appUser', id: site.user }),
  'audit/getStateAt': (site) => ({ kind: 'appUser', id: site.user, at: new Date().toISOString() }),
  'audit/diffStates': (site) => ({ kind: 'row', id: site.row, from: 0, to: 1 }),
  'audit/effectsOf': (site) => ({ runId: site.run }),
  'audit/causesOf': (site) => ({ runId: site.run }),
  'site/createEnvVar': () => ({ name: 'NEW' }),
  'site/setBackendFunctionAccessRules': () => ({ accessRules: { execute: null } }),
  'bases/updateRows': (site) => ({ rows: [{ id: site.row, values: { title: 'new' } }] }),
  'automations/setWebhookVerification': () => ({ scheme: 'github' }),
  'site/gitRollback': () => ({ sha: 'a'.repeat(40) }),
  'site/createFileUpload': () => ({ path: 'new.png', contentType: 'image/png', size: 1 }),
  'site/deletePublicFile': () => ({ path: 'new.png' }),
  'site/scheduleCampaign': () => ({ at: '2099-01-01T00:00:00.000Z' }),
  // Conversations belong to a person and not to a site.
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

/** Returns a body for an operation. It refers to records of this site if the operation can. */
export function bodyAbout(site: NarrowedSite, { name, input }: RegisteredOperation): Readonly<Record<string, unknown>> {
  const known = values(site);
  const id = named.find(([pattern]) => pattern.test(name))?.[1];
  const sent = [...fieldsOf(input)].flatMap(([field, spec]): (readonly [string, unknown])[] => {
    if (field === 'id' && id !== undefined) return [[field, site[id]]];
    const isNeeded = !spec.optional || field === 'kind';
    return isNeeded ? [[field, known[field] ?? madeOf(spec)]] : [];
  });
  return { ...Object.fromEntries(sent), ...own[name]?.(site) };
}

export function namesSomethingOf(site: NarrowedSite, body: object): boolean {
  const ids = new Set<unknown>(Object.values(site));
  return Object.values(body).some((value) => ids.has(value) || JSON.stringify(value).includes(site.row));
}

import type { TestApp } from '../app.js';
import { done } from '../people.js';

/** Part of every text of the site that its agents must not read. */
export const kept = 'KEPT-FROM-AGENTS';

export type NarrowedSite = Awaited<ReturnType<typeof narrowedSite>>;

/**
 * Creates a site with one record of every kind that belongs to a project, and lets agents use only its pages. Returns
 * the ids of all records.
 */
export async function narrowedSite(app: TestApp) {
  const ok = (operation: string, body: object = {}) => done(app, operation, body);
  await ok('workspace/updateSettings', { siteFunctionWebhooks: true, siteFunctionTargets: true, functionLogs: true });
  const { id: projectId } = await ok('site/createProject', { name: `${kept} site` });
  const of = { projectId };
  const [{ id: pageId }] = await ok('site/listPages', of);
  const { linkedBase } = await ok('site/getProject', { id: projectId });
  const fields = [{ name: 'title', type: 'text' }];
  const table = await ok('bases/createTable', { baseId: linkedBase.id, name: `${kept} table`, fields });
  const row = await ok('bases/createRow', { tableId: table.id, values: { title: kept } });
  const user = await ok('site/createAppUser', {
    ...of,
    email: 'kept@example.com',
    password: 'long enough',
    name: kept,
  });
  const role = await ok('site/createProjectRole', { ...of, name: `${kept} role` });
  const component = await ok('site/createComponent', { ...of, name: 'Kept', description: kept });
  const template = await ok('site/createEmailTemplate', { ...of, name: kept, slug: 'kept', subject: kept });
  const condition = { type: 'authenticated' };
  const policy = await ok('site/createAccessPolicy', { ...of, name: `${kept} policy`, condition });
  await ok('site/setEmailAccessRules', { ...of, accessRules: { send: condition } });
  const offer = await ok('site/createOffer', { ...of, key: 'kept', name: kept, amount: 100 });
  await ok('site/createCoupon', { ...of, code: 'KEPT', percentOff: 10 });
  await ok('site/grantEntitlement', { ...of, appUserId: user.id, key: 'kept' });
  const envVar = await ok('site/createEnvVar', { ...of, name: 'KEPT', value: kept, isSecret: false });
  const code = `console.log('${kept}'); return 1`;
  const fn = await ok('site/createBackendFunction', { ...of, name: `${kept} function`, code });
  const functionName = fn.name;
  const { runId } = await ok('site/invokeBackendFunction', { ...of, functionName });
  const target = { targetKind: 'site_function', targetRef: fn.id };
  const webhook = await ok('automations/createWebhook', { functionId: fn.id, kind: 'site' });
  const schedule = await ok('site/createSchedule', { ...of, functionName, cronExpression: '0 0 1 1 *', name: kept });
  const mailhook = await ok('automations/createMailhook', { name: kept, ...target, projectId });
  const box = { fromAddress: 'kept@example.com', host: 'mail.example.com', username: 'kept', password: 'kept-pass' };
  const mailbox = await ok('automations/createMailAccount', { name: `${kept} mailbox`, ...box, projectId });
  const trigger = await ok('accountEvents/addEventTrigger', { event: 'custom.kept', ...target, name: kept });
  await ok('site/updateCustomDomain', { id: projectId, customDomain: 'kept.example.com' });
  const asked = await app.call('site/setFunctionCapabilities', { ...of, functionId: fn.id, capabilities: ['env'] });
  const card = asked.body.pendingChange;
  const [snapshot] = (await ok('site/listSnapshots', of)).snapshots;
  await ok('site/updateAiPermissions', { ...of, aiPermissions: { 'pages:*': true } });
  const ids = {
    ...{ project: projectId, base: linkedBase.id, table: table.id, field: table.fields[0].id, row: row.id },
    ...{ user: user.id, role: role.id, component: component.id, template: template.id, policy: policy.id },
    ...{ offer: offer.id, envVar: envVar.id, fn: fn.id, run: runId, webhook: webhook.id, schedule: schedule.id },
    ...{ mailhook: mailhook.id, mailbox: mailbox.id, trigger: trigger.id, card: card.id, snapshot: snapshot.id },
  } as const;
  return { ...ids, pageId, functionName, hash: card.hash as string, version: fn.version as string };
}

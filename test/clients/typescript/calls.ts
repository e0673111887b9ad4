import { type Client, type Done, Refused, Waits } from './client.js';

/** Creates a base of customers with one table. Returns the number of rows. */
export async function keepCustomers(client: Client): Promise<number> {
  const base = await client.call('bases_createBase', { name: 'Shop', description: 'What the shop knows' });
  const table = await client.call('bases_createTable', {
    baseId: base.id,
    name: 'Customers',
    fields: [
      { name: 'title', type: 'text', required: true },
      { name: 'stage', type: 'select', options: ['new', 'won'] },
    ],
  });
  const wider = await client.call('bases_addField', { tableId: table.id, field: { name: 'amount', type: 'number' } });
  const names: readonly string[] = wider.fields.map(({ name }) => name.toLowerCase());

  const row = await client.call('bases_createRow', { tableId: table.id, values: { title: names.join(), amount: 3 } });
  await client.call('bases_updateRow', { tableId: table.id, id: row.id, values: {}, seenUpdatedAt: row.updatedAt });
  const { rows } = await client.call('bases_createRows', { tableId: table.id, rows: [{ title: 'Ada' }] });
  await client.call('bases_upsertRow', { tableId: table.id, match: { title: 'Ada' }, values: { stage: 'won' } });
  await client.call('bases_deleteRow', { tableId: table.id, id: rows[0]?.id ?? row.id });
  // A row has a member for each field of the table, which the document cannot declare.
  const title: unknown = (await client.call('bases_getRow', { tableId: table.id, id: row.id }))['title'];
  if (typeof title !== 'string') throw new Error(`No title, made by ${row.createdBy?.trim() ?? 'an unknown caller'}`);

  const { count } = await client.call('bases_countRows', { tableId: table.id, filter: { stage: 'won' } });
  const listed = (await client.call('bases_listBases', {})).flatMap(({ tables }) =>
    tables.map(({ rowCount }) => rowCount),
  );
  return Math.max(count, ...listed);
}

export async function* everyRow(client: Client, tableId: string): AsyncGenerator<string> {
  let cursor: string | null = null;
  do {
    const page: Done<'bases_listRows'> = await client.call('bases_listRows', {
      tableId,
      limit: 100,
      ...(cursor === null ? {} : { cursor }),
    });
    for (const { id, createdAt } of page.rows)
      yield `${id} ${new Date(createdAt).toISOString()} of ${page.total.toFixed()}`;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

export async function greet(client: Client): Promise<string> {
  const made = await client.call('automations_createFunction', { name: 'Greet', code: 'export default () => "Hello"' });
  await client.call('automations_updateFunction', { id: made.id, timeout: 30, isActive: true });
  const { versions } = await client.call('automations_listFunctionVersions', { functionId: made.id });
  const versionId: string | undefined = versions[0]?.id;
  if (versionId === undefined) return made.summary.trim();
  const { number } = await client.call('automations_publishFunction', { id: made.id, versionId });

  const webhook = await client.call('automations_createWebhook', { functionId: made.id });
  const schedule = await client.call('automations_createSchedule', {
    functionId: made.id,
    cronExpression: '0 8 * * *',
  });
  const { result, runId } = await client.call('automations_invokeFunction', { id: made.id, event: { name: 'Ada' } });
  const log = await client.call('automations_getRunLog', { runId });
  const runs = await client.call('automations_listRuns', { functionId: made.id, limit: 10 });
  const failed = runs
    .filter(({ status }) => status === 'error')
    .map(({ error, attempt }) => `${attempt + 1}: ${error}`);
  const others = (await client.call('automations_listFunctions', {})).filter(({ exposed }) => exposed).length;
  const next = schedule.nextTrigger === null ? 'never' : new Date(schedule.nextTrigger).toISOString();
  return [new URL(webhook.url).host, next, String(result), log.lines.length, number + others, ...failed].join('\n');
}

export async function runFlows(client: Client): Promise<readonly string[]> {
  const flows = await client.call('flows_listFlows', {});
  const ids = await Promise.all(
    flows
      .filter(({ isActive, stepCount }) => isActive && stepCount > 0)
      .map(async ({ id }) => (await client.call('flows_runFlow', { id, input: {} })).runId),
  );
  const runs = await client.call('flows_listFlowRuns', { flowId: flows[0]?.id ?? '' });
  const { matched } = await client.call('accountEvents_raise', {
    name: 'shop.opened',
    properties: { runs: ids.length },
  });
  return [...ids, ...runs.map(({ flowName, resumesAt }) => flowName + (resumesAt ?? '')), matched.toFixed()];
}

/** Approves the pending changes, oldest first. */
export async function approveAll(client: Client): Promise<readonly string[]> {
  const { pendingChanges } = await client.call('approvals_listPendingChanges', { status: 'pending' });
  const decided: string[] = [];
  for (const { id, hash, changes, approver } of pendingChanges) {
    if (approver === 'admin' || changes.length > 10) {
      const rejected = await client.call('approvals_rejectPendingChange', { id, reason: 'Too much at once' });
      decided.push(rejected.summary.trim());
      continue;
    }
    const card = await client.call('approvals_approvePendingChange', { id, hash });
    decided.push(`${card.requestedBy.name} ${card.decidedBy?.name ?? ''} ${card.status satisfies string}`);
  }
  const { notices } = await client.call('approvals_listNotices', { kind: 'change' });
  return [...decided, ...notices.map(({ summary, createdAt }) => summary + Date.parse(createdAt))];
}

/** Adds a member with a key. Returns who may edit functions. */
export async function whoMayEdit(client: Client): Promise<readonly string[]> {
  const { me, plan } = await client.call('workspace_getWorkspace', {});
  if (me.role === 'viewer' || plan === 'free') return [];
  const added = await client.call('workspace_addMember', { name: 'Ada', email: 'ada@example.com', role: 'editor' });
  const { key } = await client.call('workspace_createApiKey', { name: 'Laptop', kind: 'person', memberId: added.id });
  const { members } = await client.call('workspace_listMembers', {});
  const may = members.filter(({ permissions }) => permissions.includes('functions.edit'));
  const { events, next } = await client.call('audit_listEvents', { actorId: me.id, limit: 10 });
  return [...may.map(({ email }) => email.toLowerCase()), key ?? '', String(events.length), next?.toFixed() ?? ''];
}

export async function openShop(client: Client): Promise<string> {
  const project = await client.call('site_createProject', { name: 'Shop', projectType: 'web' });
  const projectId = project.id;
  const page = await client.call('site_createPage', { projectId, name: 'Home', path: '/', isHomePage: true });
  const offer = await client.call('site_createOffer', { projectId, key: 'pro', name: 'Pro', amount: 900 });
  const user = await client.call('site_createAppUser', {
    projectId,
    email: 'ada@example.com',
    password: 'longer than it',
  });
  const variable = await client.call('site_createEnvVar', { projectId, name: 'TOKEN', value: 'x', isSecret: true });
  return `${page.path.length} ${(offer.amount / 100).toFixed(2)} ${user.roleIds.join()} ${variable.allowedHosts.join()}`;
}

/** Turns a refusal or a pending approval into a message. */
export function inWords(reason: unknown): string {
  if (reason instanceof Waits) return `${reason.card.pendingChange.summary}: ${reason.card.approveLink}`;
  if (!(reason instanceof Refused)) throw reason;
  const { status, detail, errors } = reason.problem;
  return status === 400 && errors !== undefined
    ? errors.map(({ path, message }) => `${path} ${message}`).join()
    : detail;
}

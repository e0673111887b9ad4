// Three tasks of the documentation, call by call: the number of calls, and the time of all together.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownerKey } from '../../test/support/service-process.ts';
import { startMailServer } from '../automations/mail.mjs';
import { discard, scratch, startService } from '../support/servers.mjs';
import { ms, table, whole } from '../support/table.mjs';

const cli = fileURLToPath(new URL('../../dist/src/cli.js', import.meta.url));

export async function threeTasks() {
  const mailServer = await startMailServer();
  const reports = createServer((_, response) => response.end('{"orders":3}')).listen(0, '127.0.0.1');
  await once(reports, 'listening');
  const environment = { EGRESS_ALLOW: '127.0.0.1', NODE_EXTRA_CA_CERTS: mailServer.ca };
  const service = await startService({ environment });
  const rows = [['task', 'calls', 'of these approvals', 'ms']];
  try {
    for (const [name, task] of Object.entries(tasks)) {
      const counted = counting(service);
      const began = performance.now();
      await task(counted, { mailPort: mailServer.port, reportPort: reports.address().port });
      rows.push([name, whole(counted.calls), whole(counted.approvals), ms(performance.now() - began)]);
    }
    table('three tasks by the docs', rows);
  } finally {
    await service.stop();
    reports.close();
    await mailServer.stop();
  }
}

/** Counts calls. Approves cards at once, as a person would, and counts them separately. */
function counting(service) {
  const counted = { calls: 0, approvals: 0, url: service.url };
  counted.call = async (operation, input = {}) => {
    counted.calls += 1;
    const { status, body } = await service.post(`/api/v1/${operation}`, input, { authorization: `Bearer ${ownerKey}` });
    if (status !== 200 && status !== 202) throw new Error(`${operation} answered ${status}: ${JSON.stringify(body)}`);
    if (status === 200) return body;
    counted.approvals += 1;
    const { id, hash } = body.pendingChange;
    await counted.call('approvals/approvePendingChange', { id, hash });
    return body;
  };
  return counted;
}

const tasks = {
  'a daily report with a secret and a mail': async ({ call }, { mailPort, reportPort }) => {
    const host = '127.0.0.1';
    await call('automations/setEnvVar', { name: 'REPORT_KEY', value: 'key of the reports', allowedHosts: [host] });
    const mailbox = { name: 'reports', fromAddress: 'robot@example.com', username: 'robot@example.com' };
    const server = { host, port: mailPort, secure: false, password: 'a password of the bench' };
    await call('automations/createMailAccount', { ...mailbox, ...server });
    const code = `const answer = await ctx.fetch('http://${host}:${reportPort}/', {
      headers: { authorization: ctx.secrets.ref('REPORT_KEY', { prefix: 'Bearer ' }) },
    });
    const { orders } = await answer.json();
    await ctx.email.send({ to: 'ada@example.org', subject: 'Report', text: 'Orders: ' + orders });
    return orders;`;
    const { id } = await call('automations/createFunction', { name: 'Daily report', code });
    await call('automations/setFunctionSecrets', { id, secrets: [{ name: 'REPORT_KEY', hosts: [host] }] });
    await call('automations/setFunctionCapabilities', { id, capabilities: ['email'] });
    await call('automations/updateFunction', { id, isActive: true });
    const { result } = await call('automations/invokeFunction', { id });
    if (result !== 3) throw new Error(`The report answered ${JSON.stringify(result)}.`);
    await call('automations/createSchedule', { functionId: id, cronExpression: '0 7 * * *', timezone: 'Europe/Paris' });
  },
  'a shop with a table, a role, a protected function, an offer and a coupon': async ({ call }) => {
    const { id: projectId, linkedBaseId: baseId } = await call('site/createProject', { name: 'Shop' });
    const fields = [{ name: 'title', type: 'text' }];
    await call('bases/createTable', { baseId, name: 'Products', fields });
    const { id: roleId } = await call('site/createProjectRole', { projectId, name: 'Staff' });
    const accessRules = { execute: { type: 'has_role', roleId } };
    const code = "return ctx.tables.list('Products');";
    await call('site/createBackendFunction', { projectId, name: 'products', code, accessRules });
    await call('site/createOffer', { projectId, key: 'plus', name: 'Plus', amount: 900 });
    await call('site/createCoupon', { projectId, code: 'TEN', percentOff: 10, offerKeys: ['plus'] });
  },
  'who changed a function, as it was, undone, exported and verified': async (counted) => {
    const { call, url } = counted;
    const { id } = await call('automations/createFunction', { name: 'Watched', code: 'return 1;' });
    await call('automations/updateFunction', { id, description: 'Changed by mistake' });
    const { events } = await call('audit/getHistory', { kind: 'function', id });
    const [created, changed] = [events.at(0), events.at(-1)];
    await call('audit/getStateAt', { kind: 'function', id, position: created.position });
    await call('audit/undoChange', { position: changed.position });
    // Counts two more for the export and the verification on the command line.
    counted.calls += 2;
    const exported = await fetch(`${url}/api/v1/audit/export`, { headers: { authorization: `Bearer ${ownerKey}` } });
    const directory = scratch();
    try {
      const file = join(directory, 'audit.ndjson');
      writeFileSync(file, await exported.text());
      execFileSync(process.execPath, ['--no-warnings', cli, 'audit:verify', file], { stdio: 'pipe' });
    } finally {
      discard(directory);
    }
  },
};

// Mails through a mailbox to a mail server on loopback, in a process of its own. Each mail takes its share of the
// hourly limit on disk, is sent over STARTTLS and is recorded on disk. Compared with nodemailer's pool alone, with as
// many connections.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ownerKey } from '../../test/support/service-process.ts';
import { inTurn, round } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { startService } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';

const mailServer = fileURLToPath(new URL('../support/mail-server.mjs', import.meta.url));
const username = 'robot@example.com';
const password = 'a password of the bench';
const code = `return ctx.email.send({ to: 'ada@example.org', subject: 'Hello', text: 'How are you? '.repeat(20) });`;

/** Starts smtp-server in a process of its own. It accepts and counts every mail. */
export async function startMailServer() {
  const child = spawn(process.execPath, ['--no-warnings', mailServer], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = child.stdout.setEncoding('utf8');
  const [first] = await once(lines, 'data');
  const { port, ca } = JSON.parse(first);
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
  };
  return { port, ca, pid: child.pid, stop };
}

/** nodemailer's pool without the service, to measure the speed of the server. */
async function bare({ port, connections, seconds }) {
  const { createTransport } = await import('nodemailer');
  const settings = { host: '127.0.0.1', port, secure: false, requireTLS: true, tls: { rejectUnauthorized: false } };
  const pool = createTransport({
    ...settings,
    pool: true,
    maxConnections: 5,
    auth: { user: username, pass: password },
  });
  const times = [];
  const until = performance.now() + seconds * 1_000;
  const one = async () => {
    while (performance.now() < until) {
      const began = performance.now();
      await pool.sendMail({
        from: username,
        to: 'ada@example.org',
        subject: 'Hello',
        text: 'How are you? '.repeat(20),
      });
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  pool.close();
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99), failed: 0 };
}

export async function mail({ seconds = scaled(5, 0.1), rounds = scaled(3) } = {}) {
  const server = await startMailServer();
  const environment = { EGRESS_ALLOW: '127.0.0.1', NODE_EXTRA_CA_CERTS: server.ca };
  const service = await startService({ environment });
  const rows = [['', 'mails per s', 'p50 ms', 'p99 ms', 'nodemailer per s', 'p50', 'p99', 'ratio', 'failed']];
  try {
    const mailbox = { name: 'bench', fromAddress: username, host: '127.0.0.1', port: server.port, secure: false };
    await service.call('automations/createMailAccount', { ...mailbox, username, password, hourlyLimit: 1_000_000 });
    const { id } = await service.call('automations/createFunction', { name: 'Send a mail', code });
    const asked = '/api/v1/automations/setFunctionCapabilities';
    const owner = { authorization: `Bearer ${ownerKey}` };
    const { body } = await service.post(asked, { id, capabilities: ['email'] }, owner);
    const { id: card, hash } = body.pendingChange;
    await service.call('approvals/approvePendingChange', { id: card, hash });
    await service.call('automations/updateFunction', { id, isActive: true });
    const { token } = await service.call('automations/createWebhook', { functionId: id });
    const path = `/api/automations/functions/webhook/${token}`;
    const ours = (connections, length) => () =>
      round({ server: service, path, body: { order: 1 }, connections, seconds: length });
    const theirs = (connections, length) => () => bare({ port: server.port, connections, seconds: length });
    await inTurn([ours(16, 4), theirs(16, scaled(2, 0.1))], 1);
    for (const connections of [1, 16]) {
      const [we, they] = await inTurn([ours(connections, seconds), theirs(connections, seconds)], rounds);
      const shown = [we, they].flatMap(({ perSecond, p50, p99 }) => [whole(perSecond), ms(p50), ms(p99)]);
      rows.push([`${connections} senders`, ...shown, ratio(we.perSecond / they.perSecond), we.failed]);
    }
  } finally {
    await Promise.all([service.stop(), server.stop()]);
  }
  table('webhook → function → ctx.email.send over 5 kept connections (every mail is one sandboxed run)', rows);
}

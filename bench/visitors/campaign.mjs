// A campaign among 100,000 users whose names and addresses are each sealed under a key of their own: previews of six
// audiences, and sending to all users, or to a tenth with BENCH_RECIPIENTS=10000. Compared with nodemailer's pool alone
// with as many connections. Also the delay of other API calls, and memory.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { startMailServer } from '../automations/mail.mjs';
import { cpuMs, figures } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, scratch, startService } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';
import { fillUsers } from './app-users.mjs';

const username = 'robot@example.com';
const password = 'a password of the bench';
const html = `<p>Hello {{userName}}</p>${'<p>How are you? Here is what is new.</p>'.repeat(20)}`;
const text = 'Hello. '.repeat(60);
/** A rule for addresses whose number ends with these digits. Addresses are user-<number>@example.com. */
const ending = (digits) => ({
  any: Array.from({ length: 10 }, (_, digit) => ({ type: 'email', operator: 'contains', value: `${digit}${digits}@` })),
});

export async function campaign({ users = scaled(Number(process.env['BENCH_USERS'] ?? 100_000), 500) } = {}) {
  const dataDir = scratch();
  const server = await startMailServer();
  try {
    const { projectId } = await fillUsers(dataDir, users);
    const environment = { EGRESS_ALLOW: '127.0.0.1', NODE_EXTRA_CA_CERTS: server.ca };
    const service = await startService({ dataDir, environment });
    const mailbox = { name: 'bench', fromAddress: username, host: '127.0.0.1', port: server.port, secure: false };
    await service.call('automations/createMailAccount', { ...mailbox, username, password, hourlyLimit: 1_000_000 });
    await previews(service, projectId, users);
    await sending(service, projectId, server, users);
    await service.stop();
  } finally {
    await server.stop();
    discard(dataDir);
  }
}

const draft = async (service, projectId, audienceRules) =>
  (
    await service.call('site/createCampaign', {
      projectId,
      name: 'News',
      subject: 'News for {{userName}}',
      html,
      text,
      ...(audienceRules === undefined ? {} : { audienceRules }),
    })
  ).id;

/** The times of a small call that is repeated while `work` runs. */
async function besides(service, work) {
  const times = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const from = performance.now();
      await service.call('workspace/getWorkspace', {});
      times.push(performance.now() - from);
      await pause(10);
    }
  })();
  const answer = await work();
  isOver = true;
  await asking;
  return { answer, ...figures(times, 1) };
}

async function previews(service, projectId, users) {
  const preview = (id) => service.call('site/previewCampaignAudience', { projectId, id });
  const everybody = await draft(service, projectId);
  // Waits until the read models are built, because the measurement is of an idle site.
  while ((await preview(everybody)).count < users) await pause(1_000);
  const roles = await service.call('site/listProjectRoles', { projectId });
  const shown = [['', 'recipients', 'partial', 'p50 ms', 'p99 ms', 'processor ms', 'other calls p50 ms', 'p99 ms']];
  const idle = await besides(service, () => pause(scaled(3_000, 100)));
  shown.push(['nothing', '', '', '', '', '', ms(idle.p50), ms(idle.p99)]);
  for (const [what, rules, suppressed] of [
    ['all users', undefined],
    ['signed in', { type: 'authenticated' }],
    ['a tenth, by role', { type: 'has_role', roleId: roles.at(-1).id }],
    ['a tenth, by sealed address', ending('7')],
    [
      'a tenth of them, by role and sealed address',
      { all: [{ type: 'has_role', roleId: roles.at(-1).id }, ending('0')] },
    ],
    ['all users, one suppressed', undefined, 'user-1@example.com'],
  ]) {
    if (suppressed !== undefined) await service.call('site/addSuppression', { projectId, email: suppressed });
    const id = await draft(service, projectId, rules);
    const times = [];
    const repeats = scaled(9);
    const before = cpuMs(service.pid);
    const { answer, p50, p99 } = await besides(service, async () => {
      let last;
      for (let n = 0; n < repeats; n += 1) {
        const from = performance.now();
        last = await preview(id);
        times.push(performance.now() - from);
      }
      return last;
    });
    const cpu = (cpuMs(service.pid) - before) / repeats;
    const own = figures(times, 1);
    const cells = [whole(answer.count), String(answer.partial), ms(own.p50), ms(own.p99), whole(cpu), ms(p50), ms(p99)];
    shown.push([what, ...cells]);
    if (suppressed !== undefined) await service.call('site/removeSuppression', { projectId, email: suppressed });
  }
  table(`previewCampaignAudience of ${users} users (processor time with that of other calls)`, shown);
}

async function sending(service, projectId, server, users) {
  const wanted = Number(process.env['BENCH_RECIPIENTS'] ?? users);
  const rules = wanted >= users ? undefined : ending('7');
  const id = await draft(service, projectId, rules);
  const bare = [await nodemailer(server.port, scaled(10, 0.2))];
  const cpuBefore = cpuMs(service.pid);
  const memory = { before: rssMb(service.pid), half: 0, after: 0, highest: 0 };
  const began = performance.now();
  let listedAt = 0;
  const {
    answer: stats,
    p50,
    p99,
  } = await besides(service, async () => {
    await service.call('site/sendCampaign', { projectId, id });
    for (;;) {
      await pause(200);
      memory.after = rssMb(service.pid);
      memory.highest = Math.max(memory.highest, memory.after);
      const all = await service.call('site/listCampaigns', { projectId });
      const found = all.find((one) => one.id === id);
      const { sent, failed, suppressed, waiting, recipients } = found.stats;
      if (sent + failed + suppressed + waiting !== recipients) throw new Error(JSON.stringify(found.stats));
      if (listedAt === 0 && sent > 0) listedAt = performance.now();
      if (memory.half === 0 && sent * 2 >= recipients && sent > 0) memory.half = memory.after;
      if (found.status === 'sent') return found.stats;
    }
  });
  const seconds = (performance.now() - listedAt) / 1_000;
  const cpu = ((cpuMs(service.pid) - cpuBefore) * 1_000) / Math.max(1, stats.recipients);
  bare.push(await nodemailer(server.port, scaled(10, 0.2)));
  const mean = (what) => bare.reduce((sum, one) => sum + one[what], 0) / bare.length;
  const perSecond = stats.sent / seconds;
  table(`a campaign to ${stats.recipients} of ${users} users over 5 kept connections`, [
    ['', 'sent', 'failed', 'listed in s', 'mails per s', 'processor µs a mail'],
    [
      'campaign',
      whole(stats.sent),
      whole(stats.failed),
      ((listedAt - began) / 1_000).toFixed(1),
      whole(perSecond),
      whole(cpu),
    ],
    ["nodemailer's pool alone, before and after", '', '', '', whole(mean('perSecond')), whole(mean('cpu'))],
    ['ratio', '', '', '', ratio(perSecond / mean('perSecond')), ratio(cpu / mean('cpu'))],
  ]);
  table('meanwhile', [
    ['', 'other calls p50 ms', 'p99 ms', 'memory MB before', 'at half', 'at the end', 'highest'],
    ['campaign', ms(p50), ms(p99), ...Object.values(memory).map(whole)],
  ]);
}

const rssMb = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;

/** Sends mails of the same size with nodemailer's pool, without the service. */
async function nodemailer(port, seconds) {
  const { createTransport } = await import('nodemailer');
  const pool = createTransport({
    host: '127.0.0.1',
    port,
    secure: false,
    requireTLS: true,
    tls: { rejectUnauthorized: false },
    pool: true,
    maxConnections: 5,
    maxMessages: Number.POSITIVE_INFINITY,
    auth: { user: username, pass: password },
  });
  let sent = 0;
  const used = process.cpuUsage();
  const until = performance.now() + seconds * 1_000;
  const began = performance.now();
  const one = async () => {
    while (performance.now() < until) {
      await pool.sendMail({ from: username, to: `user-${sent}@example.com`, subject: 'News', html, text });
      sent += 1;
    }
  };
  await Promise.all(Array.from({ length: 10 }, one));
  const perSecond = (sent * 1_000) / (performance.now() - began);
  const { user, system } = process.cpuUsage(used);
  pool.close();
  return { perSecond, cpu: (user + system) / sent };
}

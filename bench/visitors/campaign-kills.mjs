// Exactness of a campaign to 5,000 users under kill -9 at BENCH_KILLS random moments. Nobody may get two mails, every
// recipient must be counted, and those counted as sent must have got theirs.
import { setTimeout as pause } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { scaled } from '../support/scale.mjs';
import { discard, scratch, startService } from '../support/servers.mjs';
import { table, whole } from '../support/table.mjs';
import { fillUsers } from './app-users.mjs';

const username = 'robot@example.com';
const password = 'a password of the bench';
const environment = { EGRESS_ALLOW: '127.0.0.1', SMTP_PLAINTEXT_ALLOW: '127.0.0.1' };

export async function campaignKills({ users = scaled(5_000, 500), kills = scaled(20, 1) } = {}) {
  const dataDir = scratch();
  const got = new Map();
  const sink = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onAuth: (_auth, _session, done) => done(null, { user: 'robot' }),
    onData: (stream, session, done) => {
      stream.resume();
      stream.once('end', () => {
        for (const { address } of session.envelope.rcptTo) got.set(address, (got.get(address) ?? 0) + 1);
        done();
      });
    },
  });
  sink.on('error', () => undefined);
  await new Promise((resolve) => sink.listen(0, '127.0.0.1', resolve));
  const port = sink.server.address().port;
  let service;
  try {
    const { projectId } = await fillUsers(dataDir, users);
    service = await startService({ dataDir, environment });
    const mailbox = { name: 'bench', fromAddress: username, host: '127.0.0.1', port, secure: false };
    await service.call('automations/createMailAccount', { ...mailbox, username, password, hourlyLimit: 1_000_000 });
    const words = { projectId, name: 'News', subject: 'News', html: '<p>Hello {{userName}}</p>' };
    const { id } = await service.call('site/createCampaign', words);
    await service.call('site/sendCampaign', { projectId, id });
    const shown = async () => {
      const found = (await service.call('site/listCampaigns', { projectId })).find((one) => one.id === id);
      const { recipients, sent, failed, suppressed, waiting } = found.stats;
      if (sent + failed + suppressed + waiting !== recipients) throw new Error(JSON.stringify(found.stats));
      return found;
    };
    let killed = 0;
    for (; killed < kills && (await shown()).status === 'sending'; killed += 1) {
      await pause(Math.random() * (killed % 4 === 0 ? 200 : 1_500));
      await service.end('SIGKILL');
      service = await startService({ dataDir, environment });
    }
    let last = await shown();
    for (; last.status !== 'sent'; last = await shown()) await pause(200);
    const { recipients, sent, failed } = last.stats;
    const uncounted = [];
    for (let before; ; ) {
      const input = { projectId, id, status: 'sent', limit: 1_000, ...(before === undefined ? {} : { before }) };
      const page = await service.call('site/listCampaignRecipients', input);
      uncounted.push(...page.filter(({ email }) => !got.has(email)));
      if (page.length < 1_000) break;
      before = page.at(-1).id;
    }
    const twice = [...got.values()].filter((count) => count > 1).length;
    if (recipients !== users || twice > 0 || uncounted.length > 0) throw new Error(JSON.stringify(last.stats));
    table(`a campaign to ${users} users over kill -9`, [
      ['', 'kills', 'sent', 'failed, in flight', 'of these arrived', 'got two mails', 'sent and not arrived'],
      [
        'campaign',
        whole(killed),
        whole(sent),
        whole(failed),
        whole(got.size - sent),
        whole(twice),
        whole(uncounted.length),
      ],
    ]);
  } finally {
    await service?.end('SIGKILL');
    sink.close();
    discard(dataDir);
  }
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inFlightLost } from '../../../src/areas/campaigns/sending/campaign-batch.js';
import { randomMoment } from '../../support/clocks/delays.js';
import { eventually } from '../../support/eventually.js';
import { MailServerForTests, username } from '../../support/mail/mail-server.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

const password = 'a password of the kill test';
const users = 120;
const kills = 5;

let dataDir: string;
let server: MailServerForTests;
let service: ServiceProcess;
let projectId: string;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-'));
  server = await MailServerForTests.start({ password, security: 'none' });
  service = await start();
}, 60_000);
afterAll(async () => {
  await service.end('SIGKILL');
  await server.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const start = () =>
  startServiceProcess({ dataDir, environment: { EGRESS_ALLOW: '127.0.0.1', SMTP_PLAINTEXT_ALLOW: '127.0.0.1' } });

async function done(operation: string, body: object = {}) {
  const reply = await service.call(operation, body);
  expect([operation, reply.status, reply.body?.detail]).toEqual([operation, 200, undefined]);
  return reply.body;
}

interface Stats {
  readonly recipients: number;
  readonly sent: number;
  readonly failed: number;
  readonly suppressed: number;
  readonly waiting: number;
}

async function shown(id: string): Promise<{ readonly status: string; readonly stats: Stats }> {
  const all = await done('site/listCampaigns', { projectId });
  const found = all.find((one: { readonly id: string }) => one.id === id);
  const { recipients, sent, failed, suppressed, waiting } = found.stats;
  expect(sent + failed + suppressed + waiting).toBe(recipients);
  return found;
}

it('each recipient of a campaign gets one mail at most, and everybody is counted, over kills at any moment', async () => {
  const mailbox = { name: 'out', fromAddress: username, host: '127.0.0.1', port: server.port, secure: false };
  await done('automations/createMailAccount', { ...mailbox, username, password, hourlyLimit: 100_000 });
  ({ id: projectId } = await done('site/createProject', { name: 'Shop' }));
  const emails = Array.from({ length: users }, (_, at) => `u${at}@example.org`);
  for (const email of emails) await done('site/createAppUser', { projectId, email, password: 'long enough' });
  const words = { projectId, name: 'News', subject: 'News', html: '<p>Hello</p>' };
  const { id } = await done('site/createCampaign', words);
  await done('site/sendCampaign', { projectId, id });
  for (let kill = 0; kill < kills; kill += 1) {
    const before = server.received.length;
    // In the middle of it, whatever it is doing then.
    await eventually(
      async () => server.received.length,
      (count) => count > before || count === users,
      60_000,
    );
    await randomMoment(0, 40);
    await service.end('SIGKILL');
    service = await start();
    await shown(id);
  }
  const { stats } = await eventually(
    () => shown(id),
    ({ status }) => status === 'sent',
    120_000,
  );
  expect(stats).toMatchObject({ recipients: users, suppressed: 0, waiting: 0 });
  const to = server.received.map((one) => one.to[0] ?? '');
  expect(to).toHaveLength(new Set(to).size);
  const recipients = await done('site/listCampaignRecipients', { projectId, id, limit: 1_000 });
  expect(recipients).toHaveLength(users);
  const of = (status: string) => recipients.filter((one: { readonly status: string }) => one.status === status);
  // Whoever counts as sent got it; whoever failed may have, and the reason says so.
  expect(of('sent').filter(({ email }: { readonly email: string }) => !to.includes(email))).toEqual([]);
  expect(new Set(of('failed').map(({ reason }: { readonly reason: string }) => reason))).toEqual(
    new Set(stats.failed === 0 ? [] : [inFlightLost]),
  );
  expect(stats.failed).toBeLessThanOrEqual(10 * kills);
  expect([of('sent').length, of('failed').length]).toEqual([stats.sent, stats.failed]);
}, 600_000);

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { inFlightLost } from '../../../src/areas/campaigns/sending/campaign-batch.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { randomMoment, takes } from '../../support/clocks/delays.js';
import { startEngines } from '../../support/engines.js';
import { eventually } from '../../support/eventually.js';
import { MailServerForTests, username } from '../../support/mail/mail-server.js';
import { masterKey } from '../../support/processes.js';
import { ownerKey, type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

const password = 'a password of the kill test';
const overLoopback = { EGRESS_ALLOW: '127.0.0.1', SMTP_PLAINTEXT_ALLOW: '127.0.0.1' };
/** Time that the server needs for each recipient, in milliseconds. */
let slowness = 0;

let dataDir: string;
let server: MailServerForTests;
let started: ServiceProcess[];
beforeEach(async () => {
  slowness = 0;
  started = [];
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-'));
  const onRcptTo = (_: unknown, __: unknown, done: () => void) => void setTimeout(done, slowness);
  server = await MailServerForTests.start({ password, security: 'none', options: { onRcptTo } });
}, 60_000);
afterEach(async () => {
  await Promise.all(started.map((process) => process.end('SIGKILL')));
  await server.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(environment: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
  const made = await startServiceProcess({ dataDir, environment: { ...overLoopback, ...environment } });
  started.push(made);
  return made;
}

type Service = Pick<ServiceProcess | TestApp, 'call'>;

interface Stats {
  readonly recipients: number;
  readonly sent: number;
  readonly failed: number;
  readonly suppressed: number;
  readonly waiting: number;
}

/** A campaign in progress, observed through a service that may be replaced. */
class SentCampaign {
  private constructor(
    private readonly service: () => Service,
    private readonly users: number,
    readonly projectId: string,
    readonly id: string,
  ) {}

  static async begin(service: () => Service, users: number): Promise<SentCampaign> {
    const done = (operation: string, body: object) => doneAt(service(), operation, body);
    const mailbox = { name: 'out', fromAddress: username, host: '127.0.0.1', port: server.port, secure: false };
    await done('automations/createMailAccount', { ...mailbox, username, password, hourlyLimit: 100_000 });
    const { id: projectId } = await done('site/createProject', { name: 'Shop' });
    const emails = Array.from({ length: users }, (_, at) => `u${at}@example.org`);
    for (let from = 0; from < users; from += 10) {
      const some = emails.slice(from, from + 10);
      await Promise.all(some.map((email) => done('site/createAppUser', { projectId, email, password: 'long enough' })));
    }
    const words = { projectId, name: 'News', subject: 'News', html: '<p>Hello</p>' };
    const { id } = await done('site/createCampaign', words);
    await done('site/sendCampaign', { projectId, id });
    return new SentCampaign(service, users, projectId, id);
  }

  /** Expects every recipient to be counted in exactly one state. */
  async shown(): Promise<{ readonly status: string; readonly stats: Stats }> {
    const all = await doneAt(this.service(), 'site/listCampaigns', { projectId: this.projectId });
    const found = all.find((one: { readonly id: string }) => one.id === this.id);
    const { recipients, sent, failed, suppressed, waiting } = found.stats;
    expect(sent + failed + suppressed + waiting).toBe(recipients);
    return found;
  }

  /** Resolves at a random moment while the campaign is being sent. */
  async goesOn(): Promise<void> {
    const before = server.received.length;
    await eventually(
      async () => server.received.length > before || (await this.shown()).status === 'sent',
      (isSo) => isSo,
      60_000,
    );
    await randomMoment(0, 40);
  }

  /** @param kills - number of kills, each of which may leave ten mails in doubt */
  async endsExact(kills: number): Promise<void> {
    const { users, projectId, id } = this;
    const { stats } = await eventually(
      () => this.shown(),
      ({ status }) => status === 'sent',
      120_000,
    );
    expect(stats).toMatchObject({ recipients: users, suppressed: 0, waiting: 0 });
    const to = server.received.map((one) => one.to[0] ?? '');
    expect(to).toHaveLength(new Set(to).size);
    const asked = { projectId, id, limit: 1_000 };
    const recipients = await doneAt(this.service(), 'site/listCampaignRecipients', asked);
    expect(recipients).toHaveLength(users);
    const of = (status: string) => recipients.filter((one: { readonly status: string }) => one.status === status);
    // Recipients shown as sent got the mail. Failed ones may have got it, as their reason states.
    expect(of('sent').filter(({ email }: { readonly email: string }) => !to.includes(email))).toEqual([]);
    expect(new Set(of('failed').map(({ reason }: { readonly reason: string }) => reason))).toEqual(
      new Set(stats.failed === 0 ? [] : [inFlightLost]),
    );
    expect(stats.failed).toBeLessThanOrEqual(10 * kills);
    expect([of('sent').length, of('failed').length]).toEqual([stats.sent, stats.failed]);
  }
}

async function doneAt(service: Service, operation: string, body: object) {
  const reply = await service.call(operation, body);
  expect([operation, reply.status, reply.body?.detail]).toEqual([operation, 200, undefined]);
  return reply.body;
}

describe('each recipient of a campaign gets one mail at most, and all are counted,', () => {
  it('despite kills at any moment', async () => {
    let service = await start();
    const campaign = await SentCampaign.begin(() => service, 120);
    const kills = 5;
    for (let kill = 0; kill < kills; kill += 1) {
      await campaign.goesOn();
      await service.end('SIGKILL');
      service = await start();
      await campaign.shown();
    }
    await campaign.endsExact(kills);
  }, 600_000);

  it('if two processes share it, despite kills of either and while one is wrongly considered dead', async () => {
    slowness = 400;
    const engines = await startEngines();
    const shared = { ...engines.environment, MASTER_KEY: masterKey, BOOTSTRAP_OWNER_KEY: ownerKey };
    const environment = { ...shared, ROLES: 'api' };
    const api = await startApp({ engines, ownerKey, environment });
    try {
      const worker = () => start({ ...shared, ROLES: 'projections,sagas,runner,scheduler' });
      // Started one after the other, so that the second takes no lease while the first sets up the stores.
      const workers = [await worker(), await worker()];
      const campaign = await SentCampaign.begin(() => api, 400);
      for (const [kill, at] of [0, 1, 1, 0].entries()) {
        await campaign.goesOn();
        await workers[at]?.end('SIGKILL');
        await campaign.shown();
        workers[at] = await worker();
        if (kill > 0) continue;
        // Stops it for longer than the heartbeat timeout. The other process takes over its batch, and it finds that out
        // when it continues.
        await campaign.goesOn();
        process.kill(workers[1]?.pid ?? 0, 'SIGSTOP');
        await takes(5_000);
        process.kill(workers[1]?.pid ?? 0, 'SIGCONT');
      }
      await campaign.endsExact(5);
      expect((await claimsOf(api.app.get(EventStore, { strict: false }))).size).toBeGreaterThan(2);
    } finally {
      await Promise.all(started.map((one) => one.end('SIGKILL')));
      await api.close();
      await engines.close();
    }
  }, 600_000);
});

/** Names of the processes that claimed batches. */
async function claimsOf(events: EventStore): Promise<ReadonlySet<unknown>> {
  const all = await events.readAll({ limit: 10_000, types: ['CampaignBatchClaimed'] });
  return new Set(all.map(({ data }) => (data as { readonly process: string }).process));
}

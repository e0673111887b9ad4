import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { CampaignBatch } from '../../src/areas/campaigns/sending/campaign-batch.record.js';
import { ReadStore } from '../../src/ports/read-store.port.js';
import type { TestApp } from '../support/app.js';
import { quickPasswords } from '../support/given/quick-passwords.js';
import { MailServerForTests } from '../support/mail/mail-server.js';
import { allowingLoopback, createMailbox, mailboxAt, mailOfTests, password } from '../support/mail/mailboxes.js';
import { type Processes, startProcesses } from '../support/processes.js';
import { CampaignSite } from '../support/sites/campaigns.js';

let processes: Processes;
let apps: readonly [TestApp, TestApp];
let server: MailServerForTests;
beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  processes = await startProcesses(allowingLoopback);
  const start = () => processes.start('all', {}, [mailOfTests(), quickPasswords]);
  apps = [await start(), await start()];
}, 60_000);
afterAll(async () => {
  await processes.close();
  await server.close();
});

it('a campaign of two processes on the same engines reaches each of its users once, and counts them', async () => {
  const [first] = apps;
  await createMailbox(first, mailboxAt(server, { hourlyLimit: 10_000 }));
  const site = await CampaignSite.of(first);
  const emails = await site.users(330);
  const id = await site.draft();
  await site.done('sendCampaign', { id });
  const senders = new Set<string>();
  const { stats } = await site.until(id, ({ status }) => {
    void first.app
      .get(ReadStore)
      .find<CampaignBatch>('campaignBatches', { where: { campaignId: id } })
      .then((batches) => batches.forEach(({ process }) => process !== null && senders.add(process)));
    return status === 'sent';
  });
  expect(stats).toMatchObject({ recipients: 330, sent: 330, failed: 0, waiting: 0 });
  expect(server.received.map(({ to }) => to[0]).toSorted()).toEqual(emails.toSorted());
  expect(senders.size).toBe(2);
}, 180_000);

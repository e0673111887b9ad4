// Second tier.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MailRetention } from '../../../src/areas/mailboxes/mail/mail-retention.js';
import { Mailboxes } from '../../../src/areas/mailboxes/mail/mailboxes.api.js';
import { runCommand } from '../../../src/cli/commands.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import {
  allowingLoopback,
  createMailbox,
  Mailer,
  mailboxAt,
  mailOfTests,
  password,
  plain,
  shown,
} from '../../support/mail/mailboxes.js';
import { done } from '../../support/people.js';

const hour = 3_600_000;
const day = 24 * hour;

let app: TestApp;
let server: MailServerForTests;
let mailer: Mailer;
const clock = new MadeUpClock();
beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  app = await startApp({
    environment: { ...allowingLoopback, RUN_RETENTION_DAYS: '30' },
    replacements: [{ provide: Clock, useValue: clock }, mailOfTests()],
  });
  mailer = await Mailer.of(app);
});
beforeEach(() => {
  server.received.length = 0;
  server.willing();
});
afterAll(async () => {
  await app.close();
  await server.close();
});

const mailbox = (more: object = {}) => createMailbox(app, mailboxAt(server, more));
const sentCount = async (id: string) => (await shown(app, id)).sentCount;
const stream = async (category: string, id: string) => {
  const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
  return app.app.get(EventStore, { strict: false }).readStream(`${category}-${workspaceId}.${id}`);
};

/** Sends in the way that flows do, not from the code of a function. */
async function straight(name: string, mail: object) {
  const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
  const actor = { kind: 'flow', id: 'flow_1', name: 'Flow' } as const;
  const cause = { actor, operation: 'flow', correlationId: 'c', causationId: null, siteId: null };
  return app.app.get(Mailboxes, { strict: false }).send(workspaceId, name, plain(mail), cause);
}

async function verified(): Promise<readonly string[]> {
  const lines: string[] = [];
  const io = { out: (line: string) => lines.push(line), error: () => {} };
  await runCommand(['projections:verify'], { DATA_DIR: app.dataDir }, io);
  return lines;
}

describe('the hourly limit of a mailbox', () => {
  it('refuses further mail with 429, and nothing is sent', async () => {
    const { id, name } = await mailbox({ hourlyLimit: 2 });
    await mailer.send(plain(), name);
    await mailer.send(plain(), name);
    const { refused } = await mailer.send(plain(), name);
    expect(refused).toEqual({
      status: 429,
      code: 'mailbox-hourly-limit',
      message: expect.stringMatching(/^Nothing was sent: .* 2 of 2 recipients this hour/),
    });
    expect([server.received.length, await sentCount(id)]).toEqual([2, 2]);
  });

  it('counts recipients, whole mails at a time', async () => {
    const { id, name } = await mailbox({ hourlyLimit: 3 });
    expect((await mailer.send(plain({ to: ['a@example.org', 'b@example.org'] }), name)).sent).toBeDefined();
    expect((await mailer.send(plain({ to: 'c@example.org', bcc: 'd@example.org' }), name)).refused.status).toBe(429);
    expect((await mailer.send(plain(), name)).sent).toBeDefined();
    expect([server.received.length, await sentCount(id)]).toEqual([2, 3]);
  });

  it('tells of a mail that would fit into no hour', async () => {
    const { name } = await mailbox({ hourlyLimit: 1 });
    const { refused } = await mailer.send(plain({ to: ['a@example.org', 'b@example.org'] }), name);
    expect(refused.message).toMatch(/has 2 recipients, but the mailbox '.*' allows 1 per hour/);
  });

  it('is never exceeded by twenty simultaneous senders, and is used fully', async () => {
    const { id, name } = await mailbox({ hourlyLimit: 7 });
    const all = await Promise.all(Array.from({ length: 20 }, () => mailer.send(plain(), name)));
    expect(all.filter(({ sent }) => sent !== undefined)).toHaveLength(7);
    expect(all.filter(({ refused }) => refused?.code === 'mailbox-hourly-limit')).toHaveLength(13);
    expect([server.received.length, await sentCount(id)]).toEqual([7, 7]);
  }, 60_000);

  it('is used fully although some attempts certainly sent nothing', async () => {
    const { id, name } = await mailbox({ hourlyLimit: 5 });
    server.atRecipient = (address) => (address.startsWith('bad') ? '550 5.1.1 unknown' : undefined);
    for (const to of ['bad1', 'a', 'bad2', 'b', 'bad3', 'c', 'd', 'e'])
      await mailer.send(plain({ to: `${to}@example.org` }), name);
    expect((await mailer.send(plain(), name)).refused.status).toBe(429);
    expect([server.received.length, await sentCount(id)]).toEqual([5, 5]);
  });

  it('applies from a change on', async () => {
    const { id, name } = await mailbox({ hourlyLimit: 1 });
    await mailer.send(plain(), name);
    expect((await mailer.send(plain(), name)).refused.status).toBe(429);
    await done(app, 'automations/updateMailAccount', { id, hourlyLimit: 2 });
    expect((await mailer.send(plain(), name)).sent).toBeDefined();
    expect((await mailer.send(plain(), name)).refused.status).toBe(429);
  });
});

describe('the hour of a mailbox', () => {
  it('starts at its first send, and a send an hour later opens a new one with its own size', async () => {
    const { id, name } = await mailbox({ hourlyLimit: 3 });
    await mailer.send(plain(), name);
    clock.advance(hour - 1);
    await mailer.send(plain({ to: ['a@example.org', 'b@example.org'] }), name);
    expect(await sentCount(id)).toBe(3);
    expect((await mailer.send(plain(), name)).refused.status).toBe(429);
    clock.advance(1);
    expect(await sentCount(id)).toBe(0);
    await mailer.send(plain({ to: ['a@example.org', 'b@example.org'] }), name);
    expect(await sentCount(id)).toBe(2);
  });

  it('survives a restart', async () => {
    const { id, name } = await mailbox({ hourlyLimit: 1 });
    await mailer.send(plain(), name);
    app = await app.restart();
    mailer = await Mailer.of(app);
    expect(await sentCount(id)).toBe(1);
    expect((await mailer.send(plain(), name)).refused.status).toBe(429);
  });

  it('needs no more space in the log with more mails, and the read model equals a rebuild', async () => {
    const { id, name } = await mailbox({ hourlyLimit: 1_000_000 });
    for (let n = 0; n < 20; n += 1)
      await Promise.all(Array.from({ length: 15 }, () => straight(name, { to: 'a@example.org' })));
    expect(await sentCount(id)).toBe(300);
    expect((await stream('mailUse', id)).length).toBeLessThanOrEqual(260);
    expect((await verified()).filter((line) => !line.includes(': equal at position'))).toEqual([]);
  }, 60_000);
});

describe('mails beyond their retention', () => {
  it('are deleted from the log, but not recent ones and the last error', async () => {
    const { id, name } = await mailbox();
    server.atMail = '554 5.7.1 Spam';
    await mailer.send(plain(), name);
    clock.advance(20 * day);
    const retention = app.app.get(MailRetention, { strict: false });
    await retention.sweep();
    expect((await stream('mail', id)).map(({ type }) => type)).toEqual(['MailFailed']);
    await mailer.send(plain(), name);
    clock.advance(11 * day);
    await retention.sweep();
    expect((await stream('mail', id)).map(({ type }) => type)).toEqual(['MailFailed', 'MailsForgotten']);
    clock.advance(31 * day);
    await retention.sweep();
    await retention.sweep();
    expect((await stream('mail', id)).map(({ type }) => type)).toEqual(['MailsForgotten']);
    expect((await shown(app, id)).lastError).toMatch(/554 5\.7\.1/);
    expect((await verified()).filter((line) => !line.includes(': equal at position'))).toEqual([]);
    server.willing();
    await mailer.send(plain(), name);
    expect((await stream('mail', id)).map(({ type }) => type)).toEqual(['MailsForgotten', 'MailSent']);
  });
});

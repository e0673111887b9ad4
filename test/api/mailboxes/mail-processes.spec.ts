import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
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
import { type Processes, startProcesses } from '../../support/processes.js';

describe('mailboxes of two processes on the same engines', () => {
  let processes: Processes;
  let apps: readonly [TestApp, TestApp];
  let server: MailServerForTests;
  beforeAll(async () => {
    server = await MailServerForTests.start({ password });
    processes = await startProcesses(allowingLoopback);
    apps = [await processes.start('all', {}, [mailOfTests()]), await processes.start('all', {}, [mailOfTests()])];
  }, 60_000);
  afterAll(async () => {
    await processes.close();
    await server.close();
  });

  it('never exceed the hourly limit, however many send through both at once, but use it fully', async () => {
    const [first, second] = apps;
    const { id, name } = await createMailbox(first, mailboxAt(server, { hourlyLimit: 9 }));
    const mailers = [await Mailer.of(first), await Mailer.of(second)];
    const all = await Promise.all(
      mailers.flatMap((mailer) => Array.from({ length: 10 }, () => mailer.send(plain(), name))),
    );
    expect(all.filter(({ sent }) => sent !== undefined)).toHaveLength(9);
    expect(all.filter(({ refused }) => refused?.status === 429)).toHaveLength(11);
    expect(server.received).toHaveLength(9);
    for (const app of apps)
      await eventually(
        () => shown(app, id),
        ({ sentCount }) => sentCount === 9,
      );
  }, 60_000);

  it('have one default, even if both set another at once', async () => {
    const [first, second] = apps;
    const made = [
      await createMailbox(first, mailboxAt(server)),
      await createMailbox(second, mailboxAt(server)),
      await createMailbox(first, mailboxAt(server)),
    ];
    await Promise.all(
      made.map(({ id }, at) => done(apps[at % 2] as TestApp, 'automations/updateMailAccount', { id, isDefault: true })),
    );
    const defaults = async (app: TestApp) =>
      (await done(app, 'automations/listMailAccounts')).filter((one: { isDefault: boolean }) => one.isDefault);
    // The processes agree on the default a moment after the last command.
    await eventually(
      async () => [await defaults(first), await defaults(second)],
      ([one, other]) => one.length === 1 && other.length === 1 && one[0].id === other[0].id,
    );
  }, 60_000);
});

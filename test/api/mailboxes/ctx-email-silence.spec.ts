// Engines: one process, and several.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
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

let app: TestApp;
let server: MailServerForTests;
let mailer: Mailer;
const clock = new SettableClock();
beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  app = await startApp({
    environment: allowingLoopback,
    replacements: [mailOfTests(), { provide: Clock, useValue: clock }],
  });
  mailer = await Mailer.of(app);
});
afterAll(async () => {
  await app.close();
  await server.close();
});
afterEach(() => server.willing());

/** Sends a mail to which the server never responds, until the time for it is over. */
async function refusedBySilence(via: string) {
  server.stalled = 0;
  const sending = mailer.send(plain(), via);
  await eventually(
    async () => server.stalled,
    (count) => count === 1,
  );
  clock.pass(60_000);
  return (await sending).refused;
}

const mailbox = () => createMailbox(app, mailboxAt(server));

describe('a server that falls silent', () => {
  it('at the recipient is reported with its cause, and the share of the hourly limit is returned', async () => {
    const { id, name } = await mailbox();
    server.atRecipient = () => 'stall';
    expect(await refusedBySilence(name)).toEqual({
      code: 'mail-timeout',
      status: 504,
      message: expect.stringMatching(/^[^\n]*did not respond in time[^\n]*$/),
    });
    expect(server.received).toEqual([]);
    expect((await shown(app, id)).sentCount).toBe(0);
  });

  it('after the mail leaves its fate open, so it counts', async () => {
    const { id, name } = await mailbox();
    server.atMail = 'stall';
    expect(await refusedBySilence(name)).toMatchObject({
      code: 'mail-timeout',
      message: expect.stringMatching(/The mail may nevertheless have been sent\.$/),
    });
    expect((await shown(app, id)).sentCount).toBe(1);
  });
});

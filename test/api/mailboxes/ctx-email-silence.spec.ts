// Engines: one process, and several.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
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

/** Long enough for a busy machine to answer the steps that the server does answer. */
const silenceMs = 4_000;

let app: TestApp;
let server: MailServerForTests;
let mailer: Mailer;
beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  app = await startApp({ environment: allowingLoopback, replacements: [mailOfTests({ silenceMs })] });
  mailer = await Mailer.of(app);
});
afterAll(async () => {
  await app.close();
  await server.close();
});
afterEach(() => server.willing());

const mailbox = () => createMailbox(app, mailboxAt(server));

describe('a server that falls silent', () => {
  it('at the recipient is reported with its cause, and the share of the hourly limit is returned', async () => {
    const { id, name } = await mailbox();
    server.atRecipient = () => 'stall';
    const { refused } = await mailer.send(plain(), name);
    expect(refused).toEqual({
      code: 'mail-timeout',
      status: 504,
      message: expect.stringMatching(/^[^\n]*was silent for too long[^\n]*$/),
    });
    expect(server.received).toEqual([]);
    expect((await shown(app, id)).sentCount).toBe(0);
  });

  it('after the mail leaves its fate open, so it counts', async () => {
    const { id, name } = await mailbox();
    server.atMail = 'stall';
    const { refused } = await mailer.send(plain(), name);
    expect(refused).toMatchObject({
      code: 'mail-timeout',
      message: expect.stringMatching(/The mail may have gone all the same\.$/),
    });
    expect((await shown(app, id)).sentCount).toBe(1);
  });
});

// Second tier.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/mail/free-port.js';
import { hooked } from '../../support/mail/mailhooks.js';
import { mailOf, ordinary } from '../../support/mail/mails.js';
import { deliver, SmtpClient } from '../../support/mail/smtp-client.js';

describe('the limits of the mail server', () => {
  let app: TestApp;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    app = await startApp({
      environment: {
        SMTP_IN_PORT: String(port),
        SMTP_IN_CLIENT_RATE: '5',
        SMTP_IN_HOOK_RATE: '2',
      },
    });
  });
  afterAll(() => app.close());

  it('defer excessive mails of one mailhook, and then those of the client', async () => {
    const [one, two] = [await hooked(app, 'return 1'), await hooked(app, 'return 1')];
    const send = async (to: string) => (await deliver(port, to, mailOf(ordinary()))).slice(0, 9);
    const answers = [];
    for (const { address } of [one, one, one, two, two, two]) answers.push(await send(address));
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual(['250', '250', '451', '250', '250', '451']);
  });

  it('defer a client with too many connections', async () => {
    const open = await Promise.all(Array.from({ length: 50 }, () => SmtpClient.to(port)));
    await expect(SmtpClient.to(port)).rejects.toThrow(/^421/);
    for (const one of open) one.close();
    await eventually(
      () =>
        SmtpClient.to(port).then(
          (one) => one.close(),
          () => 'refused',
        ),
      (answer) => answer !== 'refused',
    );
  });
});

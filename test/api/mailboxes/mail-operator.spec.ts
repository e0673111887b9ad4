import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import {
  allowingLoopback,
  answering,
  createMailbox,
  Mailer,
  mailboxAt,
  mailer,
  password,
  plain,
} from '../../support/mail/mailboxes.js';
import { done } from '../../support/people.js';

describe('a mail server at an address that is not public', () => {
  let app: TestApp;
  let server: MailServerForTests;
  beforeAll(async () => {
    [app, server] = [await startApp(), await MailServerForTests.start({ password })];
  });
  afterAll(async () => {
    await app.close();
    await server.close();
  });

  it.each(['127.0.0.1', 'localhost', '10.0.0.1', '169.254.169.254', '::1', '0x7f000001'])(
    'is not contacted at %s, and the answer names the setting that permits it',
    async (host) => {
      const { id, name } = await createMailbox(app, mailboxAt(server, { host }));
      const told = await done(app, 'automations/testMailAccount', { id });
      expect(told).toEqual({
        ok: false,
        error: expect.stringMatching(/; the operator can allow it with EGRESS_ALLOW\.$/),
      });
      const { refused } = await (await Mailer.of(app)).send(plain(), name);
      expect(refused).toMatchObject({ status: 403, code: 'mail-address', message: told.error });
      expect(server.connections).toBe(0);
    },
  );
});

describe('a mail server without STARTTLS', () => {
  let server: MailServerForTests;
  beforeAll(async () => {
    server = await MailServerForTests.start({ password, security: 'none' });
  });
  afterAll(() => server.close());

  it('is refused, and the answer names the setting that permits it', async () => {
    const app = await startApp({ environment: allowingLoopback });
    const { id } = await createMailbox(app, mailboxAt(server));
    const { ok, error } = await done(app, 'automations/testMailAccount', { id });
    expect([ok, error]).toEqual([false, expect.stringContaining('SMTP_PLAINTEXT_ALLOW')]);
    expect(server.passwords).toEqual([]);
    await app.close();
  });

  it('is used if the operator lists it', async () => {
    const environment = { ...allowingLoopback, SMTP_PLAINTEXT_ALLOW: 'mailcatcher,127.0.0.1' };
    const app = await startApp({ environment });
    const { id } = await createMailbox(app, mailboxAt(server));
    expect(await done(app, 'automations/testMailAccount', { id, to: 'ada@example.org' })).toEqual({ ok: true });
    expect(server.last).toMatchObject({ secure: false, to: ['ada@example.org'] });
    await app.close();
  });
});

describe('a secret of a function that sends mail', () => {
  const value = 'the-value-of-the-secret';
  let app: TestApp;
  let server: MailServerForTests;
  let box = '';
  beforeAll(async () => {
    server = await MailServerForTests.start({ password, security: 'none' });
    app = await startApp({ environment: { ...allowingLoopback, SMTP_PLAINTEXT_ALLOW: '127.0.0.1' } });
    box = (await createMailbox(app, mailboxAt(server))).name;
    await done(app, 'automations/setEnvVar', { name: 'PAY_KEY', value, allowedHosts: ['127.0.0.1'] });
  });
  afterAll(async () => {
    await app.close();
    await server.close();
  });

  async function told(mail: string) {
    const id = await mailer(app, answering(`ctx.email.sendVia(${JSON.stringify(box)}, ${mail})`));
    const secrets = [{ name: 'PAY_KEY', hosts: ['127.0.0.1'] }];
    await approved(app, await app.call('automations/setFunctionSecrets', { id, secrets }));
    return (await done(app, 'automations/invokeFunction', { id })).result;
  }

  it.each([
    ['as the text', "{ to: 'a@example.org', subject: 's', text: ctx.secrets.ref('PAY_KEY') }"],
    ['in a text', "{ to: 'a@example.org', subject: 's', text: 'key: ' + ctx.secrets.ref('PAY_KEY') }"],
    [
      'in an attachment',
      "{ to: 'a@example.org', subject: 's', text: 't', attachments: [{ filename: 'a', content: ctx.secrets.ref('PAY_KEY') }] }",
    ],
  ])('is in no mail by its marker, %s', async (_, mail) => {
    const before = server.connections;
    expect((await told(mail)).refused).toMatchObject({ status: 400, code: 'secret-in-mail' });
    expect(server.connections).toBe(before);
  });

  it("is hidden in the mail server's replies", async () => {
    server.atRecipient = () => `550 5.1.1 it knows ${value}`;
    const { refused } = await told("{ to: 'a@example.org', subject: 's', text: 't' }");
    expect(refused.message).toContain("The server's message: it knows ***");
    server.willing();
  });
});

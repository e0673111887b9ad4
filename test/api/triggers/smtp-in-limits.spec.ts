// Second tier.
import { globSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkspaceCreator } from '../../../src/areas/workspace/workspace/create-workspace.api.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/mail/free-port.js';
import { hooked } from '../../support/mail/mailhooks.js';
import { mailOf, ordinary } from '../../support/mail/mails.js';
import { deliver, SmtpClient, stuffed } from '../../support/mail/smtp-client.js';

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

describe('the limit of files a day', () => {
  let app: TestApp;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    app = await startApp({ environment: { SMTP_IN_PORT: String(port), WORKSPACE_DAY_FILES_MB: '1' } });
  });
  afterAll(() => app.close());

  const rawFiles = () => globSync('blobs/inbound-mail/**/mail_*', { cwd: app.dataDir });
  const large = () => mailOf(ordinary(), `${'a'.repeat(70)}\r\n`.repeat(10_000));
  const otherWorkspace = async (): Promise<TestApp> => {
    const input = { name: 'Other', ownerName: 'Olga', ownerEmail: 'olga@example.org' };
    const { ownerKey } = await app.app.get(WorkspaceCreator, { strict: false }).found(input);
    return { ...app, call: (operation, body) => app.call(operation, body, ownerKey) };
  };

  it('puts off mail to a workspace that has used it up, and stores that to others', async () => {
    const [full, other] = [await hooked(app, 'return 1'), await hooked(await otherWorkspace(), 'return 1')];
    expect(await deliver(port, full.address, large())).toMatch(/^250/);
    const client = await SmtpClient.to(port);
    expect(await client.upToText([full.address, other.address])).toMatch(/^354/);
    expect(await deliver(port, full.address, large())).toMatch(/^250/);
    client.send(stuffed(large()));
    expect(await client.says('.')).toMatch(/^452/);
    expect(await deliver(port, full.address, large())).toMatch(/^452/);
    expect(rawFiles()).toHaveLength(2);

    await client.says('MAIL FROM:<ada@example.com>');
    expect(await client.says(`RCPT TO:<${full.address}>`)).toMatch(/^452/);
    expect(await client.says(`RCPT TO:<${other.address}>`)).toMatch(/^250/);
    expect(await client.says('DATA')).toMatch(/^354/);
    client.send(stuffed(large()));
    expect(await client.says('.')).toMatch(/^250/);
    client.close();
    expect(rawFiles()).toHaveLength(3);
  });
});

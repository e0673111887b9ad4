// Engines: one process, and several.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { mailboxAt, password, shown } from '../../support/mail/mailboxes.js';
import { keyOf, person } from '../../support/people.js';
import { onSeveral } from '../../support/shared-app.js';
import { sharedOutside } from '../../support/shared-outside.js';

let app: TestApp;
let server: MailServerForTests;
beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  app = await sharedOutside({ several: onSeveral });
});
afterAll(async () => {
  await app.close();
  await server.close();
});
afterEach(() => server.willing());

const create = (more: object = {}, key?: string) =>
  app.call('automations/createMailAccount', mailboxAt(server, more), key);
const update = (id: string, more: object, key?: string) =>
  app.call('automations/updateMailAccount', { id, ...more }, key);
const remove = (id: string, key?: string) => app.call('automations/deleteMailAccount', { id }, key);
const test = (id: string, more: object = {}, key?: string) =>
  app.call('automations/testMailAccount', { id, ...more }, key);

async function refused(reply: ReturnType<typeof create>, status: number, code: string) {
  const { status: got, body } = await reply;
  expect({ status: got, code: body.code }).toEqual({ status, code });
  return body;
}

describe('testMailAccount', () => {
  it('does not find a deleted mailbox', async () => {
    const { id } = (await create()).body;
    await remove(id);
    await refused(test(id), 404, 'mail-account-not-found');
  });

  it('signs in without sending, and marks the mailbox as verified', async () => {
    const { id } = (await create()).body;
    const [logins, mails] = [server.logins, server.received.length];
    expect((await test(id)).body).toEqual({ ok: true });
    expect([server.logins, server.received.length]).toEqual([logins + 1, mails]);
    expect(await shown(app, id)).toMatchObject({ verified: true, lastError: null, sentCount: 0 });
  });

  it('with to sends a real mail there, which counts like any other', async () => {
    const { id, name } = (await create({ hourlyLimit: 1 })).body;
    expect((await test(id, { to: 'ada@example.org' })).body).toEqual({ ok: true });
    expect(server.last).toMatchObject({ to: ['ada@example.org'], mail: { subject: `Test of the mailbox ${name}` } });
    expect((await shown(app, id)).sentCount).toBe(1);
    const { headers, body, status } = await test(id, { to: 'ada@example.org' });
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'mailbox-hourly-limit' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_500);
    expect(await shown(app, id)).toMatchObject({ verified: true, sentCount: 1 });
  });

  it('answers 200 with the reason of a failure, and stores it', async () => {
    const { id } = (await create({ password: 'wrong' })).body;
    const { status, body } = await test(id);
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: false,
      error: expect.stringMatching(/does not accept this username and password \(535/),
    });
    expect(await shown(app, id)).toMatchObject({ verified: false, lastError: body.error });
    await update(id, { password });
    expect((await test(id)).body).toEqual({ ok: true });
    expect(await shown(app, id)).toMatchObject({ verified: true, lastError: null });
  });

  it('reports a refused recipient', async () => {
    const { id } = (await create()).body;
    server.atRecipient = () => '550 5.1.1 unknown';
    expect((await test(id, { to: 'ada@example.org' })).body.error).toMatch(/refused every recipient \(550 5\.1\.1\)/);
    expect((await shown(app, id)).sentCount).toBe(0);
  });

  it('works for a mailbox that is switched off', async () => {
    const { id } = (await create()).body;
    await update(id, { isActive: false });
    expect((await test(id)).body).toEqual({ ok: true });
  });

  it.each([
    ['host', { host: 'localhost', password }],
    ['port', { port: 1, password }],
    ['secure', { secure: true }],
    ['username', { username: 'other', password }],
    ['password', { password: 'other' }],
    ['fromAddress', { fromAddress: 'other@example.com' }],
  ])('has its result deleted when %s changes', async (_, more) => {
    const { id } = (await create()).body;
    await test(id);
    expect((await update(id, more)).body.verified).toBe(false);
  });

  it('keeps its result when the name, the limit or the names in mails change', async () => {
    const { id, name } = (await create()).body;
    await test(id);
    const more = { name: `${name}!`, hourlyLimit: 3, fromName: 'x', replyTo: 'a@example.com', isActive: false };
    expect((await update(id, more)).body.verified).toBe(true);
  });

  it('refuses an invalid recipient', async () => {
    const { id } = (await create()).body;
    for (const to of ['ada', 'a@b.c, d@e.f', 'a@b.c\r\nRCPT TO:<eve@example.org>'])
      await refused(test(id, { to }), 400, 'mail-invalid');
  });
});

describe('a stored password', () => {
  let elsewhere: MailServerForTests;
  const keys = new Map<string, string | undefined>();
  beforeAll(async () => {
    elsewhere = await MailServerForTests.start({ password });
    const editor = await person(app, 'editor', ['mailboxes.manage']);
    keys.set('the Owner', undefined);
    keys.set('an Editor who manages mailboxes', editor.key);
    keys.set('an AI client of theirs', await keyOf(app, { kind: 'connection', memberId: editor.id }));
  });
  afterAll(() => elsewhere.close());

  it.each(['the Owner', 'an Editor who manages mailboxes', 'an AI client of theirs'])(
    'is not sent to another server set by %s, who does not enter it again',
    async (who) => {
      const key = keys.get(who);
      const { id } = (await create()).body;
      const before = await shown(app, id);
      const changes = [{ port: elsewhere.port }, { host: 'localhost' }, { host: 'localhost', port: elsewhere.port }];
      for (const more of [...changes, { username: 'eve@example.org' }]) {
        const { errors, detail } = await refused(update(id, more, key), 400, 'mail-account-password-needed');
        expect(errors).toEqual([
          { path: 'password', message: expect.stringMatching(/send the password again in the same call/) },
        ]);
        expect(detail).toMatch(/send the password again in the same call/);
      }
      expect(await shown(app, id)).toEqual(before);
      await test(id, {}, key);
      expect(elsewhere.connections).toBe(0);
    },
  );

  it('is not sent with less protection than it was entered for', async () => {
    const { id } = (await create({ secure: true, port: 465 })).body;
    await refused(update(id, { secure: false, port: 465 }), 400, 'mail-account-password-needed');
    await refused(update(id, { secure: false }), 400, 'mail-account-password-needed');
    expect((await update(id, { secure: false, port: 465, password })).body.secure).toBe(false);
  });

  it('is retained by every other change, also one that repeats the server', async () => {
    const { id, port } = (await create()).body;
    const same = { host: '127.0.0.1', port, secure: false, username: mailboxAt(server).username };
    const more = { fromName: 'x', fromAddress: 'other@example.com', replyTo: 'a@example.com', hourlyLimit: 3 };
    expect((await update(id, { ...same, ...more, isActive: false, isDefault: true })).status).toBe(200);
    expect((await test(id)).body).toEqual({ ok: true });
  });

  it('that is entered again goes to the new server', async () => {
    const { id } = (await create()).body;
    expect((await update(id, { port: elsewhere.port, password })).status).toBe(200);
    expect((await test(id)).body).toEqual({ ok: true });
    expect(elsewhere.passwords).toEqual([password]);
  });
});

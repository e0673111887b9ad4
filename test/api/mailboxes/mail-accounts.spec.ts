// Engines: one process, and several.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Vault } from '../../../src/ports/vault.port.js';
import type { TestApp } from '../../support/app.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { createMailbox, Mailer, mailboxAt, password, plain, shown } from '../../support/mail/mailboxes.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
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
const list = (key?: string) => done(app, 'automations/listMailAccounts', {}, key);
const defaults = async () => (await list()).filter((one: { isDefault: boolean }) => one.isDefault);

async function refused(reply: ReturnType<typeof create>, status: number, code: string) {
  const { status: got, body } = await reply;
  expect({ status: got, code: body.code }).toEqual({ status, code });
  return body;
}

async function clear() {
  for (const { id } of await list()) await remove(id);
}

const safe = [
  'fromAddress',
  'fromName',
  'hourlyLimit',
  'id',
  'isActive',
  'isDefault',
  'name',
  'sentCount',
  'site',
  'verified',
];
const managers = ['host', 'lastError', 'port', 'replyTo', 'secure', 'username'];

describe('createMailAccount', () => {
  it('answers the mailbox with its defaults, and never its password', async () => {
    const { body, status } = await app.call('automations/createMailAccount', {
      name: 'News',
      fromAddress: 'news@EXAMPLE.com',
      host: 'SMTP.example.com',
      username: 'news',
      password,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^mailbox_/),
      name: 'News',
      site: null,
      fromAddress: 'news@example.com',
      fromName: '',
      replyTo: '',
      host: 'smtp.example.com',
      port: 465,
      secure: true,
      username: 'news',
      verified: false,
      lastError: null,
      isDefault: true,
      isActive: true,
      sentCount: 0,
      hourlyLimit: 200,
    });
    expect(await shown(app, body.id)).toEqual(body);
    await clear();
  });

  it('accepts port 587 with secure false', async () => {
    const { port: _, ...input } = mailboxAt(server);
    expect((await done(app, 'automations/createMailAccount', input)).port).toBe(587);
  });

  it.each([
    ['name', ''],
    ['name', 'a'.repeat(201)],
    ['name', 'two\nlines'],
    ['fromAddress', 'nobody'],
    ['fromAddress', 'a@b.c\r\nBcc: eve@example.org'],
    ['fromName', 'Eve\r\nBcc: eve@example.org'],
    ['replyTo', 'a@b.c, d@e.f'],
    ['host', 'smtp.example.com:25'],
    ['host', ''],
    ['port', 0],
    ['port', 65_536],
    ['port', 1.5],
    ['secure', 'yes'],
    ['username', ''],
    ['password', ''],
    ['password', 'a'.repeat(1_001)],
    ['password', 'zero\0byte'],
    ['hourlyLimit', 0],
    ['hourlyLimit', 1_000_001],
    ['isDefault', 1],
    ['projectId', null],
    ['colour', 'red'],
  ])('refuses the %s %j by its name', async (path, value) => {
    const { errors } = await refused(create({ [path]: value }), 400, 'invalid-input');
    expect(errors).toMatchObject([{ path }]);
  });

  it.each(['name', 'fromAddress', 'host', 'username', 'password'])('requires %s', async (path) => {
    const { errors } = await refused(create({ [path]: undefined }), 400, 'invalid-input');
    expect(errors).toMatchObject([{ path }]);
  });

  it('refuses a site of another workspace', async () => {
    await refused(create({ projectId: 'site_none' }), 404, 'site-not-found');
  });
});

describe('the default mailbox', () => {
  it('is the first one, until another becomes it, and there is never a second', async () => {
    await clear();
    const first = (await create()).body;
    const second = (await create()).body;
    expect((await defaults()).map(({ id }: { id: string }) => id)).toEqual([first.id]);
    expect((await update(second.id, { isDefault: true })).body.isDefault).toBe(true);
    expect((await defaults()).map(({ id }: { id: string }) => id)).toEqual([second.id]);
    const third = (await create({ isDefault: true })).body;
    expect((await defaults()).map(({ id }: { id: string }) => id)).toEqual([third.id]);
  });

  it('is one of many that become it at once', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => create({ isDefault: true })));
    expect(await defaults()).toHaveLength(1);
    await Promise.all(made.map(({ body }) => update(body.id, { isDefault: true })));
    expect(await defaults()).toHaveLength(1);
  });

  it('is gone after it was unset or deleted, and then the next created one', async () => {
    const [one] = await defaults();
    await update(one.id, { isDefault: false });
    expect(await defaults()).toEqual([]);
    const next = (await create()).body;
    expect((await defaults()).map(({ id }: { id: string }) => id)).toEqual([next.id]);
    await remove(next.id);
    expect(await defaults()).toEqual([]);
  });

  it('is used by ctx.email.send', async () => {
    const other = await MailServerForTests.start({ password });
    const mailer = await Mailer.of(app);
    const [here, there] = [await createMailbox(app, mailboxAt(server)), await createMailbox(app, mailboxAt(other))];
    for (const [{ id }, at] of [
      [here, server],
      [there, other],
    ] as const) {
      await update(id, { isDefault: true });
      const before = at.received.length;
      expect((await mailer.send(plain())).sent).toBeDefined();
      expect(at.received.length).toBe(before + 1);
    }
    await other.close();
  });
});

describe('updateMailAccount', () => {
  it('changes what is sent and leaves the rest', async () => {
    const { body: before } = await create({ fromName: 'Old' });
    const { body } = await update(before.id, { fromName: 'New', hourlyLimit: 5, replyTo: 'desk@example.com' });
    expect(body).toEqual({ ...before, fromName: 'New', hourlyLimit: 5, replyTo: 'desk@example.com' });
  });

  it('keeps the password if none is sent, and accepts a new one', async () => {
    const { id } = (await create()).body;
    await update(id, { fromName: 'x' });
    expect((await test(id)).body).toEqual({ ok: true });
    await update(id, { password: 'another one' });
    expect((await test(id)).body).toMatchObject({ ok: false });
    await update(id, { password });
    expect((await test(id)).body).toEqual({ ok: true });
  });

  it('destroys a replaced password, and that of a deleted mailbox', async () => {
    const held = async () => {
      const names: string[] = [];
      for await (const { name } of app.app.get(Vault, { strict: false }).sealedEntries())
        if (name.startsWith('mail-password/')) names.push(name);
      return names;
    };
    const before = await held();
    const { id } = (await create()).body;
    const first = (await held()).filter((name) => !before.includes(name));
    expect(first).toHaveLength(1);
    await update(id, { password: 'a new one' });
    const second = (await held()).filter((name) => !before.includes(name));
    expect(second).toHaveLength(1);
    expect(second).not.toEqual(first);
    await remove(id);
    expect(await held()).toEqual(before);
    // The password of a refused mailbox must not be stored either.
    const { name } = (await create()).body;
    const kept = await held();
    await refused(create({ name }), 409, 'mail-account-name-taken');
    expect(await held()).toEqual(kept);
  });

  it('refuses a name that is taken, an unknown mailbox and another workspace’s', async () => {
    const [one, two] = [(await create()).body, (await create()).body];
    await refused(update(one.id, { name: two.name }), 409, 'mail-account-name-taken');
    expect((await update(one.id, { name: one.name })).status).toBe(200);
    await refused(update('mailbox_none', { name: 'x' }), 404, 'mail-account-not-found');
    const { ownerKey } = await otherWorkspace(app);
    await refused(update(one.id, { name: 'x' }, ownerKey), 404, 'mail-account-not-found');
    await refused(remove(one.id, ownerKey), 404, 'mail-account-not-found');
    await refused(test(one.id, {}, ownerKey), 404, 'mail-account-not-found');
    expect(await list(ownerKey)).toEqual([]);
  });
});

describe('a mailbox of one site', () => {
  let shop: string;
  let blog: string;
  beforeAll(async () => {
    shop = (await done(app, 'site/createProject', { name: 'Shop' })).id;
    blog = (await done(app, 'site/createProject', { name: 'Blog' })).id;
  });

  it('shows its site, and null unbinds it', async () => {
    const { body } = await create({ projectId: shop });
    expect(body.site).toEqual({ id: shop, name: 'Shop' });
    expect((await update(body.id, { fromName: 'x' })).body.site).toEqual({ id: shop, name: 'Shop' });
    expect((await update(body.id, { projectId: null })).body.site).toBeNull();
    await refused(update(body.id, { projectId: 'proj_none' }), 404, 'site-not-found');
  });

  it('is listed for its site and no other, with those of no site', async () => {
    const [bound, free] = [(await create({ projectId: shop })).body, (await create()).body];
    const ids = async (projectId: string) =>
      (await done(app, 'automations/listMailAccounts', { projectId })).map(({ id }: { id: string }) => id);
    expect(await ids(shop)).toEqual(expect.arrayContaining([bound.id, free.id]));
    expect(await ids(blog)).toContain(free.id);
    expect(await ids(blog)).not.toContain(bound.id);
    await refused(app.call('automations/listMailAccounts', { projectId: 'proj_none' }), 404, 'site-not-found');
  });

  it('is refused to a function that acts for no site, and nothing is sent', async () => {
    const { name } = (await create({ projectId: shop, isDefault: true })).body;
    const mailer = await Mailer.of(app);
    const before = server.connections;
    expect((await mailer.send(plain(), name)).refused).toMatchObject({ status: 403, code: 'mailbox-of-another-site' });
    expect((await mailer.send(plain())).refused).toMatchObject({ status: 403, code: 'needsMailbox' });
    expect(server.connections).toBe(before);
  });
});

describe('rights to mailboxes', () => {
  const keys = new Map<string, string>();
  let id = '';
  beforeAll(async () => {
    id = (await create()).body.id;
    for (const role of ['admin', 'editor', 'viewer'] as const) keys.set(role, (await person(app, role)).key);
    keys.set('granted editor', (await person(app, 'editor', ['mailboxes.manage'])).key);
    keys.set('granted viewer', (await person(app, 'viewer', ['mailboxes.manage'])).key);
    const { id: memberId } = await done(app, 'workspace/getWorkspace').then(({ me }) => me);
    keys.set('readOnly', await keyOf(app, { kind: 'person', memberId, readOnly: true }));
    keys.set('neverDeletes', await keyOf(app, { kind: 'person', memberId, neverDeletes: true }));
    keys.set('automation', await keyOf(app, { kind: 'automation' }));
  });

  it.each(['admin', 'granted editor', 'granted viewer', 'readOnly', 'neverDeletes'])(
    '%s sees how the mailbox is reached',
    async (who) => {
      expect(Object.keys(await shown(app, id, keys.get(who))).sort()).toEqual([...safe, ...managers].sort());
    },
  );

  it.each(['editor', 'viewer', 'automation'])('%s sees the safe fields, and the others are absent', async (who) => {
    expect(Object.keys(await shown(app, id, keys.get(who))).sort()).toEqual(safe);
  });

  it.each([
    ['editor', 'permission-missing'],
    ['viewer', 'viewer-refused'],
    ['automation', 'permission-missing'],
    ['readOnly', 'read-only-key'],
  ])('%s can neither create, update, delete nor test one (%s)', async (who, code) => {
    const key = keys.get(who);
    for (const reply of [create({}, key), update(id, { name: 'x' }, key), remove(id, key), test(id, {}, key)])
      await refused(reply, 403, code);
  });

  it.each(['admin', 'granted editor', 'granted viewer'])('%s can create, update, test and delete one', async (who) => {
    const key = keys.get(who);
    const made = (await create({}, key)).body;
    expect((await update(made.id, { fromName: 'x' }, key)).body.host).toBe('127.0.0.1');
    expect((await test(made.id, {}, key)).body).toEqual({ ok: true });
    expect((await remove(made.id, key)).body).toEqual({ success: true });
  });

  it('a key that never deletes cannot delete one', async () => {
    await refused(remove(id, keys.get('neverDeletes')), 403, 'key-never-deletes');
  });

  it.each(['createMailAccount', 'updateMailAccount', 'deleteMailAccount', 'testMailAccount'])(
    'no function gets %s as a tool',
    async (operation) => {
      const grants = { serviceTools: [`automations_${operation}`] };
      const { errors } = await refused(
        app.call('automations/createFunction', { name: operation, code: '', grants }),
        400,
        'invalid-input',
      );
      expect(errors).toMatchObject([{ path: 'grants.serviceTools[0]' }]);
    },
  );

  it('nobody without the right to manage a mailbox reads its history either', async () => {
    const history = (key?: string) => app.call('audit/getHistory', { kind: 'mailAccount', id }, key);
    expect((await history()).status).toBe(200);
    expect((await history(keys.get('editor'))).status).not.toBe(200);
  });
});

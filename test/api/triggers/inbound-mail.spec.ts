// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { eventually } from '../../support/eventually.js';
import { hooked, mailsOf, runsOf, saidBy, settled } from '../../support/mail/mailhooks.js';
import { mailOf, mailWith, ordinary } from '../../support/mail/mails.js';
import { SmtpClient, sendMails } from '../../support/mail/smtp-client.js';
import { person } from '../../support/people.js';
import { onSeveral } from '../../support/shared-app.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

let app: OutsideApp;
/** One connection for all mails, because the server lets each new one wait for 100 ms. */
let client: SmtpClient;
beforeAll(async () => {
  app = await sharedOutside({ several: onSeveral });
  client = await SmtpClient.to(app.smtpPort);
  await app.call('workspace/updateSettings', { functionLogs: true, versions: false });
});
afterAll(async () => {
  client.close();
  await app.close();
});

const deliver = (to: string | readonly string[], raw: Uint8Array | string, from?: string) =>
  client.deliver([to].flat(), raw, from);
const saying = (what: string) => `console.log(JSON.stringify(${what}))`;

describe('a mail to a mailhook', () => {
  it('runs the target with the parsed mail as input', async () => {
    const { id, fnId, address } = await hooked(app, saying('params'));
    const raw = mailWith(
      [{ name: 'plan.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.7') }],
      ['Message-ID: <first@example.com>', 'X-Order: 7', '__proto__: polluted'],
    );
    expect(await deliver(address, raw)).toMatch(/^250 2\.\d\.\d Accepted as mail_/);
    const [mail] = await settled(app, id);
    expect(mail).toMatchObject({
      mailhookId: id,
      status: 'ok',
      error: null,
      duplicateOf: null,
      messageId: '<first@example.com>',
      from: { name: 'Ada', address: 'ada@example.com' },
      subject: 'An order',
      size: raw.length,
      receivedAt: expect.any(String),
    });
    const runs = await runsOf(app, fnId);
    expect(runs).toMatchObject([{ id: mail.runId, status: 'success', source: 'event', startedBy: 'Mailhook Orders' }]);
    const params = JSON.parse((await saidBy(app, mail.runId))[0]);
    expect(params).toMatchObject({
      messageId: '<first@example.com>',
      from: { name: 'Ada', address: 'ada@example.com' },
      to: [{ name: '', address: 'orders@example.org' }],
      cc: [],
      subject: 'An order',
      headers: { 'x-order': '7', from: 'Ada <ada@example.com>' },
      attachments: [{ name: 'plan.pdf', contentType: 'application/pdf', size: 8, fileId: `${mail.id}.0` }],
      receivedAt: mail.receivedAt,
      truncated: false,
    });
    expect(Object.keys(params.headers)).toContain('__proto__');
    expect(params.text).toContain('Two boxes, please. ✓');
    expect(params.html).toContain('<script>alert(1)</script>');
    expect(
      (await app.call('automations/listMailhooks')).body.mailhooks.find((hook: { id: string }) => hook.id === id),
    ).toMatchObject({
      receivedCount: 1,
      lastReceivedAt: mail.receivedAt,
    });
  });

  it('can be in the form of any mail client', async () => {
    const { id, address } = await hooked(app, 'return 1');
    const transport = createTransport({
      host: '127.0.0.1',
      port: app.smtpPort,
      secure: false,
      ignoreTLS: true,
      pool: true,
    });
    await transport.sendMail({ from: 'Zoë <zoe@example.com>', to: address, subject: 'Grüße', text: '.\n..\nZeile' });
    transport.close();
    const [mail] = await settled(app, id);
    expect(mail).toMatchObject({
      status: 'ok',
      subject: 'Grüße',
      from: { name: 'Zoë' },
      text: expect.stringContaining('.\n..\nZeile'),
    });
  });

  it('to several mailhooks is a mail of each', async () => {
    const [one, two] = [await hooked(app, 'return 1'), await hooked(app, 'return 2')];
    expect(await deliver([one.address, two.address, one.address.toUpperCase()], mailOf(ordinary()))).toMatch(/^250/);
    for (const { id } of [one, two]) expect(await settled(app, id)).toMatchObject([{ status: 'ok' }]);
  });

  it('that repeats one is listed as a duplicate with the run of the first, and runs nothing', async () => {
    const { id, fnId, address } = await hooked(app, 'return 1');
    const raw = mailOf(ordinary(['Message-ID: <again@example.com>']));
    for (const body of [raw, mailOf(['From: x@y.z', 'Message-ID: <again@example.com>']), raw]) {
      expect(await deliver(address, body)).toMatch(/^250/);
    }
    const [third, second, first] = await settled(app, id, 3);
    expect([third, second, first].map(({ status }) => status)).toEqual(['duplicate', 'duplicate', 'ok']);
    expect([third.runId, second.runId]).toEqual([first.runId, first.runId]);
    expect([third.duplicateOf, third.runIds]).toEqual([first.id, []]);
    expect(await runsOf(app, fnId)).toHaveLength(1);
  });

  it('without a Message-ID is a duplicate if its content is equal, but not at another mailhook', async () => {
    const [one, two] = [await hooked(app, 'return 1'), await hooked(app, 'return 1')];
    for (const text of ['one\r\n', 'one\r\n', 'two\r\n']) await deliver(one.address, mailOf(ordinary(), text));
    await deliver(two.address, mailOf(ordinary(), 'one\r\n'));
    expect((await settled(app, one.id, 3)).map((mail: { status: string }) => mail.status)).toEqual([
      'ok',
      'duplicate',
      'ok',
    ]);
    expect(await settled(app, two.id)).toMatchObject([{ status: 'ok' }]);
  });

  it('to an inactive mailhook is stored and listed, and runs nothing', async () => {
    const { id, fnId, address } = await hooked(app, 'return 1');
    await app.call('automations/updateMailhook', { id, isActive: false });
    const raw = mailOf(ordinary(['Message-ID: <inactive@example.com>']));
    expect(await deliver(address, raw)).toMatch(/^250/);
    expect(await settled(app, id)).toMatchObject([
      { status: 'skipped', error: 'The mailhook was inactive, so nothing was run.', subject: 'An order', runId: null },
    ]);
    await app.call('automations/updateMailhook', { id, isActive: true });
    // A repeated mail counts as a duplicate only if the first one was not skipped.
    await deliver(address, raw);
    expect((await settled(app, id, 2))[0]).toMatchObject({ status: 'ok' });
    expect(await runsOf(app, fnId)).toHaveLength(1);
  });

  it('for an inactive function is a failed run that says so', async () => {
    const { id, fnId, address } = await hooked(app, 'return 1');
    await app.call('automations/updateFunction', { id: fnId, isActive: false });
    await deliver(address, mailOf(ordinary()));
    const [mail] = await settled(app, id);
    expect(mail).toMatchObject({ status: 'failed', error: expect.stringContaining('target is INACTIVE') });
    expect((await runsOf(app, fnId))[0]).toMatchObject({ id: mail.runId, error: mail.error });
  });

  it('whose run fails is not lost: it is listed, and can be run again', async () => {
    const { id, fnId, address } = await hooked(app, 'throw new Error("no stock")');
    await deliver(address, mailOf(ordinary()));
    const [failed] = await settled(app, id);
    expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('no stock') });
    const { body: fn } = await app.call('automations/getFunction', { id: fnId });
    await app.call('automations/updateFunction', {
      id: fnId,
      code: `${saying('params.subject')}`,
      seenUpdatedAt: fn.updatedAt,
    });
    const { status, body } = await app.call('automations/rerunInboundEmail', { id: failed.id });
    expect(status).toBe(200);
    const [again] = await eventually(
      () => mailsOf(app, id),
      ([mail]) => mail.status === 'ok',
    );
    expect(again).toMatchObject({ id: failed.id, runId: body.runId, runIds: [failed.runId, body.runId], error: null });
    expect(await saidBy(app, body.runId)).toEqual(['"An order"']);
    expect(await runsOf(app, fnId)).toHaveLength(2);
  });

  it('can be run again only by those who may start the target themselves', async () => {
    const runBy = { pages: false, functions: [], agents: [], members: 'admins' };
    const { id, address, fnId } = await hooked(app, 'throw new Error("no")', { accessRules: { runBy } });
    await deliver(address, mailOf(ordinary()));
    const [failed] = await settled(app, id);
    const { key } = await person(app, 'editor');
    const { status, body } = await app.call('automations/rerunInboundEmail', { id: failed.id }, key);
    expect([status, body.code]).toEqual([403, 'run-not-allowed']);
    expect(await runsOf(app, fnId)).toHaveLength(1);
    expect((await app.call('automations/rerunInboundEmail', { id: failed.id })).status).toBe(200);
  });

  it('that was skipped or is a duplicate can be run by hand', async () => {
    const { id, fnId, address } = await hooked(app, 'return 1');
    await deliver(address, mailOf(ordinary(['Auto-Submitted: auto-generated'])));
    const [skipped] = await settled(app, id);
    expect(skipped.status).toBe('skipped');
    await app.call('automations/rerunInboundEmail', { id: skipped.id });
    await eventually(
      () => mailsOf(app, id),
      ([mail]) => mail.status === 'ok',
    );
    expect(await runsOf(app, fnId)).toHaveLength(1);
  });

  it('is skipped when it is a bounce, an automatic reply, from a mailhook, or goes round', async () => {
    const { id, fnId, address } = await hooked(app, 'return 1');
    const turns = Array.from({ length: 51 }, (_, at) => `Received: by h${at}`);
    const skipped = [
      [mailOf(ordinary()), '', 'a bounce or an automatic reply'],
      [mailOf(ordinary(['Auto-Submitted: auto-replied'])), undefined, 'automatic reply'],
      [mailOf(ordinary(['Precedence: auto_reply'])), undefined, 'automatic reply'],
      [mailOf(['From: Robot <in-x@mail.localhost>']), undefined, 'The sender is the address of a mailhook'],
      [mailOf(ordinary(turns)), undefined, 'more than 50'],
    ] as const;
    for (const [raw, from] of skipped) expect(await deliver(address, raw, from)).toMatch(/^250/);
    const mails = await settled(app, id, skipped.length);
    expect(mails.toReversed()).toMatchObject(
      skipped.map(([, , why]) => ({ status: 'skipped', error: expect.stringContaining(why) })),
    );
    expect(await runsOf(app, fnId)).toEqual([]);
  });

  it('is run when it is of a person, of a list, or from a domain that only looks like ours', async () => {
    const { id, address } = await hooked(app, 'return 1');
    await deliver(address, mailOf(ordinary(['Auto-Submitted: no (a person)'])));
    await deliver(address, mailOf(ordinary(['List-Id: <news.example.com>', 'Precedence: bulk'])));
    await deliver(address, mailOf(['From: a@mail.localhost.example.com', 'Subject: x']));
    expect(await settled(app, id, 3)).toMatchObject(Array(3).fill({ status: 'ok' }));
  });

  it('that cannot be parsed is stored and listed as failed, in one sentence, and runs nothing', async () => {
    const { id, fnId, address } = await hooked(app, 'return 1');
    const many = mailOf(ordinary(Array.from({ length: 10_000 }, (_, at) => `X-${at}: y`)));
    expect(await deliver(address, many)).toMatch(/^250/);
    const [mail] = await settled(app, id);
    expect(mail).toMatchObject({
      status: 'failed',
      error: 'The mail could not be parsed: It has more than 1000 headers.',
      runId: null,
      size: many.length,
    });
    expect(await runsOf(app, fnId)).toEqual([]);
    const { status, body } = await app.call('automations/rerunInboundEmail', { id: mail.id });
    expect([status, body.code]).toEqual([409, 'inbound-email-unreadable']);
  });

  it('shows no address of a mailhook in lists of mails, and is shortened there', async () => {
    const { id, address } = await hooked(app, 'return 1');
    await deliver(
      address,
      mailOf(
        [`To: ${address}`, 'From: a@b.c', `Delivered-To: ${address.toUpperCase()}`],
        `${address} ${'x'.repeat(5_000)}\r\n`,
      ),
    );
    const mails = await settled(app, id);
    expect(JSON.stringify(mails).toLowerCase()).not.toContain(address.split('@')[0]);
    expect(mails[0]).toMatchObject({ to: [{ address: 'in-…@mail.localhost' }], truncated: true });
    expect(mails[0].text.length).toBeLessThanOrEqual(2_000);
  });

  it('has one line in all fields but the text, and its files have no folders', async () => {
    const { id, address } = await hooked(app, saying('params'));
    const word = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
    const raw = mailOf(
      [
        `From: ${word('Ada\r\nBcc: all@example.com')} <ada@example.com>`,
        `Subject: ${word('An order\r\nX-Injected: 1\0')}`,
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary=b',
      ],
      [
        '--b\r\nContent-Type: text/plain\r\n\r\nTwo\tlines\r\nas sent',
        `--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename="${word('../../\0\r\nX.csv')}"`,
        '\r\na,b\r\n--b--\r\n',
      ].join('\r\n'),
    );
    await deliver(address, raw);
    const [mail] = await settled(app, id);
    const params = JSON.parse((await saidBy(app, mail.runId))[0]);
    for (const seen of [params, mail]) {
      expect(seen).toMatchObject({
        subject: 'An order X-Injected: 1',
        from: { name: 'Ada Bcc: all@example.com', address: 'ada@example.com' },
        attachments: [{ name: 'X.csv', contentType: 'text/csv', size: 3 }],
      });
      expect(seen.text).toContain('Two\tlines\nas sent');
    }
  });

  it('is listed fifty at a time by default', async () => {
    const { id, address } = await hooked(app, 'return 1');
    const names = Array.from({ length: 51 }, (_, at) => `listed-${at}`);
    expect(await sendMails(app.smtpPort, address, names, 17)).toEqual(new Set(names));
    const listed = async () => (await app.call('automations/listInboundEmails', { mailhookId: id })).body;
    expect(await eventually(listed, (mails) => mails.length >= 50)).toHaveLength(50);
    const all = async () => (await app.call('automations/listInboundEmails', { mailhookId: id, limit: 200 })).body;
    expect(await eventually(all, (mails) => mails.length >= 51)).toHaveLength(51);
  });

  it('is listed page by page, newest first', async () => {
    const { id, address } = await hooked(app, 'return 1');
    for (const subject of ['a', 'b', 'c']) await deliver(address, mailOf(['From: a@b.c', `Subject: ${subject}`]));
    await settled(app, id, 3);
    const page = async (more: object) =>
      (await app.call('automations/listInboundEmails', { mailhookId: id, ...more })).body;
    const first = await page({ limit: 2 });
    expect(first.map((mail: { subject: string }) => mail.subject)).toEqual(['c', 'b']);
    expect((await page({ limit: 2, before: first[1].id })).map((mail: { subject: string }) => mail.subject)).toEqual([
      'a',
    ]);
    expect((await app.call('automations/listInboundEmails', { mailhookId: id, before: 'mail_none' })).status).toBe(404);
    expect(await page({ limit: 200 })).toHaveLength(3);
    expect((await page({ limit: 201 })).errors).toEqual([{ path: 'limit', message: expect.stringContaining('200') }]);
    expect((await app.call('automations/listInboundEmails', { mailhookId: 'mh_none' })).status).toBe(404);
  });
});

describe('ctx.files.read', () => {
  it('returns the attachments of the mail, piece by piece', async () => {
    const code = `
      const [file] = params.attachments;
      const whole = await ctx.files.read(file.fileId);
      const piece = await ctx.files.read(file.fileId, { offset: 4, length: 3 });
      console.log(JSON.stringify({ whole, piece }));`;
    const { id, address } = await hooked(app, code);
    await deliver(address, mailWith([{ name: 'a.txt', type: 'text/plain', bytes: Buffer.from('attached') }]));
    const [mail] = await settled(app, id);
    expect(mail).toMatchObject({ status: 'ok', error: null });
    const facts = { name: 'a.txt', contentType: 'text/plain', size: 8 };
    expect(JSON.parse((await saidBy(app, mail.runId))[0])).toEqual({
      whole: { ...facts, offset: 0, base64: Buffer.from('attached').toString('base64') },
      piece: { ...facts, offset: 4, base64: Buffer.from('che').toString('base64') },
    });
  });

  it('returns nothing of another mail, nor to a run that no mail started', async () => {
    const code = `
      const tried = [];
      for (const id of params.ids ?? [params.attachments[0].fileId, params.text.trim(), 'x', '../y.0']) {
        try { await ctx.files.read(id); tried.push('read'); } catch (error) { tried.push(error.code + ' ' + error.status); }
      }
      console.log(JSON.stringify(tried)); return tried;`;
    const { id, fnId, address } = await hooked(app, code);
    const file = [{ name: 'a.txt', type: 'text/plain', bytes: Buffer.from('secret') }];
    await deliver(address, mailWith(file));
    const [first] = await settled(app, id);
    const foreign = first.attachments[0].fileId;
    const raw = mailWith(file).toString().replace('Two boxes, please. ✓', foreign);
    await deliver(address, raw);
    const [second] = await settled(app, id, 2);
    const none = 'file-not-found 404';
    expect(JSON.parse((await saidBy(app, second.runId))[0])).toEqual(['read', none, none, none]);
    const { body } = await app.call('automations/invokeFunction', {
      id: fnId,
      event: { ids: [foreign], attachments: [{ fileId: foreign }] },
    });
    expect(body.result).toEqual([none]);
  });

  it('refuses wrong options', async () => {
    const wrong = ['{ offset: -1 }', '{ length: 4000000 }', '{ size: 1 }', '7'];
    const code = `
      for (const options of [${wrong.join()}]) {
        try { await ctx.files.read(params.attachments[0].fileId, options); console.log('read'); }
        catch (error) { console.log(error.code + ' ' + error.status); }
      }`;
    const { id, address } = await hooked(app, code);
    await deliver(address, mailWith([{ name: 'a', type: 'text/plain', bytes: Buffer.from('x') }]));
    const [mail] = await settled(app, id);
    expect(await saidBy(app, mail.runId)).toEqual(wrong.map(() => 'invalid-input 400'));
  });
});

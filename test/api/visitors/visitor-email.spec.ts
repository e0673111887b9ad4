// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { createMailbox, Mailer, mailboxAt, password, plain } from '../../support/mail/mailboxes.js';
import { done } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

let clock: SettableClock;
let app: OutsideApp;
let server: MailServerForTests;
let site: SiteVisitors;
let mailbox: { readonly id: string; readonly name: string };
let made = 0;
beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  app = await sharedOutside();
  ({ clock } = app);
});
afterAll(async () => {
  await app.close();
  await server.close();
});
beforeEach(async () => {
  clock.set(Date.now());
  made += 1;
  server.willing();
  site = await siteVisitors(app);
  mailbox = await createMailbox(
    app,
    mailboxAt(server, { projectId: site.projectId, isDefault: true, fromName: 'The owner', hourlyLimit: 1_000 }),
  );
  await allow({ type: 'public', scope: 'everywhere' });
});

const allow = (send: unknown) =>
  done(app, 'site/setEmailAccessRules', { projectId: site.projectId, accessRules: send === undefined ? {} : { send } });
const to = () => `ada-${made}@example.org`;
const words = (more: object = {}) => ({ to: to(), subject: 'Hello', text: 'How are you?', ...more });
const send = (body: unknown = words(), pass?: string) => site.post('email/send', body, pass);
const brief = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];
const got = () => server.received.filter((mail) => mail.to.includes(to()));

describe('email/send', () => {
  it("sends through the site's mailbox, under the owner's identity, to one address (EM-02)", async () => {
    const { status, body } = await send(words({ html: '<b>How are you?</b>', replyTo: 'visitor@example.org' }));
    expect([status, body]).toEqual([200, { messageId: expect.stringMatching(/^<.+@example\.com>$/) }]);
    const [{ mail, from, to: recipients } = { mail: undefined, from: '', to: [] }] = got();
    expect([from, recipients]).toEqual(['robot@example.com', [to()]]);
    expect(mail?.from?.text).toBe('"The owner" <robot@example.com>');
    expect(mail?.replyTo?.text).toBe('visitor@example.org');
    expect([mail?.subject, mail?.text?.trim(), mail?.messageId]).toEqual(['Hello', 'How are you?', body.messageId]);
  });

  it('sends a template by its slug, with values as plain text', async () => {
    await done(app, 'site/createEmailTemplate', {
      projectId: site.projectId,
      name: 'Order',
      slug: 'order',
      subject: 'Order {{number}}',
      content: '<p>{{name}} ordered {{what}}</p>',
      variables: [{ name: 'what', default: 'nothing' }],
    });
    const variables = { number: '7\r\nBcc: eve@example.org', name: '<script>x</script>' };
    expect((await send({ to: to(), template: 'order', variables })).status).toBe(200);
    const [{ mail, to: recipients } = { mail: undefined, to: [] }] = got();
    expect(recipients).toEqual([to()]);
    expect(mail?.subject).toBe('Order 7 Bcc: eve@example.org');
    expect(String(mail?.html).trim()).toBe('<p>&lt;script&gt;x&lt;/script&gt; ordered nothing</p>');
  });

  it('finds no template of another site, and reveals none to visitors who may not send', async () => {
    const other = await siteVisitors(app);
    await done(app, 'site/createEmailTemplate', {
      projectId: other.projectId,
      name: 'Secret',
      slug: 'secret',
      content: 'x',
    });
    expect(brief(await send({ to: to(), template: 'secret' }))).toEqual([400, 'email-template-unknown']);
    await allow(undefined);
    expect(brief(await send({ to: to(), template: 'secret' }))).toEqual([403, 'email-send-denied']);
  });

  it.each([
    ['without rules', () => done(app, 'site/createProject', { name: 'Fresh' }), 'fresh'],
    ['with empty rules', () => allow(undefined), ''],
    ['by those who are not signed in', () => allow({ type: 'authenticated' }), ''],
    ['from elsewhere, where only the site may', () => allow({ type: 'public', scope: 'Only through this site' }), ''],
  ])('is refused %s, and nothing is sent', async (_, prepare, fresh) => {
    const { id } = await prepare();
    const path = `/api/app/${fresh === '' ? site.projectId : id}/email/send`;
    const reply = await app.send('POST', path, JSON.stringify(words()), { 'content-type': 'application/json' });
    expect(brief(reply)).toEqual([403, 'email-send-denied']);
    expect(got()).toEqual([]);
  });

  it('is open to those whom the rule admits: bans and changes of the rule apply from the next call on', async () => {
    await allow({ type: 'user_property', property: 'email', operator: 'eq', value: 'sender@example.org' });
    const { id: userId } = await site.user('sender@example.org');
    await site.user('other@example.org');
    expect(brief(await send(words(), await site.logIn('other@example.org')))).toEqual([403, 'email-send-denied']);
    const pass = await site.logIn('sender@example.org');
    expect((await send(words(), pass)).status).toBe(200);
    await done(app, 'site/updateAppUser', { projectId: site.projectId, userId, isBanned: true });
    expect(brief(await send(words(), pass))).toEqual([403, 'email-send-denied']);
    expect(got()).toHaveLength(1);
  });

  it('is closed to a user with an unverified address that the rule names', async () => {
    await allow({ type: 'user_property', property: 'email', operator: 'contains', value: '@trusted.example' });
    const signUp = { email: 'anybody@trusted.example', password: 'correct horse' };
    const { token } = (await site.post('auth/signup', signUp)).body.session;
    expect(await site.me(token)).toMatchObject({ email: 'anybody@trusted.example', emailVerified: false });
    expect(brief(await send(words(), token))).toEqual([403, 'email-send-denied']);
    await site.user('somebody@trusted.example');
    expect((await send(words(), await site.logIn('somebody@trusted.example'))).status).toBe(200);
  });

  it('does not affect ctx.email of functions (EM-01)', async () => {
    await allow(undefined);
    await createMailbox(app, mailboxAt(server, { isDefault: true }));
    const { sent } = await (await Mailer.of(app)).send(plain({ to: to() }));
    expect([sent.messageId, got().length]).toEqual([expect.any(String), 1]);
  });

  it.each([
    [{ to: 'a@b.example, c@d.example' }],
    [{ to: ['a@b.example'] }],
    [{ to: 'a@b.example\r\nBcc: eve@example.org' }],
    [{ to: 'nobody' }],
    [{ to: '' }],
    [{ to: undefined }],
    [{ subject: undefined }],
    [{ subject: 'Hi\r\nBcc: eve@example.org' }],
    [{ subject: 'Hi\u2028there\u0000' }],
    [{ replyTo: 'a@b.example, c@d.example' }],
    [{ replyTo: 'a@b.example\nBcc: eve@example.org' }],
    [{ text: undefined }],
    [{ text: 'a\u0000b' }],
    [{ text: '\ud800' }],
    [{ cc: 'eve@example.org' }],
    [{ bcc: 'eve@example.org' }],
    [{ from: 'eve@example.org' }],
    [{ fromName: 'Your bank' }],
    [{ attachments: [] }],
    [{ headers: {} }],
    [{ variables: {} }],
    [{ template: 'order' }],
    [{ template: 7 }],
  ])('refuses %j with 400', async (more) => {
    const { status, body } = await send(words(more));
    expect([status, typeof body.detail]).toEqual([400, 'string']);
    expect(server.received.some((mail) => mail.to.includes('eve@example.org'))).toBe(false);
    expect(got()).toEqual([]);
  });

  it('refuses what is too large', async () => {
    expect([400, 413]).toContain((await send(words({ text: 'ü'.repeat(200_000) }))).status);
    expect([400, 413]).toContain((await send(words({ text: 'x'.repeat(300_000) }))).status);
    expect(got()).toEqual([]);
  });

  it('requires a mailbox that the site may use', async () => {
    await done(app, 'automations/updateMailAccount', { id: mailbox.id, isActive: false });
    const { status, body } = await send();
    expect([status, body.code]).toEqual([403, 'needsMailbox']);
    expect(body.detail).not.toContain('createMailAccount');
  });

  it("observes the mailbox's hourly limit, and reveals nothing of the mailbox to visitors", async () => {
    await done(app, 'automations/updateMailAccount', { id: mailbox.id, hourlyLimit: 1 });
    expect((await send()).status).toBe(200);
    const { status, body, headers } = await send();
    expect([status, body.code]).toEqual([429, 'site-mail-limit']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(JSON.stringify(body)).not.toContain(mailbox.name);
  });

  it('reveals no fault of the mailbox to visitors', async () => {
    server.atLogin = '535 5.7.8 secret words of the server';
    const reply = await send();
    expect(brief(reply)).toEqual([503, 'site-mail-not-sent']);
    expect(JSON.stringify(reply.body)).not.toMatch(/secret words|127\.0\.0\.1/);
    server.willing();
    server.atRecipient = () => '550 5.1.1 no such user';
    expect(brief(await send())).toEqual([400, 'site-mail-recipient']);
  });

  it('lets one visitor send twenty an hour, independently of others', async () => {
    const { id } = await site.user('busy@example.org');
    expect(id).toBeTruthy();
    const [busy, other] = [await site.logIn('busy@example.org'), undefined];
    const replies = await Promise.all(Array.from({ length: 25 }, () => send(words(), busy)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(replies.filter((reply) => brief(reply)[1] === 'visitor-hourly-limit')).toHaveLength(5);
    expect((await send(words(), other)).status).toBe(200);
    clock.set(Date.now() + 3_600_000);
    expect((await send(words(), await site.logIn('busy@example.org'))).status).toBe(200);
  });

  it('accepts POST with JSON only', async () => {
    const path = `/api/app/${site.projectId}/email/send`;
    expect((await app.send('GET', path)).status).toBe(405);
    expect((await app.send('POST', path, 'to=a', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(
      415,
    );
    expect(
      (await app.send('POST', '/api/app/proj_x/email/send', '{}', { 'content-type': 'application/json' })).status,
    ).toBe(404);
  });
});

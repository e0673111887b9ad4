// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { createMailbox, mailboxAt, password } from '../../support/mail/mailboxes.js';
import { arrived } from '../../support/mail/site-mail.js';
import { done } from '../../support/people.js';
import { sharedOutside } from '../../support/shared-outside.js';

let app: TestApp;
let server: MailServerForTests;
let projectId: string;
let email: string;
let made = 0;
beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  app = await sharedOutside();
});
afterAll(async () => {
  await app.close();
  await server.close();
});
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: `Shop ${made}` })).id;
  email = `ada-${made++}@example.org`;
});

const sent = (body: object = {}) => ({ projectId, email, password: 'long enough', sendWelcomeEmail: true, ...body });
const create = (body: object = {}) => done(app, 'site/createAppUser', sent(body));

describe('createAppUser with sendWelcomeEmail', () => {
  it('without a mailbox creates the user, reports it, and stores no mail', async () => {
    const user = await create();
    expect(user).toMatchObject({ email, welcomeEmail: 'needsMailbox' });
    expect((await done(app, 'site/getAppUsers', { projectId })).total).toBe(1);
    expect((await done(app, 'site/listOutgoingMail', { projectId })).mails).toEqual([]);
  });

  it('mails the user through the mailbox that the site chose, never with the password', async () => {
    const { name } = await createMailbox(app, mailboxAt(server, { projectId, isDefault: false }));
    await done(app, 'site/updateProjectAuth', { id: projectId, authMailAccount: name });
    expect(await create({ name: 'Ada' })).toMatchObject({ name: 'Ada', welcomeEmail: 'sending' });
    const { from, mail } = await arrived(server, email);
    expect([from, mail.subject]).toEqual(['robot@example.com', `Welcome to Shop ${made - 1}`]);
    expect(mail.text).toContain('/login');
    expect(`${mail.text}${mail.html}`).not.toContain('long enough');
  });

  it('mails once, however often the call is repeated, and only users who were created', async () => {
    const { name } = await createMailbox(app, mailboxAt(server, { projectId, isDefault: false }));
    await done(app, 'site/updateProjectAuth', { id: projectId, authMailAccount: name });
    const again = () => app.call('site/createAppUser', sent(), undefined, { 'idempotency-key': `welcome-${made}` });
    const [first, second] = [await again(), await again()];
    expect([first.status, second.body]).toEqual([200, first.body]);
    expect((await app.call('site/createAppUser', sent())).status).toBe(409);
    await create({ email: `after-${email}` });
    await arrived(server, `after-${email}`);
    expect(server.received.filter(({ to }) => to.includes(email))).toHaveLength(1);
  });
});

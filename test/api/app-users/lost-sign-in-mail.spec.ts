import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let id: string;
let mailbox: { readonly id: string; readonly name: string };
let made = 0;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  made += 1;
  id = (await site()).id;
  mailbox = await newMailbox(`Robot ${made}`);
  await choose({ authMailAccount: mailbox.name });
});

const site = () => done(app, 'site/createProject', { name: `Shop ${made}` });
const newMailbox = (name: string, more: object = {}, key?: string) =>
  done(
    app,
    'automations/createMailAccount',
    { name, fromAddress: 'a@example.com', host: '127.0.0.1', port: 2525, username: 'a', password: 'pw', ...more },
    key,
  );
const choose = (auth: object, project = id) => done(app, 'site/updateProjectAuth', { id: project, ...auth });
const change = (body: object) => done(app, 'automations/updateMailAccount', { id: mailbox.id, ...body });
interface Notice {
  readonly summary: string;
  readonly target: { readonly id: string };
}
const noticesOf = async (project: string, key?: string): Promise<readonly Notice[]> =>
  (await done(app, 'approvals/listNotices', { limit: 200 }, key)).notices.filter(
    (notice: Notice) => notice.target.id === project,
  );
const told = (count = 1, project = id) =>
  eventually(
    () => noticesOf(project),
    (notices) => notices.length === count,
    30_000,
  );
/** Waits until all earlier events have been processed, by causing a notice for another site after them. */
async function allTold(): Promise<void> {
  const last = await site();
  const { id: ofLast, name } = await newMailbox(`Last ${made} ${last.id}`);
  await choose({ authMailAccount: name }, last.id);
  await done(app, 'automations/deleteMailAccount', { id: ofLast });
  await told(1, last.id);
}

describe('a site that chose a mailbox for sign-in', () => {
  it.each([
    ['is deleted', 'was deleted', () => done(app, 'automations/deleteMailAccount', { id: mailbox.id })],
    ['is switched off', 'was deactivated', () => change({ isActive: false })],
    ['gets another name', "was renamed to 'Other name'", () => change({ name: 'Other name' })],
    [
      'is given to another site',
      'is now restricted to another site',
      async () => change({ projectId: (await site()).id }),
    ],
  ])('gets a notice when it %s', async (_, why, happen) => {
    await happen();
    const [notice] = await told();
    expect(notice).toEqual({
      id: expect.stringMatching(/^no_/),
      kind: 'failure',
      summary: `Mail of sign-in goes through the platform's sender, because the mailbox '${mailbox.name}' ${why}.`,
      target: { kind: 'project', id, name: `Shop ${made}` },
      createdAt: expect.any(String),
      undo: { available: false, expiresAt: expect.any(String) },
    });
    expect((await done(app, 'site/getProject', { id })).auth.authMailAccount).toBe(mailbox.name);
  });

  it('gets one notice although the mailbox is lost in two steps, and another when it came back in between', async () => {
    await change({ isActive: false });
    await told();
    await change({ isActive: true });
    await change({ isActive: false });
    await told(2);
    await done(app, 'automations/deleteMailAccount', { id: mailbox.id });
    await allTold();
    expect(await noticesOf(id)).toHaveLength(2);
  });

  it('gets no notice of other changes of it, of other mailboxes, or of one no longer chosen', async () => {
    const other = await newMailbox(`Other ${made}`);
    await done(app, 'automations/deleteMailAccount', { id: other.id });
    await change({ fromName: 'Robot', hourlyLimit: 7 });
    await choose({ authMailAccount: null });
    await done(app, 'automations/deleteMailAccount', { id: mailbox.id });
    await allTold();
    expect(await noticesOf(id)).toEqual([]);
  });

  it('and every other site that chose it get notices, for all members but no other workspace', async () => {
    const second = await site();
    await choose({ authMailAccount: mailbox.name }, second.id);
    const { ownerKey } = await otherWorkspace(app);
    await newMailbox(mailbox.name, {}, ownerKey);
    const theirs = await done(app, 'site/createProject', { name: 'Theirs' }, ownerKey);
    await done(app, 'site/updateProjectAuth', { id: theirs.id, authMailAccount: mailbox.name }, ownerKey);
    await done(app, 'automations/deleteMailAccount', { id: mailbox.id });
    await told(1, second.id);
    const { key } = await person(app, 'viewer');
    await told();
    expect(await noticesOf(id, key)).toHaveLength(1);
    expect(await noticesOf(theirs.id, ownerKey)).toEqual([]);
  });

  it('that is deleted itself gets no notice', async () => {
    await done(app, 'site/deleteProject', { id });
    await done(app, 'automations/deleteMailAccount', { id: mailbox.id });
    await allTold();
    expect(await noticesOf(id)).toEqual([]);
  });
});

describe('a site that chose templates for sign-in', () => {
  const template = (slug: string) => done(app, 'site/createEmailTemplate', { projectId: id, name: slug, slug });
  const remove = (templateId: string) => done(app, 'site/deleteEmailTemplate', { id: templateId });

  it('gets a notice when one is deleted, with its purpose', async () => {
    const [verify, reset, unused] = [await template('verify'), await template('reset'), await template('unused')];
    await choose({ authVerifyTemplateId: verify.id, authResetTemplateId: reset.id });
    await remove(unused.id);
    await remove(verify.id);
    await told(1);
    await remove(reset.id);
    const because = (name: string) => `uses the built-in template, because the template '${name}' was deleted.`;
    expect((await told(2)).map(({ summary }) => summary)).toEqual([
      `Mail that resets passwords ${because('reset')}`,
      `Mail that verifies addresses ${because('verify')}`,
    ]);
  });

  it('gets a notice when one is deleted by the restore of a snapshot', async () => {
    const { snapshots } = await done(app, 'site/listSnapshots', { projectId: id });
    const both = await template('both');
    await choose({ authVerifyTemplateId: both.id, authResetTemplateId: both.id });
    await done(app, 'site/restoreSnapshot', { projectId: id, snapshotId: snapshots[0].id });
    const [notice] = await told();
    expect(notice?.summary).toMatch(/^Mail that verifies addresses and resets passwords uses the built-in template/);
  });

  it('gets no notice of its templates when it is deleted itself', async () => {
    const both = await template('both');
    await choose({ authVerifyTemplateId: both.id });
    await done(app, 'site/deleteProject', { id });
    await allTold();
    expect(await noticesOf(id)).toEqual([]);
  });
});

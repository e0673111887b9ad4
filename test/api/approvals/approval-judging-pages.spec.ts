// Engines: one process.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { escapedHtml } from '../../../src/kernel/text/escaped-html.js';
import type { TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { agentWith } from '../../support/automations/agents.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, otherWorkspace, type Person, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { PageClient } from '../../support/sites/page-client.js';

const evil = '<img src=x onerror=alert(1)>\u202e';
const evilShown = '&lt;img src=x onerror=alert(1)&gt;<span class="odd">U+202E</span>';

let app: TestApp;
let editor: Person;
let viewer: Person;
beforeAll(async () => {
  app = await sharedApp();
  [editor, viewer] = [await person(app, 'editor'), await person(app, 'viewer')];
  await done(app, 'automations/setEnvVar', { name: 'STRIPE_KEY', value: 'sk_1', allowedHosts: ['api.stripe.com'] });
}, 60_000);
afterAll(() => app.close());

let made = 0;
const create = async (more: object = {}, key?: string) => {
  const body = { name: `fn ${made++}`, code: 'return 1', ...more };
  const { id } = await done(app, 'automations/createFunction', body, key);
  return done(app, 'automations/updateFunction', { id, isActive: true }, key);
};
const ask = async (operation: string, body: object, key?: string) => {
  const reply = await app.call(operation, body, key);
  expect([reply.status, reply.body.detail]).toEqual([202, undefined]);
  return reply.body.pendingChange;
};
const email = (id: string, key?: string) =>
  ask('automations/setFunctionCapabilities', { id, capabilities: ['email'] }, key);
const fullAccess = ({ id, version }: { id: string; version: string }) =>
  ask('automations/setFunctionCapabilities', { id, capabilities: ['service'], seenVersion: version });
const pageOf = async (path: string, key = app.ownerKey) => {
  const client = new PageClient(app);
  await client.signIn(key);
  const { status, text } = await client.get(path);
  expect(status).toBe(200);
  return text;
};
const section = (page: string, id: string) =>
  new RegExp(`<section[^>]* aria-labelledby="${id}">[\\s\\S]*?</section>`).exec(page)?.[0] ?? '';

describe('the page of a pending card', () => {
  it('states the consequences in words, and shows lists as items', async () => {
    const { id, name } = await create();
    const secrets = [{ name: 'STRIPE_KEY', hosts: ['api.stripe.com'] }];
    const card = await ask('automations/setFunctionSecrets', { id, secrets });
    const page = await pageOf(`/approvals/${card.id}`);
    expect(section(page, 'means')).toContain(`<li>&#39;${name}&#39; may send STRIPE_KEY to api.stripe.com.</li>`);
    expect(section(page, 'changes')).toContain(
      '<li class="added"><ins><span class="sign">+ new: </span><code>STRIPE_KEY</code> to <code>api.stripe.com</code></ins></li>',
    );
  });

  it('shows the code that will run, its author and what it lacks, as plain text', async () => {
    const code = `// ${evil}\nreturn ctx.secrets.ref('STRIPE_KEY')`;
    const { id } = await create({ code }, editor.key);
    const page = await pageOf(`/approvals/${(await email(id)).id}`);
    const shown = section(page, 'code');
    expect(shown).toContain(`<pre class="code" tabindex="0" aria-label="Code">// ${evilShown}\nreturn ctx.`);
    expect(shown).toMatch(/Version 1, already live<\/span> <span>written by <bdi>The editor \d+<\/bdi><\/span>/);
    expect(section(page, 'means')).toContain('The code uses the secret STRIPE_KEY');
    expect(page).not.toContain('<img src=x');
  });

  it('shows what starts it, what it holds already, and its last runs', async () => {
    const { id } = await create({ code: `throw new Error('${evil.slice(0, -1)}')` });
    await done(app, 'automations/createWebhook', { functionId: id });
    const trigger = { name: evil, event: 'custom.paid', targetKind: 'account_function', targetRef: id };
    await done(app, 'accountEvents/addEventTrigger', { ...trigger, name: 'Paid' });
    await approved(app, await app.call('automations/setFunctionCapabilities', { id, capabilities: ['env'] }));
    await app.call('automations/invokeFunction', { id });
    const card = await ask('automations/setFunctionCapabilities', { id, capabilities: ['env', 'email'] });
    const page = await pageOf(`/approvals/${card.id}`);
    expect(section(page, 'starts')).toContain('A webhook, for anyone who has its link');
    expect(section(page, 'starts')).toContain('The event custom.paid, by the trigger &#39;Paid&#39;');
    expect(section(page, 'holds')).toContain('<code>env</code>');
    expect(section(page, 'runs')).toContain('<span class="status">failed</span>');
    expect(page).not.toContain('<img src=x');
  });

  it('leaves out what the reader may not see', async () => {
    const { id } = await create();
    await done(app, 'automations/createWebhook', { functionId: id });
    const card = await email(id);
    const page = await pageOf(`/approvals/${card.id}`, viewer.key);
    expect(section(page, 'starts')).not.toContain('webhook');
    expect(section(page, 'code')).toContain('return 1');
  });

  it('tells readers that they requested it themselves, or are treated as the requester', async () => {
    const { id } = await create();
    const own = await email(id, editor.key);
    const yourself = 'You asked for this yourself.';
    expect(await pageOf(`/approvals/${own.id}`, editor.key)).toContain(yourself);
    expect(await pageOf(`/approvals/${own.id}`)).not.toContain(yourself);
    const { id: agentId } = await agentWith(app);
    const agent = await keyOf(app, { kind: 'agent', agentId });
    const table = await done(app, 'site/createProject', { name: 'Shop' });
    const { id: tableId } = await done(app, 'bases/createTable', { baseId: table.linkedBaseId, name: 'posts' });
    const page = await pageOf(`/approvals/${(await ask('bases/deleteTable', { id: tableId }, agent)).id}`);
    expect(page).toContain('<bdi>Scout</bdi> (AI agent of <bdi>Owner</bdi>)');
    expect(page).toContain('You are treated as having asked for this.');
    expect(page).toContain('<span class="risk deletion">Deletes</span>');
  });

  it('shows no context any more once it is decided', async () => {
    const card = await email((await create()).id);
    await done(app, 'approvals/rejectPendingChange', { id: card.id });
    const page = await pageOf(`/approvals/${card.id}`);
    for (const id of ['means', 'code', 'starts', 'holds', 'runs']) expect([id, section(page, id)]).toEqual([id, '']);
  });
});

describe('the inbox', () => {
  it('marks Full data access, the identity mode and deletions in the whole workspace', async () => {
    await done(app, 'workspace/updateSettings', { actsAsWorkspaceSwitch: false });
    const powerful = await create();
    const { id, hash } = await fullAccess(powerful);
    await done(app, 'approvals/approvePendingChange', { id, hash });
    const { updatedAt: seenUpdatedAt } = await done(app, 'automations/getFunction', { id: powerful.id });
    const { draft } = await done(app, 'automations/updateFunction', { id: powerful.id, code: '2', seenUpdatedAt });
    const published = await ask('automations/publishFunction', { id: powerful.id, versionId: draft.versionId });
    const given = await fullAccess(await create());
    const { id: agentId } = await agentWith(app);
    const agent = await keyOf(app, { kind: 'agent', agentId });
    const deleted = await ask('automations/deleteFunction', { id: (await create()).id }, agent);
    await done(app, 'workspace/updateSettings', { actsAsWorkspaceSwitch: true });
    const other = await create();
    const mode = { id: other.id, mode: 'workspace', seenVersion: other.version };
    const identity = await ask('automations/setFunctionIdentityMode', mode);
    await done(app, 'workspace/updateSettings', { actsAsWorkspaceSwitch: false });
    const plain = await email((await create()).id);
    const page = await pageOf('/approvals');
    const item = (id: string) => new RegExp(`<li class="(card[^"]*)" data-id="${id}"[\\s\\S]*?</li>`).exec(page);
    const marks = [published, given, identity, deleted, plain].map(({ id }) => {
      const [text = '', classes] = item(id) ?? [];
      return [classes, ...[...text.matchAll(/class="risk ([^"]+)"/g)].map(([, risk]) => risk)];
    });
    expect(marks).toEqual([
      ['card high', 'full-data-access'],
      ['card high', 'full-data-access'],
      ['card high', 'identity-mode'],
      ['card high', 'workspace-deletion'],
      ['card'],
    ]);
  });

  it('groups cards by what is changed', async () => {
    const [one, two] = [await create({ name: `One ${evil}` }), await create({ name: 'Two' })];
    const first = await email(one.id);
    const second = await email(two.id);
    const third = await ask('automations/setFunctionSecrets', { id: one.id, secrets: [{ name: 'STRIPE_KEY' }] });
    const page = await pageOf('/approvals');
    const own = new Set([`of-function-${one.id}`, `of-function-${two.id}`, first.id, second.id, third.id]);
    const ids = [...page.matchAll(/<li class="[^"]*" data-id="([^"]+)"/g)].map(([, id = '']) => id);
    expect(ids.filter((id) => own.has(id))).toEqual([
      `of-function-${one.id}`,
      third.id,
      first.id,
      `of-function-${two.id}`,
      second.id,
    ]);
    expect(page).toContain(`<h3>Function <bdi>One ${evilShown}</bdi></h3>`);
  });

  it('separates failures from changes made at once', async () => {
    const { id: project } = await done(app, 'site/createProject', { name: evil.slice(0, -1) });
    const mailbox = { name: 'Robot', fromAddress: 'a@example.com', host: '127.0.0.1', port: 2525 };
    const account = { ...mailbox, username: 'a', password: 'pw' };
    const { id } = await done(app, 'automations/createMailAccount', account);
    await done(app, 'site/updateProjectAuth', { id: project, authMailAccount: 'Robot' });
    await done(app, 'automations/deleteMailAccount', { id });
    const { id: functionId, name } = await create();
    await approved(
      app,
      await app.call('automations/setFunctionCapabilities', { id: functionId, capabilities: ['env'] }),
    );
    await done(app, 'automations/setFunctionCapabilities', { id: functionId, remove: ['env'] });
    const failures = () => done(app, 'approvals/listNotices', { kind: 'failure' });
    await eventually(failures, ({ notices }) => notices.length === 1, 30_000);
    const page = await pageOf('/approvals');
    const lost = 'because the mailbox &#39;Robot&#39; was deleted.';
    const taken = `The function &#39;${name}&#39; no longer has`;
    expect([section(page, 'failures').includes(lost), section(page, 'failures').includes(taken)]).toEqual([
      true,
      false,
    ]);
    expect([section(page, 'done').includes(lost), section(page, 'done').includes(taken)]).toEqual([false, true]);
    expect(section(page, 'failures')).not.toMatch(/<form|undone/);
  });

  it('shows who deleted something, and why that cannot be undone', async () => {
    const { linkedBaseId: baseId } = await done(app, 'site/createProject', { name: 'Emptied' });
    const { id } = await done(app, 'bases/createTable', { baseId, name: 'gone' });
    await done(app, 'bases/deleteTable', { id }, editor.key);
    const { notices } = await done(app, 'approvals/listNotices', { kind: 'change' });
    const { undo } = notices.find(({ target }: { target: { id: string } }) => target.id === id);
    expect(undo).toMatchObject({ available: false, why: expect.stringMatching(/./) });
    const shown = section(await pageOf('/approvals'), 'done');
    expect(shown).toMatch(/<p class="meta"><span>by <bdi>The editor \d+<\/bdi><\/span> <span>on <time/);
    expect(shown).toContain(`<span>${escapedHtml(undo.why)}</span>`);
  });

  it('shows decided cards on a separate page, with their results, fifty at a time', async () => {
    const other = await otherWorkspace(app);
    const asOwner = (operation: string, body: object) => app.call(operation, body, other.ownerKey);
    const ids: string[] = [];
    for (let n = 0; n < 52; n++) {
      const fn = (await asOwner('automations/createFunction', { name: `${n}`, code: 'return 1' })).body;
      const { pendingChange } = (
        await asOwner('automations/setFunctionCapabilities', { id: fn.id, capabilities: ['email'] })
      ).body;
      ids.push(pendingChange.id);
      await asOwner('approvals/rejectPendingChange', { id: pendingChange.id });
    }
    expect(await pageOf('/approvals', other.ownerKey)).not.toContain('data-id="change_');
    const shown = async (path: string) => {
      const text = await pageOf(path, other.ownerKey);
      return { text, ids: [...text.matchAll(/data-id="(change_[^"]+)"/g)].map(([, id = '']) => id) };
    };
    const first = await shown('/approvals?show=decided');
    expect(first.text).toContain('<span class="status">Rejected</span> by <bdi>Olga</bdi>');
    expect(first.ids).toHaveLength(50);
    const older = /<a href="([^"]+)">Older approvals<\/a>/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = await shown(older);
    expect([...first.ids, ...second.ids]).toEqual(ids.toReversed());
    expect(second.text).not.toContain('Older approvals');
  });
});

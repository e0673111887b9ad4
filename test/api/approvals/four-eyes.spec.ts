import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { WorkspaceCreator } from '../../../src/areas/workspace/workspace/create-workspace.api.js';
import { ran } from '../../support/automations/agents.js';
import { done, type Person, person } from '../../support/people.js';
import { type AssistantServer, callsTools, writes } from '../../support/servers/assistant-server.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

let server: AssistantServer;
let app: OutsideApp;
let admin: Person;
let editor: Person;
let bob: Person;
beforeAll(async () => {
  app = await sharedOutside();
  ({ assistant: server } = app);
  await done(app, 'workspace/updateSettings', { fourEyes: true });
  [admin, editor, bob] = [await person(app, 'admin'), await person(app, 'editor'), await person(app, 'editor')];
});
afterAll(() => app?.close());

const keyMade = async (wanted: object, by: string): Promise<string> =>
  (await done(app, 'workspace/createApiKey', { name: 'made', ...wanted }, by)).key;

/** Creates a function as the Owner and asks for a power for it with this key. */
async function asked(key: string) {
  const { id } = await done(app, 'automations/createFunction', { name: `f ${crypto.randomUUID()}`, code: '' });
  const { status, body } = await app.call('automations/setFunctionCapabilities', { id, capabilities: ['env'] }, key);
  expect([status, body.detail]).toEqual([202, undefined]);
  return { functionId: id, card: body.pendingChange };
}

const approve = async ({ id, hash }: { id: string; hash: string }, key?: string) => {
  const { status, body } = await app.call('approvals/approvePendingChange', { id, hash }, key);
  return status === 200 ? 200 : [status, body.code];
};

const no = [403, 'four-eyes'];

it('Admins cannot approve their own request as another member, with a key that they created', async () => {
  const { functionId, card } = await asked(admin.key);
  const asBob = await keyMade({ kind: 'person', memberId: bob.id }, admin.key);
  const onceMore = await person(app, 'admin').then(({ id }) => keyMade({ kind: 'person', memberId: id }, admin.key));
  const madeWithIt = await keyMade({ kind: 'person' }, onceMore);
  for (const key of [admin.key, asBob, onceMore, madeWithIt]) expect(await approve(card, key)).toEqual(no);
  const page = await app.call('approvals/getPendingChange', { id: card.id });
  expect(page.body.status).toBe('pending');
  expect((await done(app, 'automations/getFunction', { id: functionId })).capabilities).toEqual([]);
  expect(await approve(card, bob.key)).toBe(200);
});

it('nor approve themselves a request made with such a key', async () => {
  const asBob = await keyMade({ kind: 'person', memberId: bob.id }, admin.key);
  const client = await keyMade({ kind: 'connection', memberId: bob.id }, admin.key);
  for (const key of [asBob, client]) {
    const { card } = await asked(key);
    expect(card.requestedBy.makers).toEqual([admin.id]);
    expect(await approve(card, admin.key)).toEqual(no);
    expect(await approve(card, bob.key)).toEqual(no);
    expect(await approve(card, editor.key)).toBe(200);
  }
});

it('Editors cannot put an agent behind another person, nor approve requests of agents that they created or steer', async () => {
  const { status, body } = await app.call('workspace/addAgent', { name: 'x', memberId: bob.id }, editor.key);
  expect([status, body.code]).toEqual([403, 'agent-behind-another']);

  const byAdmin = await done(app, 'workspace/addAgent', { name: 'of the Admin', memberId: bob.id }, admin.key);
  const made = await asked(await keyMade({ kind: 'agent', agentId: byAdmin.id }, app.ownerKey));
  for (const key of [admin.key, bob.key]) expect(await approve(made.card, key)).toEqual(no);
  expect(await approve(made.card, editor.key)).toBe(200);

  const ofBob = await done(app, 'workspace/addAgent', { name: "Bob's" }, bob.key);
  const itsKey = await keyMade({ kind: 'agent', agentId: ofBob.id }, app.ownerKey);
  await done(app, 'workspace/updateAgent', { id: ofBob.id, instructions: 'Ask for powers.' }, editor.key);
  const steered = await asked(itsKey);
  for (const key of [editor.key, bob.key]) expect(await approve(steered.card, key)).toEqual(no);
  expect(await approve(steered.card, admin.key)).toBe(200);
});

it('a person who runs an agent cannot approve its requests in that run', async () => {
  const { id: functionId } = await done(app, 'automations/createFunction', { name: 'wanted', code: '' });
  const tools = ['automations_setFunctionCapabilities'];
  const { id } = await done(app, 'workspace/addAgent', { name: 'runs', tools }, bob.key);
  server.plays(callsTools([tools[0] as string, { id: functionId, capabilities: ['env'] }]), writes('Asked.'));
  await ran(app, id, 'Ask for the power env.', editor.key);
  const { pendingChanges } = await done(app, 'approvals/listPendingChanges', { targetId: functionId });
  const [card] = pendingChanges;
  for (const key of [editor.key, bob.key]) expect(await approve(card, key)).toEqual(no);
  expect(await approve(card, admin.key)).toBe(200);
});

it.each(['automation', 'flow'])('the creator of a key of the kind %s cannot approve its requests', async (kind) => {
  const byAdmin = await asked(await keyMade({ kind }, admin.key));
  expect(await approve(byAdmin.card, admin.key)).toEqual(no);
  expect(await approve(byAdmin.card, editor.key)).toBe(200);
  const byOwner = await asked(await keyMade({ kind }, app.ownerKey));
  expect(await approve(byOwner.card, app.ownerKey)).toEqual(no);
  expect(await approve(byOwner.card, editor.key)).toBe(200);
});

it('a member created by an Admin, and all members created by that one, are treated as the Admin', async () => {
  const madeUp = async (by: string) => {
    const sent = { name: 'Nobody', email: `${crypto.randomUUID()}@example.com`, role: 'admin' };
    const { id } = await done(app, 'workspace/addMember', sent, by);
    return keyMade({ kind: 'person', memberId: id }, by);
  };
  const first = await madeUp(admin.key);
  const second = await madeUp(first);
  for (const [asks, approves] of [
    [admin.key, first],
    [first, admin.key],
    [first, second],
    [second, admin.key],
  ] as const) {
    const { card } = await asked(asks);
    expect(await approve(card, approves)).toEqual(no);
    expect(await approve(card, app.ownerKey)).toBe(200);
  }
});

it("keys that the Owner or the operator created for members are the members' own", async () => {
  const { workspaceId } = await done(app, 'workspace/getWorkspace').then(({ id }) => ({ workspaceId: id }));
  const { key } = await app.app
    .get(WorkspaceCreator, { strict: false })
    .createKey({ workspaceId, kind: 'person', memberId: bob.id });
  const mine = await asked(app.ownerKey);
  expect(mine.card.requestedBy.makers).toBeUndefined();
  expect(await approve(mine.card, app.ownerKey)).toEqual(no);
  expect(await approve(mine.card, key)).toBe(200);
});

it('a card names the creator of the requesting key', async () => {
  const asBob = await keyMade({ kind: 'person', memberId: bob.id }, admin.key);
  const { card } = await asked(asBob);
  expect((await done(app, 'approvals/getPendingChange', { id: card.id }, admin.key)).requestedBy).toEqual({
    kind: 'person',
    id: bob.id,
    name: expect.any(String),
    makers: [admin.id],
  });
});

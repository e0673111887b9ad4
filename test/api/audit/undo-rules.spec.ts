import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DomainEvent, Recorded } from '../../../src/kernel/event/event.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { Reply, TestApp } from '../../support/app.js';
import { activeFunction } from '../../support/automations/flows.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
}, 60_000);
afterAll(() => app?.close());

const json = { 'content-type': 'application/json' };

const last = async (kind: string, id: string) =>
  (await done(app, 'audit/getHistory', { kind, id, limit: 200 })).events.at(-1);
const undo = (position: number, key?: string): Promise<Reply> => app.call('audit/undoChange', { position }, key);
const refused = ({ status, body }: Reply) => [status, body.code];

describe('undo cannot bypass', () => {
  it('the rule for keys that never delete: they cannot undo a creation', async () => {
    const { id: memberId } = await person(app, 'editor');
    const key = await keyOf(app, { kind: 'person', memberId, neverDeletes: true });
    const id = await activeFunction(app, 'return 1');
    await done(app, 'automations/updateFunction', { id, description: 'one' });
    expect((await undo((await last('function', id)).position, key)).status).toBe(200);
    const { id: made } = await done(app, 'automations/createFunction', { name: 'Undo never', code: '' });
    expect(refused(await undo((await last('function', made)).position, key))).toEqual([403, 'key-never-deletes']);
  });

  it('a signature: a webhook whose secret was destroyed is restored inactive, and refuses deliveries when activated', async () => {
    const id = await activeFunction(app, 'return 1');
    const webhook = await done(app, 'automations/createWebhook', { functionId: id });
    const signed = { id: webhook.id, scheme: 'github', secret: 'a-long-enough-secret' };
    await done(app, 'automations/setWebhookVerification', signed);
    await done(app, 'automations/deleteFunction', { id });
    expect((await undo((await last('function', id)).position)).status).toBe(200);
    const back = await eventually(
      () => last('webhook', webhook.id),
      ({ type }) => type === 'WebhookRestored',
    );
    expect(back).toMatchObject({ data: { isActive: false, verification: { signature: { scheme: 'github' } } } });
    await done(app, 'automations/setWebhookActive', { id: webhook.id, isActive: true });
    const delivered = await app.send('POST', `/api/automations/functions/webhook/${webhook.token}`, '{}', json);
    expect([delivered.status, delivered.body.code]).toEqual([403, 'delivery-not-verified']);
  });

  it('the limits of callers: connections and code cannot use it', async () => {
    const id = await activeFunction(app, 'return 1');
    const { position } = await last('function', id);
    for (const kind of ['connection', 'automation']) {
      expect((await undo(position, await keyOf(app, { kind }))).status).toBe(403);
    }
  });

  it('the deletion of a project: records deleted in it are not restored', async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Undo gone' });
    const fn = await done(app, 'site/createBackendFunction', { projectId, name: 'inside', code: 'return 1' });
    await done(app, 'site/deleteBackendFunction', { projectId, functionId: fn.id });
    const { position } = await last('siteFunction', fn.id);
    await done(app, 'site/deleteProject', { id: projectId });
    expect((await undo(position)).status).toBe(404);
  });
});

describe('the rule of a page', () => {
  it('is restored exactly, and not as the flags closest to it', async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Undo ruled' });
    const page = { projectId, name: 'Ruled', path: '/ruled', content: '' };
    const { id: pageId } = await done(app, 'site/createPage', page);
    const signedIn = { type: 'authenticated' };
    const narrow = { read: [signedIn, signedIn] };
    const open = { read: { type: 'public', scope: 'everywhere' } };
    const rules = async () => (await done(app, 'site/getPageAccessRules', { pageId })).accessRules;
    await done(app, 'site/setPageAccessRules', { pageId, accessRules: narrow });
    await done(app, 'site/setPageAccessRules', { pageId, accessRules: open });
    const position = (await last('page', pageId)).position;
    expect((await undo(position)).body.operation).toBe('site/setPageAccessRules');
    expect(await rules()).toEqual(narrow);
    expect((await undo((await last('page', pageId)).position)).status).toBe(200);
    expect(await rules()).toEqual(open);
    await done(app, 'site/setPageAccessRules', { pageId, accessRules: { read: [signedIn] } });
    expect(refused(await undo(position))).toEqual([409, 'undo-conflict']);
  });
});

describe('undo does not restore to a page', () => {
  let projectId: string;
  let pageId: string;
  beforeAll(async () => {
    projectId = (await done(app, 'site/createProject', { name: 'Undo lost' })).id;
    const page = { projectId, name: 'Lost', path: '/lost', content: '', isProtected: true };
    pageId = (await done(app, 'site/createPage', page)).id;
  });
  const pageNow = async () => [
    await done(app, 'site/getPage', { id: pageId }),
    await done(app, 'site/getPageAccessRules', { pageId }),
  ];

  it('a role in words after it became a role: refused with the reason, and nothing changes', async () => {
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const stream = streamOf('page', workspaceId, pageId);
    const [{ metadata }] = (await app.app.get(EventStore).readStream(stream)) as readonly [Recorded<DomainEvent>];
    // Recorded as versions before roles did.
    const event = { id: randomUUID(), type: 'PageUpdated', data: { projectId, requiredRole: 'admin', message: null } };
    await app.app.get(EventStore).append([{ stream, expected: 'any', events: [{ ...event, metadata }] }]);
    await eventually(pageNow, ([{ requiredRole }]) => requiredRole === 'admin');
    await done(app, 'site/migrateProjectToRoleSystem', { projectId });
    const [{ requiredRole }] = await pageNow();
    expect(requiredRole).toMatch(/^role_/);
    const before = await pageNow();
    const { status, body } = await undo((await last('page', pageId)).position);
    expect([status, body.code]).toEqual([409, 'undo-impossible']);
    expect(body.detail).toContain('The page named a role by a text');
    expect(await pageNow()).toEqual(before);
  });

  it('its dependence on flags after it got rules: refused with the reason, and nothing changes', async () => {
    await done(app, 'site/setPageAccessRules', { pageId, accessRules: { read: { type: 'authenticated' } } });
    const before = await pageNow();
    const { status, body } = await undo((await last('page', pageId)).position);
    expect([status, body.code]).toEqual([409, 'undo-impossible']);
    expect(body.detail).toContain('followed isProtected and requiredRole');
    expect(await pageNow()).toEqual(before);
  });
});

describe('a legacy role that has since become a role', () => {
  let projectId: string;
  beforeAll(async () => {
    projectId = (await done(app, 'site/createProject', { name: 'Undo legacy' })).id;
  });
  const user = async (email: string) =>
    (await done(app, 'site/createAppUser', { projectId, email, password: 'correct horse battery', role: 'user' }))
      .id as string;
  const shown = async (userId: string) => {
    const { role, roleIds } = await done(app, 'site/getAppUser', { projectId, userId });
    return { role, roleIds };
  };
  const setRole = (userId: string, role: string) => done(app, 'site/updateAppUser', { projectId, userId, role });

  it('is not undone if the role would be deleted with it: a conflict names the role, and nothing changes', async () => {
    const userId = await user('migrated@example.com');
    await setRole(userId, 'editor');
    const { position } = await last('appUser', userId);
    await done(app, 'site/migrateProjectToRoleSystem', { projectId });
    const before = await shown(userId);
    const reply = await undo(position);
    expect(await shown(userId)).toEqual(before);
    expect(refused(reply)).toEqual([409, 'undo-conflict']);
    expect(reply.body.details.conflicts).toEqual([{ path: 'migratedRoleId', made: null, now: before.roleIds[0] }]);
  });

  it('is restored if the role was deleted with the change, and becomes a role again', async () => {
    const userId = await user('demoted@example.com');
    await setRole(userId, 'admin');
    await done(app, 'site/migrateProjectToRoleSystem', { projectId });
    const before = await shown(userId);
    await setRole(userId, 'user');
    const { events } = await done(app, 'audit/getHistory', { kind: 'appUser', id: userId });
    const { position } = events.findLast(({ type }: DomainEvent) => type === 'AppUserUpdated');
    expect((await undo(position)).status).toBe(200);
    expect(await shown(userId)).toEqual({ role: 'admin', roleIds: [] });
    await done(app, 'site/migrateProjectToRoleSystem', { projectId });
    expect(await shown(userId)).toEqual(before);
  });
});

describe('undo does not restore', () => {
  it('a trigger whose target is deleted', async () => {
    const id = await activeFunction(app, 'return 1');
    const schedule = await done(app, 'automations/createSchedule', { functionId: id, cronExpression: '0 3 * * *' });
    await done(app, 'automations/deleteSchedule', { id: schedule.id });
    const { position } = await last('schedule', schedule.id);
    await done(app, 'automations/deleteFunction', { id });
    const reply = await undo(position);
    expect([reply.status, (await last('schedule', schedule.id)).type]).toEqual([404, 'ScheduleDeleted']);
  });

  it('what a person had to approve for a function: a card asks for it again', async () => {
    const id = await activeFunction(app, 'return 1');
    await done(app, 'workspace/updateSettings', { actsAsWorkspaceSwitch: true });
    const { version: seenVersion } = await done(app, 'automations/getFunction', { id });
    const asked = await app.call('automations/setFunctionIdentityMode', { id, mode: 'workspace', seenVersion });
    const { id: card, hash } = asked.body.pendingChange;
    await done(app, 'approvals/approvePendingChange', { id: card, hash });
    expect((await done(app, 'automations/getFunction', { id })).identityMode).toBe('workspace');
    await done(app, 'automations/deleteFunction', { id });
    const reply = await undo((await last('function', id)).position);
    expect([reply.status, reply.body.waits.length]).toEqual([202, 1]);
    const back = await done(app, 'automations/getFunction', { id });
    expect([back.identityMode, back.isActive]).toEqual(['as_set_up', false]);

    await done(app, 'workspace/updateSettings', { actsAsWorkspaceSwitch: false });
    await done(app, 'automations/deleteFunction', { id });
    const again = await undo((await last('function', id)).position);
    expect([again.status, (await done(app, 'automations/getFunction', { id })).id]).toEqual([200, id]);
  });
});

it('an undone event is marked as such in getEvent and in the lists, until its undo is undone', async () => {
  const { id } = await done(app, 'automations/createFunction', { name: 'Undone', code: 'return 1;' });
  await done(app, 'automations/updateFunction', { id, description: 'wrong' });
  const changed = (await done(app, 'audit/getHistory', { kind: 'function', id })).events.at(-1);
  const { position: undoing } = (await undo(changed.position)).body;
  const answers = async () => {
    const { events: listed } = await done(app, 'audit/listEvents', { id });
    const { events: history } = await done(app, 'audit/getHistory', { kind: 'function', id });
    const one = await done(app, 'audit/getEvent', { position: changed.position });
    const own = ({ position }: { position: number }) => position === changed.position;
    return [one.undoneBy, listed.find(own).undoneBy, history.find(own).undoneBy];
  };
  const { at, actor } = await done(app, 'audit/getEvent', { position: undoing });
  const undoneBy = { position: undoing, at, by: { kind: actor.kind, id: actor.id, name: actor.name } };
  expect(await answers()).toEqual([undoneBy, undoneBy, undoneBy]);
  expect((await undo(undoing)).status).toBe(200);
  expect(await answers()).toEqual([undefined, undefined, undefined]);
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Reply, TestApp } from '../../support/app.js';
import { activeFunction } from '../../support/automations/flows.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { DryRuns } from '../../support/stores/dry-runs.js';

let app: TestApp;
let trials: DryRuns;
beforeAll(async () => {
  app = await sharedApp();
  trials = new DryRuns(app);
}, 60_000);
afterAll(() => app?.close());

const last = async (kind: string, id: string) =>
  (await done(app, 'audit/getHistory', { kind, id, limit: 200 })).events.at(-1);
const undo = (position: number, key?: string): Promise<Reply> => app.call('audit/undoChange', { position }, key);
const refused = ({ status, body }: Reply) => [status, body.code];

describe('an agent that was removed', () => {
  const removedAgent = async (wanted: object) => {
    const { id } = await done(app, 'workspace/addAgent', { name: 'Gone', ...wanted });
    await done(app, 'workspace/removeAgent', { id });
    return (await last('agent', id)).position;
  };

  it('is not restored behind a higher person, or another one, by a caller who could not add it there', async () => {
    const manager = await person(app, 'editor');
    const colleague = await person(app, 'editor');
    expect(refused(await undo(await removedAgent({}), manager.key))).toEqual([403, 'agent-above-own-role']);
    const behindColleague = await removedAgent({ memberId: colleague.id });
    expect(refused(await undo(behindColleague, manager.key))).toEqual([403, 'agent-behind-another']);
    expect((await undo(await removedAgent({ memberId: manager.id }), manager.key)).status).toBe(200);
    expect((await undo(behindColleague)).status).toBe(200);
  });

  it('is not restored behind a person who was removed', async () => {
    const { id: memberId } = await person(app, 'editor');
    const position = await removedAgent({ memberId });
    await done(app, 'workspace/removeMember', { id: memberId });
    expect((await undo(position)).status).toBe(404);
  });
});

describe('a dry run of an undo', () => {
  it('shows the card that the restoration would create, and does nothing', async () => {
    await done(app, 'automations/setEnvVar', { name: 'TRIED_KEY', value: 'x', allowedHosts: ['api.example.com'] });
    const id = await activeFunction(app, 'return 1');
    await app.call('automations/setFunctionSecrets', {
      id,
      secrets: [{ name: 'TRIED_KEY', hosts: ['api.example.com'] }],
    });
    const { pendingChanges } = await done(app, 'approvals/listPendingChanges', { status: 'pending' });
    for (const card of pendingChanges)
      await done(app, 'approvals/approvePendingChange', { id: card.id, hash: card.hash });
    await done(app, 'automations/deleteFunction', { id });
    const { position } = await last('function', id);
    const tried = await trials.of('audit/undoChange', { position });
    expect(tried.card).toMatchObject({ kind: 'function-secrets' });
    expect((await app.call('automations/getFunction', { id })).status).toBe(404);
  });

  it('reveals no more than the undo: nothing without the right, and nothing of other workspaces', async () => {
    const { key: viewer } = await person(app, 'viewer');
    const id = await activeFunction(app, 'return 1');
    await done(app, 'automations/updateFunction', { id, description: 'one' });
    const { position } = await last('function', id);
    expect((await trials.send('audit/undoChange', { position }, viewer)).status).toBe(403);
    const { ownerKey } = await otherWorkspace(app);
    expect(refused(await trials.send('audit/undoChange', { position }, ownerKey))).toEqual([404, 'resource-not-found']);
  });

  it('shows nothing of forgotten people', async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Undo people' });
    const sent = { projectId, email: 'forgotten@example.com', name: 'Zebedee', password: 'correct horse battery' };
    const { id: userId } = await done(app, 'site/createAppUser', sent);
    await done(app, 'site/updateAppUser', { projectId, userId, name: 'Zebulon' });
    const { position } = await last('appUser', userId);
    await done(app, 'site/deleteAppUser', { projectId, userId });
    const gone = (await last('appUser', userId)).position;
    await eventually(
      async () => JSON.stringify(await done(app, 'audit/getHistory', { kind: 'appUser', id: userId })),
      (text) => !text.includes('Zebulon'),
    );
    for (const one of [position, gone]) {
      for (const reply of [await trials.send('audit/undoChange', { position: one }), await undo(one)]) {
        expect(reply.status).toBe(409);
        expect(JSON.stringify(reply.body)).not.toMatch(/Zeb|forgotten@/);
      }
    }
  });

  it('names nobody who was removed among those who changed something since', async () => {
    const { id: memberId } = await done(app, 'workspace/addMember', {
      name: 'Quentin',
      email: 'quentin@example.com',
      role: 'editor',
    });
    const key = await keyOf(app, { kind: 'person', memberId });
    const id = await activeFunction(app, 'return 1');
    await done(app, 'automations/updateFunction', { id, description: 'one' });
    const { position } = await last('function', id);
    await done(app, 'automations/updateFunction', { id, description: 'two' }, key);
    await done(app, 'workspace/removeMember', { id: memberId });
    const { body } = await eventually(
      () => undo(position),
      (reply) => !JSON.stringify(reply.body).includes('Quentin'),
    );
    expect(body.details.since).toHaveLength(1);
  });
});

describe('keys with restrictions', () => {
  it('that never delete cannot delete by undoing a creation', async () => {
    const { id: memberId } = await person(app, 'admin');
    const key = await keyOf(app, { kind: 'person', memberId, neverDeletes: true });
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Undo bans' });
    const user = { projectId, email: 'banned@example.com', password: 'correct horse battery' };
    const { id: userId } = await done(app, 'site/createAppUser', user);
    await done(app, 'site/updateAppUser', { projectId, userId, isBanned: true });
    await done(app, 'site/updateAppUser', { projectId, userId, isBanned: false });
    const { position } = await last('appUser', userId);
    expect(refused(await undo(position, key))).toEqual([403, 'key-never-deletes']);
    expect((await undo(position)).status).toBe(200);
  });

  it('of agents, and read-only ones, cannot undo anything', async () => {
    const { id: agentId } = await done(app, 'workspace/addAgent', { name: 'Undoing' });
    const { id: memberId } = await person(app, 'admin');
    const id = await activeFunction(app, 'return 1');
    const { position } = await last('function', id);
    for (const wanted of [
      { kind: 'agent', agentId },
      { kind: 'person', memberId, readOnly: true },
    ]) {
      expect((await undo(position, await keyOf(app, wanted))).status).toBe(403);
    }
  });
});

describe('what only a person may approve', () => {
  it('is requested again if its removal is undone', async () => {
    await done(app, 'automations/setEnvVar', { name: 'TAKEN_KEY', value: 'x', allowedHosts: ['api.example.com'] });
    const id = await activeFunction(app, 'return 1');
    const secrets = [{ name: 'TAKEN_KEY', hosts: ['api.example.com'] }];
    const { body } = await app.call('automations/setFunctionSecrets', { id, secrets });
    await done(app, 'approvals/approvePendingChange', { id: body.pendingChange.id, hash: body.pendingChange.hash });
    await done(app, 'automations/setFunctionSecrets', { id, secrets: [] });
    const { position } = await last('function', id);
    expect((await trials.of('audit/undoChange', { position })).card).toMatchObject({ kind: 'function-secrets' });
    const reply = await undo(position);
    expect([reply.status, reply.body.waits.length]).toEqual([202, 1]);
    expect((await done(app, 'automations/getFunction', { id })).secrets).toEqual([]);
  });
});

describe('a rule added next to another', () => {
  it('is removed from a table again', async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Undo beside' });
    const { linkedBase } = await done(app, 'site/getProject', { id: projectId });
    const fields = [{ name: 'title', type: 'text' }];
    const { id: tableId } = await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'Orders', fields });
    const signedIn = { type: 'authenticated' };
    await done(app, 'bases/setTableAccessRules', { tableId, accessRules: { create: signedIn } });
    const before = (await done(app, 'bases/getTable', { id: tableId })).accessRules;
    await done(app, 'bases/setTableAccessRules', { tableId, accessRules: { create: signedIn, read: signedIn } });
    expect((await undo((await last('table', tableId)).position)).status).toBe(200);
    expect((await done(app, 'bases/getTable', { id: tableId })).accessRules).toEqual(before);
  });

  it('is restored on a function if nobody chose who runs it, and refused if that choice would be undone', async () => {
    await done(app, 'workspace/updateSettings', { versions: false });
    const { id } = await done(app, 'automations/createFunction', { name: 'Undo run by', code: 'return 1' });
    const runBy = { pages: true, functions: [], agents: 'any' };
    const before = (await done(app, 'automations/getFunction', { id })).accessRules;
    const { updatedAt: seenUpdatedAt } = await done(app, 'automations/getFunction', { id });
    await done(app, 'automations/updateFunction', { id, seenUpdatedAt, accessRules: { runBy } });
    expect((await done(app, 'automations/getFunction', { id })).accessRules).not.toEqual(before);
    const reply = await undo((await last('function', id)).position);
    expect(refused(reply)).toEqual([409, 'undo-impossible']);
    expect(reply.body.detail).toContain('accessRules.runBy');

    const { id: other } = await done(app, 'automations/createFunction', { name: 'Undo execute', code: 'return 1' });
    const seen = (await done(app, 'automations/getFunction', { id: other })).updatedAt;
    const execute = { type: 'authenticated' };
    await done(app, 'automations/updateFunction', { id: other, seenUpdatedAt: seen, accessRules: { execute } });
    expect((await undo((await last('function', other)).position)).status).toBe(200);
    expect((await done(app, 'automations/getFunction', { id: other })).accessRules).toEqual(before);
  });
});

// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

const refusal = async (operation: string, body: object, key?: string) => {
  const reply = await app.call(`workspace/${operation}`, body, key);
  return [reply.status, reply.body.code];
};

describe('addAgent', () => {
  it('puts the caller behind the agent, and permits no creation of functions', async () => {
    const editor = await person(app, 'editor');
    const agent = await done(app, 'workspace/addAgent', { name: 'Scout' }, editor.key);
    expect(agent).toEqual({
      id: expect.stringMatching(/^agent_/),
      name: 'Scout',
      memberId: editor.id,
      canCreateFunctions: false,
      grants: {},
      isActive: true,
      instructions: '',
      model: null,
      tools: [],
      asks: 'risky',
      createdAt: expect.any(String),
    });
    expect(await done(app, 'workspace/listAgents')).toEqual([agent]);
  });

  it('requires grants of the form that a function has', async () => {
    const grants = {
      bases: [{ projectId: 'p1', access: 'read' }],
      databaseIds: ['d1'],
      serviceTools: ['crm'],
    };
    const agent = await done(app, 'workspace/addAgent', {
      name: 'Rich',
      grants: { ...grants, capabilities: ['service'] },
      canCreateFunctions: true,
    });
    expect(agent).toMatchObject({ grants, canCreateFunctions: true });
    expect(agent.grants).not.toHaveProperty('capabilities');
    const key = await keyOf(app, { kind: 'agent', agentId: agent.id });
    const fn = await done(app, 'automations/createFunction', { name: 'made by an agent' }, key);
    expect(fn.grants).toEqual({ ...grants, connections: [] });
  });

  it('requires a person of this workspace behind it, with no more rights than the caller', async () => {
    const [editor, viewer] = [await person(app, 'editor'), await person(app, 'viewer')];
    const { id: ownerId } = (await done(app, 'workspace/getWorkspace')).me;
    const other = await otherWorkspace(app);
    expect(await refusal('addAgent', { name: 'x', memberId: viewer.id }, editor.key)).toEqual([
      403,
      'agent-behind-another',
    ]);
    const admin = await person(app, 'admin');
    expect(await done(app, 'workspace/addAgent', { name: 'x', memberId: viewer.id }, admin.key)).toMatchObject({
      memberId: viewer.id,
    });
    expect(await refusal('addAgent', { name: 'x', memberId: ownerId }, editor.key)).toEqual([
      403,
      'agent-above-own-role',
    ]);
    const unknown = await app.call('workspace/addAgent', { name: 'x', memberId: 'mem_none' });
    const foreign = await app.call('workspace/addAgent', { name: 'x', memberId: other.ownerId });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'member-not-found']);
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
  });
});

describe('updateAgent', () => {
  it('a connection can change it but not canCreateFunctions', async () => {
    const { id } = await done(app, 'workspace/addAgent', { name: 'Old' });
    const connection = await keyOf(app, { kind: 'connection' });
    expect(await refusal('updateAgent', { id, canCreateFunctions: true }, connection)).toEqual([
      403,
      'agent-creation-by-person',
    ]);
    expect(await done(app, 'workspace/updateAgent', { id, name: 'New' }, connection)).toMatchObject({
      canCreateFunctions: false,
    });
  });

  it('an inactive agent has no access, until it is active again', async () => {
    const { id } = await done(app, 'workspace/addAgent', { name: 'Sleeper' });
    const key = await keyOf(app, { kind: 'agent', agentId: id });
    await done(app, 'workspace/getWorkspace', {}, key);
    await done(app, 'workspace/updateAgent', { id, isActive: false });
    expect(await refusal('getWorkspace', {}, key)).toEqual([401, 'key-invalid']);
    await done(app, 'workspace/updateAgent', { id, isActive: true });
    await done(app, 'workspace/getWorkspace', {}, key);
  });
});

describe('an agent of a Viewer with granted rights', () => {
  it('has only those that an Editor has', async () => {
    const viewer = await person(app, 'viewer', ['mailboxes.manage', 'functions.edit', 'audit.read']);
    const { id: agentId } = await done(app, 'workspace/addAgent', { name: 'Modest', memberId: viewer.id });
    const { key } = await done(app, 'workspace/createApiKey', { name: 'k', kind: 'agent', agentId });
    const { permissions } = (await done(app, 'workspace/getWorkspace', {}, key)).me;
    expect(permissions).toContain('functions.edit');
    expect(permissions).not.toContain('mailboxes.manage');
    expect(permissions).not.toContain('audit.read');
  });
});

describe('removeAgent', () => {
  it('ends its keys at once and revokes them', async () => {
    const { id } = await done(app, 'workspace/addAgent', { name: 'Gone' });
    const key = await keyOf(app, { kind: 'agent', agentId: id });
    expect(await done(app, 'workspace/removeAgent', { id })).toEqual({ success: true });
    expect(await refusal('getWorkspace', {}, key)).toEqual([401, 'key-invalid']);
    await eventually(
      () => done(app, 'workspace/listApiKeys'),
      (all) => all.some((one: { agentId: string; status: string }) => one.agentId === id && one.status === 'revoked'),
    );
    expect((await done(app, 'workspace/listAgents')).map((agent: { id: string }) => agent.id)).not.toContain(id);
    expect(await refusal('removeAgent', { id })).toEqual([404, 'agent-not-found']);
  });
});

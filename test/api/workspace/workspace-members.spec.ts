// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

interface KeyItem {
  readonly memberId: string | null;
  readonly agentId: string | null;
  readonly status: string;
}

let app: TestApp;
let ownerId: string;
beforeAll(async () => {
  app = await sharedApp();
  ownerId = (await done(app, 'workspace/getWorkspace')).me.id;
});
afterAll(() => app.close());

const refusal = async (operation: string, body: object, key?: string) => {
  const reply = await app.call(`workspace/${operation}`, body, key);
  return [reply.status, reply.body.code];
};

describe('addMember', () => {
  it('answers the member, who is listed at once after the Owner', async () => {
    const sent = {
      name: 'Grace',
      email: 'Grace@Example.com',
      role: 'editor',
      permissions: ['site.publish', 'audit.read'],
    };
    const member = await done(app, 'workspace/addMember', sent);
    expect(member).toEqual({ id: expect.stringMatching(/^mem_/), ...sent });
    const { members } = await done(app, 'workspace/listMembers');
    expect(members).toEqual([
      { id: ownerId, name: 'Owner', email: 'owner@localhost', role: 'owner', permissions: [] },
      member,
    ]);
  });

  it('an email belongs to one member, in any spelling, until that one is removed', async () => {
    const again = { name: 'Not Grace', email: 'gRACE@example.COM', role: 'viewer' };
    expect(await refusal('addMember', again)).toEqual([409, 'member-email-taken']);
    const { members } = await done(app, 'workspace/listMembers');
    expect(await done(app, 'workspace/removeMember', { id: members[1].id })).toEqual({ success: true, endedKeys: [] });
    await done(app, 'workspace/addMember', again);
    expect(await refusal('addMember', { ...again, email: 'OWNER@localhost' })).toEqual([409, 'member-email-taken']);
  });

  it('the same email is free in another workspace', async () => {
    const other = await otherWorkspace(app);
    await done(app, 'workspace/addMember', { name: 'Twin', email: 'twin@example.com', role: 'viewer' }, other.ownerKey);
  });
});

describe('updateMember', () => {
  it('changes sent fields, and the next call of that member has the new rights', async () => {
    const { id, key, email } = await person(app, 'viewer');
    const changed = await done(app, 'workspace/updateMember', {
      id,
      role: 'editor',
      permissions: ['mailboxes.manage'],
    });
    const rights = { role: 'editor', permissions: ['mailboxes.manage'] };
    expect(changed).toEqual({ id, email, name: expect.any(String), ...rights, endedKeys: [] });
    const { me } = await done(app, 'workspace/getWorkspace', {}, key);
    expect(me.role).toBe('editor');
    expect(me.permissions).toContain('mailboxes.manage');
  });

  it('an Admin can manage other Admins but not the Owner', async () => {
    const [admin, other] = [await person(app, 'admin'), await person(app, 'admin')];
    expect(await done(app, 'workspace/updateMember', { id: other.id, role: 'viewer' }, admin.key)).toMatchObject({
      role: 'viewer',
    });
    expect(await refusal('updateMember', { id: ownerId, name: 'Mallory' }, admin.key)).toEqual([
      403,
      'member-above-own-role',
    ]);
    expect(await refusal('removeMember', { id: ownerId }, admin.key)).toEqual([403, 'member-above-own-role']);
  });

  it('the Owner cannot be changed', async () => {
    expect(await refusal('updateMember', { id: ownerId, role: 'admin' })).toEqual([409, 'owner-stays']);
    expect(await refusal('removeMember', { id: ownerId })).toEqual([409, 'owner-stays']);
    expect(await refusal('updateMember', { id: ownerId, role: 'owner' })).toEqual([400, 'invalid-input']);
    expect(await done(app, 'workspace/updateMember', { id: ownerId, name: 'Boss' })).toMatchObject({
      role: 'owner',
      name: 'Boss',
    });
  });
});

describe('removeMember', () => {
  it("ends that member's keys and their agents' keys at once, and shows them as revoked", async () => {
    const member = await person(app, 'editor');
    const connection = await keyOf(app, { kind: 'connection', memberId: member.id });
    const agent = await done(app, 'workspace/addAgent', { name: 'Scout' }, member.key);
    const agentKey = await keyOf(app, { kind: 'agent', agentId: agent.id });
    for (const key of [member.key, connection, agentKey]) await done(app, 'workspace/getWorkspace', {}, key);
    await done(app, 'workspace/removeMember', { id: member.id });
    for (const key of [member.key, connection, agentKey]) {
      expect(await refusal('getWorkspace', {}, key)).toEqual([401, 'key-invalid']);
    }
    const theirs = (key: KeyItem) => key.memberId === member.id || key.agentId === agent.id;
    const listed: readonly KeyItem[] = await eventually(
      () => done(app, 'workspace/listApiKeys'),
      (all: readonly KeyItem[]) => all.filter(theirs).every(({ status }) => status === 'revoked'),
    );
    expect(listed.filter(theirs)).toHaveLength(3);
    expect(listed.filter(({ status }) => status === 'revoked')).toHaveLength(3);
    expect(await refusal('removeMember', { id: member.id })).toEqual([404, 'member-not-found']);
  });

  it('revokes also a key that was being created at the time', async () => {
    const { id } = await done(app, 'workspace/addMember', {
      name: 'Brief',
      email: 'brief@example.com',
      role: 'viewer',
    });
    const store = app.app.get(EventStore, { strict: false });
    const append = store.append.bind(store);
    store.append = async (requests) => {
      const makesKey = requests.some(({ events }) => events.some(({ type }) => type === 'ApiKeyCreated'));
      if (makesKey) await done(app, 'workspace/removeMember', { id });
      return append(requests);
    };
    const { key } = await done(app, 'workspace/createApiKey', { name: 'late', kind: 'person', memberId: id });
    store.append = append;
    expect(await refusal('getWorkspace', {}, key)).toEqual([401, 'key-invalid']);
    await eventually(
      () => done(app, 'workspace/listApiKeys'),
      (all: readonly KeyItem[]) => all.every((one) => one.memberId !== id || one.status === 'revoked'),
    );
  });
});

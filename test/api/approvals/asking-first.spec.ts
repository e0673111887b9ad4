import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PendingCalls } from '../../../src/areas/approvals/pending-change/pending-calls.api.js';
import { pendingChanges } from '../../../src/areas/approvals/pending-change/pending-change.record.js';
import { CommandRunner } from '../../../src/engine/commands/command-runner.js';
import { Calls } from '../../../src/engine/operation/calls.js';
import type { Reply, TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { agentWith, toolFunction } from '../../support/automations/agents.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { PageClient } from '../../support/sites/page-client.js';

let app: TestApp;
let agentId: string;
let agentKey: string;
let projectId: string;
let baseId: string;
let tableId: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  agentId = (await agentWith(app)).id;
  agentKey = await keyOf(app, { kind: 'agent', agentId });
  const project = await done(app, 'site/createProject', { name: 'Shop' });
  projectId = project.id;
  baseId = project.linkedBaseId;
  tableId = (await done(app, 'bases/createTable', { baseId, name: 'posts' })).id;
});

const asAgent = (operation: string, body: object) => app.call(operation, body, agentKey);
const asks = (mode: string) => done(app, 'workspace/updateAgent', { id: agentId, asks: mode });
const card = ({ status, body }: Reply) => {
  expect([status, body.detail]).toEqual([202, undefined]);
  return body.pendingChange;
};
/** Types of the agent's newest 200 events that match the pattern. */
const recorded = async (pattern: RegExp): Promise<readonly string[]> => {
  const { events } = await done(app, 'audit/listEvents', { limit: 200, actorId: agentId });
  return events.map(({ type }: { readonly type: string }) => type).filter((type: string) => pattern.test(type));
};

describe('an agent with the default setting', () => {
  it('asks before deletions: a card shows what would be done, and nothing is done', async () => {
    const waits = await asAgent('bases/deleteTable', { id: tableId });
    expect(card(waits)).toMatchObject({
      kind: 'bases/deleteTable',
      summary: expect.stringMatching(/^Table deleted: "posts"/),
      target: { kind: 'table', id: tableId, name: 'posts' },
      requestedBy: { kind: 'agent', name: 'Scout' },
      approver: 'editor',
      status: 'pending',
    });
    expect(waits.body.approveLink).toMatch(/\/approvals\/change_/);
    expect((await done(app, 'bases/getTable', { id: tableId })).name).toBe('posts');
  });

  it('does everything else at once', async () => {
    await done(app, 'bases/updateTable', { id: tableId, description: 'Ours' }, agentKey);
    await done(app, 'bases/createRow', { tableId, values: {} }, agentKey);
  });

  it.each([
    [
      'opens rows to the public',
      'bases/setTableAccessRules',
      () => ({ tableId, accessRules: { read: { type: 'public', scope: 'internet' } } }),
    ],
    ['makes a coupon', 'site/createCoupon', () => ({ projectId, code: 'FREE', percentOff: 100 })],
    ['makes an offer', 'site/createOffer', () => ({ projectId, key: 'plus', name: 'Plus', amount: 0 })],
    ['opens the way in', 'site/setRealtimeGuestAccess', () => ({ projectId, enabled: true })],
  ])('asks if it %s', async (_, operation, body) => {
    const waiting = card(await asAgent(operation, body()));
    expect(waiting.kind).toBe(operation);
    expect(await recorded(/./)).toEqual(['PendingChangeProposed']);
  });

  it('asks if it opens pages by the settings of sign-in', async () => {
    const settings = (body: object) => ['site/updateProjectAuth', { id: projectId, ...body }] as const;
    await done(app, ...settings({ authEnabled: true, authPaths: { login: '/in', afterLogin: '/home' } }));
    for (const opening of [
      { authEnabled: false },
      { authPaths: { accessDenied: '/members' } },
      { authPaths: { login: '/?from=site' } },
    ]) {
      expect(card(await asAgent(...settings(opening))).kind).toBe('site/updateProjectAuth');
    }
    const authPaths = { login: '/in?from=site', signup: '/in', afterLogin: '/members', verifyEmail: null };
    await done(app, ...settings({ authPaths, authEnabled: true }), agentKey);
    await done(app, ...settings({ authEnabled: false }));
    await done(app, ...settings({ authEnabled: true, authPaths: { accessDenied: '/sorry' } }), agentKey);
  });

  it('does not ask if rules stay closed', async () => {
    const accessRules = { read: { type: 'authenticated' } };
    await done(app, 'bases/setTableAccessRules', { tableId, accessRules }, agentKey);
  });

  it('gets an immediate refusal without a card if the call is invalid or forbidden', async () => {
    expect((await asAgent('bases/deleteTable', { id: 'table_none' })).status).toBe(404);
    expect((await asAgent('bases/deleteTable', {})).status).toBe(400);
    expect((await asAgent('site/deleteProject', { id: projectId })).status).toBe(403);
    const never = await keyOf(app, { kind: 'agent', agentId, neverDeletes: true });
    expect((await app.call('bases/deleteTable', { id: tableId }, never)).body.code).toBe('key-never-deletes');
    expect((await done(app, 'approvals/listPendingChanges', { targetId: tableId })).pendingChanges).toEqual([]);
  });

  it('learns of the card from a dry run, which creates none', async () => {
    const tried = await app.call('bases/deleteTable', { id: tableId }, agentKey, { 'X-Dry-Run': 'true' });
    expect(tried.body).toMatchObject({
      dryRun: true,
      card: { kind: 'bases/deleteTable', summary: expect.stringMatching(/^Table deleted: "posts"/) },
    });
    expect((await done(app, 'approvals/listPendingChanges', { targetId: tableId })).pendingChanges).toEqual([]);
  });
});

describe('a call that a person approved', () => {
  it('is executed as the agent, and names the approving person', async () => {
    await approved(app, await asAgent('bases/deleteTable', { id: tableId }));
    expect((await app.call('bases/getTable', { id: tableId })).status).toBe(404);
    const { events } = await done(app, 'audit/getHistory', { kind: 'table', id: tableId });
    expect(events.at(-1)).toMatchObject({
      type: 'TableDeleted',
      actor: { kind: 'agent', name: 'Scout' },
      approvedBy: { kind: 'person', name: 'Owner' },
      command: 'bases/deleteTable',
    });
  });

  it('creates exactly what the card showed, with its id', async () => {
    const waits = await asAgent('site/createCoupon', { projectId, code: 'TEN', percentOff: 10 });
    const { target } = card(waits);
    await approved(app, waits);
    const [coupon] = await done(app, 'site/listCoupons', { projectId });
    expect(coupon).toMatchObject({ code: 'TEN', percentOff: 10 });
    expect((await done(app, 'audit/getHistory', { kind: target.kind, id: target.id })).events).not.toEqual([]);
  });

  it('is not executed if the record has changed since: the refusal states how, by whom and when', async () => {
    const { id, hash } = card(await asAgent('bases/deleteTable', { id: tableId }));
    await done(app, 'bases/updateTable', { id: tableId, description: 'Needed' });
    const refused = await app.call('approvals/approvePendingChange', { id, hash });
    expect([refused.status, refused.body.code]).toEqual([409, 'pending-change-moved']);
    expect(refused.body.details.reason).toMatch(
      /^'posts' changed after this card was made \(table updated, by Owner on 20/,
    );
    expect((await done(app, 'bases/getTable', { id: tableId })).name).toBe('posts');
  });

  it('is executed even if only rows have changed since', async () => {
    const waits = await asAgent('bases/deleteTable', { id: tableId });
    await done(app, 'bases/createRow', { tableId, values: {} });
    await approved(app, waits);
  });

  it("is not executed if the agent's key was revoked", async () => {
    const { id: keyId, key } = await done(app, 'workspace/createApiKey', { name: 'k', kind: 'agent', agentId });
    const { id, hash } = card(await app.call('bases/deleteTable', { id: tableId }, key));
    await done(app, 'workspace/revokeApiKey', { id: keyId });
    const refused = await app.call('approvals/approvePendingChange', { id, hash });
    expect(refused.body.details.reason).toContain('no longer valid');
    expect((await done(app, 'bases/getTable', { id: tableId })).name).toBe('posts');
  });

  it('can be approved only by those who may do it themselves', async () => {
    const { id, hash } = card(await asAgent('bases/deleteTable', { id: tableId }));
    const viewer = await person(app, 'viewer');
    expect((await app.call('approvals/approvePendingChange', { id, hash }, viewer.key)).status).toBe(403);
    expect((await app.call('approvals/approvePendingChange', { id, hash }, agentKey)).status).toBe(403);
    const editor = await person(app, 'editor');
    await done(app, 'approvals/approvePendingChange', { id, hash }, editor.key);
  });

  it('is executed once, whoever else approves it', async () => {
    const { id, hash } = card(await asAgent('site/createCoupon', { projectId, code: 'ONCE', percentOff: 10 }));
    const all = await Promise.all([1, 2, 3].map(() => app.call('approvals/approvePendingChange', { id, hash })));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await done(app, 'site/listCoupons', { projectId })).toHaveLength(1);
  });
});

describe('a process that dies while it executes an approved call', () => {
  const service = () => ({
    runner: app.app.get(CommandRunner, { strict: false }),
    calls: app.app.get(Calls, { strict: false }),
    asked: app.app.get(PendingCalls, { strict: false }),
  });
  /** Records only the approval, as a process does that dies right after it. */
  async function approvedAlone(id: string) {
    const { runner, calls } = service();
    const { id: workspaceId, me } = await done(app, 'workspace/getWorkspace');
    const call = calls.once(
      workspaceId,
      { kind: 'person', id: me.id, name: me.name },
      'approvals/approvePendingChange',
    );
    const decide = () => [{ type: 'PendingChangeApproved', data: {} } as const];
    return runner.change(call, { aggregate: pendingChanges, id, decide });
  }
  const deletions = async () =>
    (await done(app, 'audit/getHistory', { kind: 'table', id: tableId })).events.filter(
      ({ type }: { readonly type: string }) => type === 'TableDeleted',
    );

  it('leaves it to another, which executes it once and closes the card', async () => {
    const { id } = card(await asAgent('bases/deleteTable', { id: tableId }));
    await approvedAlone(id);
    const status = async () => (await done(app, 'approvals/getPendingChange', { id })).status;
    await eventually(status, (now) => now === 'applied');
    expect(await deletions()).toMatchObject([{ approvedBy: { kind: 'person', name: 'Owner' } }]);
  });

  it('has executed it once, however often it is resumed', async () => {
    const { id } = card(await asAgent('bases/deleteTable', { id: tableId }));
    const { workspaceId } = (await approvedAlone(id)) ?? pendingChanges.missing();
    const { runner, asked } = service();
    const change = (await runner.find(pendingChanges, workspaceId, id)) ?? pendingChanges.missing();
    await Promise.allSettled([asked.carryOut(change), asked.carryOut(change), asked.carryOut(change)]);
    expect(await deletions()).toHaveLength(1);
  });
});

describe('a card of a call', () => {
  it('shows the exact input to those who may make the call, but passwords to nobody', async () => {
    await asks('changes');
    const password = 'correct horse battery staple';
    const input = { projectId, email: 'ann@example.com', password };
    const { id } = card(await asAgent('site/createAppUser', input));
    const shown = await done(app, 'approvals/getPendingChange', { id });
    expect(shown.call.input).toMatchObject({ projectId, email: 'ann@example.com' });
    const viewer = await person(app, 'viewer');
    const seen = await done(app, 'approvals/getPendingChange', { id }, viewer.key);
    expect(seen.call).toBeUndefined();
    const everything = JSON.stringify([
      shown,
      seen,
      await done(app, 'approvals/listPendingChanges', {}),
      await done(app, 'audit/getHistory', { kind: 'pendingChange', id }),
    ]);
    expect(everything).not.toContain(password);
    expect(JSON.stringify(seen)).not.toContain('ann@example.com');
  });

  it('has a page that shows the call, and approves it', async () => {
    await asks('changes');
    const password = 'correct horse battery staple';
    const { id } = card(await asAgent('site/createAppUser', { projectId, email: 'bob@example.com', password }));
    const client = new PageClient(app);
    await client.signIn(app.ownerKey);
    const { text } = await client.get(`/approvals/${id}`);
    expect(text).toContain('The call');
    expect(text).toContain('bob@example.com');
    expect(text).not.toContain(password);
    await client.submit(`/approvals/${id}`, `/approvals/${id}/approve`);
    expect((await done(app, 'site/getAppUsers', { projectId })).users).toMatchObject([{ email: 'bob@example.com' }]);
  });

  it('is replaced by a newer one for the same record and operation', async () => {
    const first = card(await asAgent('bases/deleteTable', { id: tableId }));
    card(await asAgent('bases/deleteTable', { id: tableId }));
    expect((await done(app, 'approvals/getPendingChange', { id: first.id })).status).toBe('replaced');
  });

  it('is the same for a call that is repeated with its key', async () => {
    const repeat = () =>
      app.call('bases/deleteTable', { id: tableId }, agentKey, { 'Idempotency-Key': `k-${tableId}` });
    expect(card(await repeat()).id).toBe(card(await repeat()).id);
  });
});

describe('the asking mode of an agent', () => {
  it('changes: covers every command that changes the workspace, but no start of a run', async () => {
    await asks('changes');
    expect(card(await asAgent('bases/updateTable', { id: tableId, description: 'x' })).changes).toEqual([
      { path: 'description', from: null, to: 'x' },
    ]);
    const id = await toolFunction(app);
    expect((await asAgent('automations/invokeFunction', { id })).status).toBe(200);
  });

  it('makes no second card for calls that always wait', async () => {
    await asks('changes');
    const { id } = await done(app, 'automations/createFunction', { name: `Gated ${tableId}`, code: 'return 1' });
    const waiting = card(await asAgent('automations/setFunctionCapabilities', { id, capabilities: ['email'] }));
    expect([waiting.kind, waiting.target.id]).toEqual(['function-capabilities', id]);
    expect((await done(app, 'approvals/listPendingChanges', { targetId: id })).pendingChanges).toHaveLength(1);
  });

  it('covers rows as well, singly and in bulk', async () => {
    const row = await done(app, 'bases/createRow', { tableId, values: {} });
    expect(card(await asAgent('bases/deleteRow', { tableId, id: row.id })).target).toMatchObject({
      kind: 'row',
      id: row.id,
    });
    expect(card(await asAgent('bases/deleteRows', { tableId, ids: [row.id] })).kind).toBe('bases/deleteRows');
    await done(app, 'bases/getRow', { tableId, id: row.id });
  });

  it('nothing: deletions are immediate', async () => {
    await asks('nothing');
    await done(app, 'bases/deleteTable', { id: tableId }, agentKey);
  });

  it('can be set only by a person', async () => {
    const connection = await keyOf(app, { kind: 'connection', memberId: (await person(app, 'admin')).id });
    const refused = await app.call('workspace/updateAgent', { id: agentId, asks: 'nothing' }, connection);
    expect([refused.status, refused.body.code]).toEqual([403, 'agent-work-by-person']);
  });
});

describe('a site that an agent with asks: risky publishes', () => {
  it('goes live, and offline again, when a person approves the cards of both', async () => {
    await asks('risky');
    const site = () => done(app, 'site/getProject', { id: projectId });
    const publishes = await asAgent('site/publish', { id: projectId });
    expect(card(publishes)).toMatchObject({
      kind: 'site/publish',
      target: { kind: 'publication', id: projectId },
      requestedBy: { kind: 'agent', name: 'Scout' },
    });
    expect(await done(app, 'site/getPublishStatus', { projectId })).toBeNull();
    await approved(app, publishes);
    await eventually(site, ({ isPublished }) => isPublished);
    const [{ publishedBy }] = await done(app, 'site/listDeployments', { projectId });
    expect(publishedBy).toMatchObject({ kind: 'agent', name: 'Scout' });
    const unpublishes = await asAgent('site/unpublish', { id: projectId });
    expect([card(unpublishes).kind, (await site()).isPublished]).toEqual(['site/unpublish', true]);
    await approved(app, unpublishes);
    expect((await site()).isPublished).toBe(false);
  });
});

describe('a campaign that a person has scheduled', () => {
  it('is changed by an agent, also through a policy, only when a person approves it', async () => {
    const condition = { type: 'has_entitlement', key: 'staff' };
    const { id: policyId } = await done(app, 'site/createAccessPolicy', { projectId, name: 'Staff', condition });
    const content = { name: 'News', subject: 'News', html: '<p>Hello</p>', audienceRules: { policy: policyId } };
    const { id } = await done(app, 'site/createCampaign', { projectId, ...content });
    const schedule = (at: string | null) => done(app, 'site/scheduleCampaign', { projectId, id, at });
    const update = (changes: object) => asAgent('site/updateCampaign', { projectId, id, ...changes });
    const widen = (changes: object) => asAgent('site/updateAccessPolicy', { policyId, ...changes });
    expect((await update({ subject: 'Other news' })).status).toBe(200);
    expect((await widen({ condition: { type: 'has_entitlement', key: 'team' } })).status).toBe(200);
    await schedule('2099-01-01T00:00:00.000Z');
    expect(card(await widen({ condition: { type: 'authenticated' } })).kind).toBe('site/updateAccessPolicy');
    expect((await widen({ name: 'Team' })).status).toBe(200);
    const waits = await update({ audienceRules: null });
    expect(card(waits).kind).toBe('site/updateCampaign');
    const shown = async () => (await done(app, 'site/listCampaigns', { projectId }))[0];
    expect((await shown()).audienceRules).toEqual({ policy: policyId });
    await approved(app, waits);
    expect((await shown()).audienceRules).toBeNull();
    await schedule(null);
    expect((await update({ audienceRules: { policy: policyId } })).status).toBe(200);
    expect((await widen({ condition: { type: 'authenticated' } })).status).toBe(200);
  });
});

describe('automation keys', () => {
  it('do not ask unless the workspace sets it', async () => {
    const automation = await keyOf(app, { kind: 'automation' });
    await done(app, 'bases/deleteTable', { id: tableId }, automation);
    await done(app, 'workspace/updateSettings', { automationsAsk: 'risky' });
    const other = (await done(app, 'bases/createTable', { baseId, name: 'other' })).id;
    expect(card(await app.call('bases/deleteTable', { id: other }, automation)).requestedBy.kind).toBe('automation');
    await done(app, 'workspace/updateSettings', { automationsAsk: 'nothing' });
    await done(app, 'bases/deleteTable', { id: other }, automation);
  });
});

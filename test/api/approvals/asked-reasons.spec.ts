import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { agentWith } from '../../support/automations/agents.js';
import { done, keyOf } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

const reason = 'The supplier closed its shop.\nAda asked for it.';

let app: TestApp;
let agentKey: string;
let tableId: string;
beforeAll(async () => {
  app = await sharedApp();
  agentKey = await keyOf(app, { kind: 'agent', agentId: (await agentWith(app)).id });
});
afterAll(() => app.close());
beforeEach(async () => {
  const { linkedBaseId: baseId } = await done(app, 'site/createProject', { name: 'Shop' });
  tableId = (await done(app, 'bases/createTable', { baseId, name: 'posts' })).id;
});

const lastOf = async (kind: string, id: string) => (await done(app, 'audit/getHistory', { kind, id })).events.at(-1);

describe('the reason that a caller gives', () => {
  it('is on the card, in its answers and in the audit, and remains with the executed change', async () => {
    const waits = await app.call('bases/deleteTable', { id: tableId, reason }, agentKey);
    const { id } = waits.body.pendingChange;
    expect(waits.body.pendingChange.requestReason).toBe(reason);
    const card = await done(app, 'approvals/getPendingChange', { id });
    expect(card).toMatchObject({ requestReason: reason, call: { input: { id: tableId } } });
    expect(card.call.input).toEqual({ id: tableId });
    const [listed] = (await done(app, 'approvals/listPendingChanges', { targetId: tableId })).pendingChanges;
    expect(listed.requestReason).toBe(reason);
    expect(await lastOf('pendingChange', id)).toMatchObject({ type: 'PendingChangeProposed', reason });

    await approved(app, waits);
    expect(await lastOf('table', tableId)).toMatchObject({ type: 'TableDeleted', reason, actor: { kind: 'agent' } });
    const decided = await done(app, 'approvals/getPendingChange', { id });
    expect([decided.requestReason, decided.reason]).toEqual([reason, undefined]);
  });

  it("is shown beside the rejecting person's reason", async () => {
    const waits = await app.call('bases/deleteTable', { id: tableId, reason }, agentKey);
    const { id } = waits.body.pendingChange;
    await done(app, 'approvals/rejectPendingChange', { id, reason: 'We still need it.' });
    expect(await done(app, 'approvals/getPendingChange', { id })).toMatchObject({
      requestReason: reason,
      reason: 'We still need it.',
    });
  });

  it('is on the card of a power too', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'report', code: 'export default 1' });
    const waits = await app.call('automations/setFunctionCapabilities', { id, capabilities: ['email'], reason });
    expect(waits.body.pendingChange).toMatchObject({ requestReason: reason, target: { id } });
    await approved(app, waits);
    expect(await lastOf('function', id)).toMatchObject({ type: 'FunctionPowersGiven', reason });
  });

  it('is in the audit if the call is executed at once', async () => {
    await done(app, 'bases/deleteTable', { id: tableId, reason });
    expect(await lastOf('table', tableId)).toMatchObject({ type: 'TableDeleted', reason });
    const { events } = await done(app, 'audit/listEvents', { kind: 'table', id: tableId });
    expect(events[0]).toMatchObject({ type: 'TableDeleted', reason });
    expect(events[1].reason).toBeUndefined();
    expect(await done(app, 'audit/getEvent', { position: events[0].position })).toMatchObject({ reason });
  });

  it('of spaces only is ignored', async () => {
    await done(app, 'bases/deleteTable', { id: tableId, reason: ' ' });
    expect((await lastOf('table', tableId)).reason).toBeUndefined();
  });

  it('has 500 characters at most, and only risky operations and those that may wait accept one', async () => {
    const long = await app.call('bases/deleteTable', { id: tableId, reason: 'x'.repeat(501) }, agentKey);
    expect([long.status, long.body.errors[0].path]).toEqual([400, 'reason']);
    const plain = await app.call('bases/updateTable', { id: tableId, name: 'all', reason });
    expect([plain.status, plain.body.errors[0].path]).toEqual([400, 'reason']);
  });

  it('is repeated with its Idempotency-Key, and makes one card', async () => {
    const asked = () =>
      app.call('bases/deleteTable', { id: tableId, reason }, agentKey, { 'Idempotency-Key': `delete-${tableId}` });
    const [first, again] = [await asked(), await asked()];
    expect(again.body).toEqual(first.body);
    const { pendingChanges } = await done(app, 'approvals/listPendingChanges', { targetId: tableId });
    expect(pendingChanges).toHaveLength(1);
  });
});

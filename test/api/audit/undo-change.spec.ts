import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Vault } from '../../../src/ports/vault.port.js';
import type { Reply, TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, eventsOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let viewer: string;
let editor: string;
beforeAll(async () => {
  app = await sharedApp();
  viewer = (await person(app, 'viewer')).key;
  editor = (await person(app, 'editor')).key;
}, 60_000);
afterAll(() => app?.close());

const json = { 'content-type': 'application/json' };

interface Listed {
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly command: string;
  readonly causationId: string | null;
}

const events = async (kind: string, id: string): Promise<readonly Listed[]> =>
  (await done(app, 'audit/getHistory', { kind, id, limit: 200 })).events;
const last = async (kind: string, id: string): Promise<Listed> => {
  const found = (await events(kind, id)).at(-1);
  if (found === undefined) throw new Error(`There is no event of ${kind} ${id}.`);
  return found;
};
const undo = (position: number, key?: string): Promise<Reply> => app.call('audit/undoChange', { position }, key);
const refused = ({ status, body }: Reply) => [status, body.code];
const get = (id: string) => done(app, 'automations/getFunction', { id });
const active = async (name: string, more: object = {}) => {
  const fn = await done(app, 'automations/createFunction', { name, code: 'return params;', ...more });
  await done(app, 'automations/updateFunction', { id: fn.id, isActive: true });
  return fn.id as string;
};
async function save(id: string, change: object) {
  const { updatedAt: seenUpdatedAt } = await get(id);
  return done(app, 'automations/updateFunction', { id, seenUpdatedAt, ...change });
}
const without = ({ updatedAt: _, version: __, versions: ___, ...state }: Record<string, unknown>) => state;

describe('undoing a change of fields', () => {
  it('restores the former values, is an event of its own that names the undone one, and can be undone', async () => {
    const id = await active('Undo fields');
    const before = await get(id);
    await save(id, { name: 'Renamed', description: 'said' });
    const changed = await last('function', id);
    const reply = await undo(changed.position);
    expect([reply.status, reply.body.operation]).toEqual([200, 'automations/updateFunction']);
    expect(without(await get(id))).toEqual(without(before));
    const undone = await last('function', id);
    expect(undone).toMatchObject({
      position: reply.body.position,
      command: 'audit/undoChange',
      causationId: changed.id,
    });
    await undo(undone.position);
    expect(await get(id)).toMatchObject({ name: 'Renamed', description: 'said' });
  });

  it('works change by change, the last first', async () => {
    await done(app, 'workspace/updateSettings', { versions: false });
    const id = await active('Undo chain');
    await save(id, { description: 'one' });
    const one = await last('function', id);
    await save(id, { code: 'return 2;' });
    const two = await last('function', id);
    expect((await undo(two.position)).status).toBe(200);
    expect((await undo(one.position)).status).toBe(200);
    expect(await get(id)).toMatchObject({ description: '', code: 'return params;' });
  });

  it('is refused for a saved draft, with an alternative', async () => {
    await done(app, 'workspace/updateSettings', { versions: true });
    const id = await active('Undo draft');
    await save(id, { code: 'return 2;' });
    const reply = await undo((await last('function', id)).position);
    expect(refused(reply)).toEqual([409, 'undo-impossible']);
    expect(reply.body.detail).toContain('publish or roll back');
  });

  it('reverses a switch', async () => {
    const id = await active('Undo switch');
    expect((await undo((await last('function', id)).position)).status).toBe(200);
    expect((await get(id)).isActive).toBe(false);
  });

  it('is refused with the present state if the record has changed since', async () => {
    const id = await active('Undo moved');
    await save(id, { description: 'one' });
    const one = await last('function', id);
    await save(id, { description: 'two', name: 'Undo moved on' });
    const reply = await undo(one.position);
    expect(refused(reply)).toEqual([409, 'undo-conflict']);
    expect(reply.body.details.conflicts).toEqual([{ path: 'description', made: 'one', now: 'two' }]);
    expect(await get(id)).toMatchObject({ description: 'two' });
  });

  it('is refused if the former name has been given to another', async () => {
    const id = await active('Undo taken');
    await save(id, { name: 'Undo freed' });
    await active('Undo taken');
    expect(refused(await undo((await last('function', id)).position))).toEqual([409, 'function-name-taken']);
  });

  it('succeeds once of two at once', async () => {
    const id = await active('Undo race');
    await save(id, { description: 'one' });
    const { position } = await last('function', id);
    const replies = await Promise.all(Array.from({ length: 8 }, () => undo(position)));
    expect(replies.map(refused).sort()).toEqual([[200, undefined], ...Array(7).fill([409, 'undo-conflict'])]);
    expect((await events('function', id)).filter(({ command }) => command === 'audit/undoChange')).toHaveLength(1);
  });

  it('is done once for one Idempotency-Key', async () => {
    const id = await active('Undo once');
    await save(id, { description: 'one' });
    const { position } = await last('function', id);
    const asked = () => app.call('audit/undoChange', { position }, undefined, { 'idempotency-key': 'undo-once' });
    const first = await asked();
    expect([first.status, (await asked()).body]).toEqual([200, first.body]);
  });
});

describe('undoing a creation', () => {
  it('deletes the record as its own operation does', async () => {
    const id = await active('Undo making');
    const schedule = await done(app, 'automations/createSchedule', { functionId: id, cronExpression: '0 3 * * *' });
    const reply = await undo((await last('schedule', schedule.id)).position);
    expect([reply.status, reply.body.operation]).toEqual([200, 'automations/deleteSchedule']);
    expect((await last('schedule', schedule.id)).type).toBe('ScheduleDeleted');
  });

  it('is refused if that would delete more than was created', async () => {
    const base = await done(app, 'bases/createBase', { name: 'Undo base' });
    expect(refused(await undo((await last('base', base.id)).position))).toEqual([409, 'undo-impossible']);
  });
});

describe('a deleted function', () => {
  it('is restored with its triggers and the same ids, and works again', async () => {
    const id = await active('Undo deleted');
    const webhook = await done(app, 'automations/createWebhook', { functionId: id });
    const guarded = await done(app, 'automations/createWebhook', { functionId: id });
    await done(app, 'automations/setWebhookVerification', { id: guarded.id, scheme: 'github', newSecret: true });
    const schedule = await done(app, 'automations/createSchedule', { functionId: id, cronExpression: '0 3 * * *' });
    const target = { targetKind: 'account_function', targetRef: id };
    const mailhook = await done(app, 'automations/createMailhook', { name: 'Undo mail', ...target });
    const gone = await done(app, 'automations/createSchedule', { functionId: id, cronExpression: '0 4 * * *' });
    await done(app, 'automations/deleteSchedule', { id: gone.id });
    const before = await get(id);
    await done(app, 'automations/deleteFunction', { id });
    await eventually(
      () => last('mailhook', mailhook.id),
      ({ type }) => type === 'MailhookDeleted',
    );

    const reply = await undo((await last('function', id)).position);
    expect([reply.status, reply.body.operation]).toEqual([200, 'audit/undoChange']);
    expect(without(await get(id))).toEqual(without(before));
    for (const [kind, one] of [
      ['webhook', webhook.id],
      ['webhook', guarded.id],
      ['schedule', schedule.id],
      ['mailhook', mailhook.id],
    ] as const) {
      const { type } = await eventually(
        () => last(kind, one),
        (event) => event.type.endsWith('Restored'),
      );
      expect(type.toLowerCase()).toBe(`${kind}restored`);
    }
    expect((await last('schedule', gone.id)).type).toBe('ScheduleDeleted');
    const delivered = await app.send(
      'POST',
      `/api/automations/functions/webhook/${webhook.token}`,
      JSON.stringify({ n: 1 }),
      json,
    );
    expect([delivered.status, delivered.body]).toMatchObject([200, { success: true, data: { n: 1 } }]);
    const refusedDelivery = await app.send(
      'POST',
      `/api/automations/functions/webhook/${guarded.token}`,
      JSON.stringify({}),
      json,
    );
    expect(refusedDelivery.status).toBeGreaterThanOrEqual(400);
    expect(refusedDelivery.status).toBeLessThan(500);
    const { webhooks } = await done(app, 'automations/listTriggers', { functionId: id });
    expect(webhooks.map(({ id: one, isActive }: { id: string; isActive: boolean }) => [one, isActive])).toEqual([
      [webhook.id, true],
      [guarded.id, false],
    ]);
  }, 60_000);

  it('is restored without its secrets, deactivated, and a card asks for them again', async () => {
    await done(app, 'automations/setEnvVar', { name: 'UNDO_KEY', value: 'x', allowedHosts: ['api.example.com'] });
    const id = await active('Undo secrets');
    await app.call('automations/setFunctionSecrets', {
      id,
      secrets: [{ name: 'UNDO_KEY', hosts: ['api.example.com'] }],
    });
    const { pendingChanges } = await done(app, 'approvals/listPendingChanges', { status: 'pending' });
    for (const card of pendingChanges ?? []) {
      await done(app, 'approvals/approvePendingChange', { id: card.id, hash: card.hash });
    }
    expect((await get(id)).secrets).toHaveLength(1);
    await done(app, 'automations/deleteFunction', { id });
    const reply = await undo((await last('function', id)).position);
    expect(reply.status).toBe(202);
    expect(reply.body.waits).toHaveLength(1);
    expect(await get(id)).toMatchObject({ secrets: [], isActive: false });
    const waiting = await done(app, 'approvals/listPendingChanges', { status: 'pending' });
    expect(waiting.pendingChanges).toMatchObject([{ kind: 'function-secrets', target: { id } }]);
  });

  it('is deleted again when its restoration is undone, and can be restored again', async () => {
    const id = await active('Undo twice');
    await done(app, 'automations/deleteFunction', { id });
    await undo((await last('function', id)).position);
    expect((await undo((await last('function', id)).position)).body.operation).toBe('automations/deleteFunction');
    expect((await app.call('automations/getFunction', { id })).status).toBe(404);
    expect((await undo((await last('function', id)).position)).status).toBe(200);
    expect((await get(id)).name).toBe('Undo twice');
  });

  it('is not restored if its name was given to another', async () => {
    const id = await active('Undo name');
    await done(app, 'automations/deleteFunction', { id });
    const { position } = await last('function', id);
    await active('Undo name');
    expect(refused(await undo(position))).toEqual([409, 'function-name-taken']);
  });
});

describe('the right to undo', () => {
  it('is that to the operation that undoes the change', async () => {
    const id = await active('Undo rights');
    await save(id, { description: 'one' });
    const { position } = await last('function', id);
    expect((await undo(position, viewer)).status).toBe(403);
    expect((await undo(position, editor)).status).toBe(200);
  });

  it('does not extend to other workspaces, readings of the audit or anything unknown', async () => {
    const id = await active('Undo others');
    const { position } = await last('function', id);
    const other = await otherWorkspace(app);
    expect(refused(await undo(position, other.ownerKey))).toEqual([404, 'resource-not-found']);
    const { events: read } = await done(app, 'audit/listEvents', { types: ['AuditRead'], limit: 1 });
    expect(refused(await undo(read[0].position))).toEqual([404, 'resource-not-found']);
    expect(refused(await undo(2 ** 40))).toEqual([404, 'resource-not-found']);
    expect((await undo(-1)).status).toBe(400);
  });

  it('does not restore destroyed data, and the refusal explains what to do', async () => {
    const { id } = await person(app, 'viewer');
    await done(app, 'workspace/removeMember', { id });
    const reply = await undo((await last('member', id)).position);
    expect(refused(reply)).toEqual([409, 'undo-impossible']);
    expect(reply.body.detail).toBe(
      'This change cannot be undone. The data of a removed member is erased; add the member again.',
    );
  });
});

/** Leaves the idempotency entry of a call whose process died before it answered. */
async function losesAnswer(commandId: string, content: string): Promise<void> {
  const stored = Buffer.from(JSON.stringify({ fingerprint: hash('sha256', content, 'base64url') }));
  const name = `receipt/${hash('sha256', commandId, 'hex')}`;
  await app.app.get(Vault, { strict: false }).seal(name, stored, { expiresAt: Date.now() + 60_000 });
}

describe('an undo with conflicts', () => {
  it('is refused with what happened since, and by whom', async () => {
    const id = await active('Undo since');
    await save(id, { description: 'mine' });
    const { position } = await last('function', id);
    await save(id, { description: 'theirs' });
    const { body } = await undo(position);
    expect(body.details.since).toMatchObject([{ type: 'FunctionDetailsChanged', by: { kind: 'person' } }]);
  });

  it.each(['a change', 'a deletion'])('of %s gives the same answer if it is repeated after a crash', async (what) => {
    const id = await active(`Undo again after ${what}`);
    if (what === 'a change') await save(id, { description: 'one' });
    else await done(app, 'automations/deleteFunction', { id });
    const { position } = await last('function', id);
    const ask = () => app.call('audit/undoChange', { position }, undefined, { 'idempotency-key': id });
    const first = await ask();
    expect([first.status, first.body.detail]).toEqual([200, undefined]);
    const [recorded] = await eventsOf(app, { from: first.body.position - 1 });
    await losesAnswer(recorded?.metadata.commandId ?? '', `audit/undoChange\n${JSON.stringify({ position })}`);
    const again = await ask();
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect((await last('function', id)).position).toBe(first.body.position);
  });
});

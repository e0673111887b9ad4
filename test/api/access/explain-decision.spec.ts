import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { storedDecisions } from '../../../src/engine/explain/decision-ids.js';
import { sealedIdLength } from '../../../src/engine/explain/sealed-decisions.js';
import { allOperations } from '../../../src/engine/operation/operation.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { done, eventsOf, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { sharedOutside } from '../../support/shared-outside.js';
import { vaultEntries } from '../../support/stores/vault-entries.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app?.close());

const explain = (id: string, key?: string) => done(app, 'workspace/explainDecision', { id }, key);
const refused = async (id: unknown, key?: string) => {
  const { status, body } = await app.call('workspace/explainDecision', { id }, key);
  return [status, body.code];
};
const dayMs = 24 * 3_600_000;
const shortId = /^dec_[0-9a-z]{26}$/;
const notFound = [404, 'decision-not-found'];
const denied = async (operation: string, body: object, key: string): Promise<string> => {
  const reply = await app.call(operation, body, key);
  expect([reply.status, typeof reply.body.decisionId]).toEqual([403, 'string']);
  expect(reply.body.decisionId).toMatch(shortId);
  return reply.body.decisionId;
};
/** Event types that the service records by itself, independently of the test's calls. */
const atAllTimes = ['ApiKeyUsed', 'AuditSealed'];
const failing = ({ tree }: { tree: { parts: readonly { outcome: string; sentence: string }[] } }) =>
  tree.parts.filter(({ outcome }) => outcome === 'denied').map(({ sentence }) => sentence);
const steps = ({ smallestChange }: { smallestChange: readonly { sentence: string }[] }) =>
  smallestChange.map(({ sentence }) => sentence);

describe('a refusal by a right', () => {
  it('is explained check by check, with the next step', async () => {
    const viewer = await person(app, 'viewer');
    const id = await denied('automations/createFunction', { name: 'x', code: '' }, viewer.key);
    const told = await explain(id);
    expect(told).toMatchObject({
      code: 'viewer-refused',
      who: { kind: 'person', id: viewer.id, name: expect.stringContaining('The viewer') },
      operation: 'automations/createFunction',
      place: null,
      allowed: false,
      sentence: 'A Viewer may not call automations/createFunction; ask an Owner or Admin for a role that may.',
      changedSince: false,
      allowedNow: false,
      note: null,
    });
    expect(told.tree.parts.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'allowed',
      'denied',
      'allowed',
      'allowed',
      'denied',
    ]);
    expect(steps(told)).toEqual([
      `Give ${told.who.name} the permission functions.edit, or the role Editor, with updateMember.`,
    ]);
    await done(app, 'workspace/updateMember', { id: viewer.id, permissions: ['functions.edit'] });
    expect(await explain(id)).toMatchObject({ sentence: told.sentence, changedSince: true, allowedNow: true });
  });

  it.each([
    [
      'a key that only reads',
      { kind: 'person', readOnly: true },
      'automations/createFunction',
      'Use a key that is not read-only.',
    ],
    [
      'a key that never deletes',
      { kind: 'person', neverDeletes: true },
      'automations/deleteFunction',
      'Use a key that may delete.',
    ],
    ['a connection', { kind: 'connection' }, 'workspace/explainDecision', 'Let a person make the call.'],
    ['an automation', { kind: 'automation' }, 'workspace/addMember', undefined],
  ])('explains the refusal of %s', async (_, key, operation, step) => {
    const told = await explain(await denied(operation, {}, await keyOf(app, key)));
    expect(failing(told).length).toBeGreaterThan(0);
    if (step !== undefined) expect(steps(told)).toContain(step);
  });

  it("an operation's own refusal is explained with its message", async () => {
    const { id } = await done(app, 'workspace/addAgent', { name: 'Scout' });
    const key = await keyOf(app, { kind: 'agent', agentId: id });
    const told = await explain(
      await denied('automations/createFunction', { name: 'by an agent', code: 'return 1' }, key),
    );
    expect(told).toMatchObject({ code: 'agent-cannot-create', who: { kind: 'agent', id, name: 'Scout' } });
    expect(told.tree.parts).toHaveLength(6);
    expect(told.sentence).toBe(told.tree.parts[5].sentence);
    expect(told.sentence).toMatch(/^This agent may not create functions/);
    expect(told.allowedNow).toBeNull();
  });

  it('limits of a site on agents, and on who decides cards, are explained as well', async () => {
    const { id } = await done(app, 'workspace/addAgent', { name: 'Painter' });
    const key = await keyOf(app, { kind: 'agent', agentId: id });
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Shop' });
    await done(app, 'site/updateAiPermissions', { projectId, aiPermissions: { 'projects:getProject': true } });
    const told = await explain(await denied('site/listPages', { projectId }, key));
    expect(told).toMatchObject({ code: 'ai-permission-missing', who: { kind: 'agent', name: 'Painter' } });
    expect(failing(told)).toEqual([told.sentence]);
    expect(told.sentence).toContain("lacks '");

    await done(app, 'workspace/updateSettings', { fourEyes: true });
    const fn = await done(app, 'automations/createFunction', { name: 'carded', code: 'return 1' });
    const asked = await app.call('automations/setFunctionCapabilities', {
      id: fn.id,
      capabilities: ['env'],
      seenVersion: (await done(app, 'automations/getFunction', { id: fn.id })).version,
    });
    const card = { id: asked.body.pendingChange.id, hash: asked.body.pendingChange.hash };
    const eyes = await explain(await denied('approvals/approvePendingChange', card, app.ownerKey));
    expect(eyes).toMatchObject({ code: 'four-eyes', operation: 'approvals/approvePendingChange', allowedNow: null });
    await done(app, 'workspace/updateSettings', { fourEyes: false });
  });

  it('of a key that has ended since is still explained', async () => {
    const viewer = await person(app, 'viewer');
    const id = await denied('workspace/updateSettings', {}, viewer.key);
    await done(app, 'workspace/revokeApiKey', { id: viewer.keyId });
    expect(await explain(id)).toMatchObject({
      who: { id: viewer.id, name: expect.stringContaining('The viewer') },
      changedSince: true,
      allowedNow: false,
      note: 'The key has been revoked or has expired since, or the person behind it is no longer a member.',
    });
    await done(app, 'workspace/removeMember', { id: viewer.id });
    expect(await explain(id)).toMatchObject({ who: { id: viewer.id, name: null } });
  });

  it("of code started with a key that never deletes is explained as the function's", async () => {
    const caught = '({ code, decisionId }) => [code, decisionId]';
    const call = "ctx.connections.call('service', 'automations_deleteFunction', { id: 'fn_any' })";
    const fn = await done(app, 'automations/createFunction', {
      name: 'tooled',
      code: `return ${call}.catch(${caught});`,
      grants: { serviceTools: ['automations_deleteFunction'] },
    });
    const key = await keyOf(app, { kind: 'person', neverDeletes: true });
    const answer = await done(app, 'automations/invokeFunction', { id: fn.id }, key);
    const [code, id] = answer.result;
    expect(code).toBe('key-never-deletes');
    expect(await explain(id)).toMatchObject({
      who: { kind: 'function', id: fn.id, name: 'tooled' },
      operation: 'automations/deleteFunction',
      smallestChange: [{ sentence: 'Use a key that may delete.' }],
      changedSince: false,
      allowedNow: false,
    });
  });

  it('is in no event', async () => {
    const viewer = await person(app, 'viewer');
    const store = app.app.get(EventStore, { strict: false });
    await app.call('workspace/getWorkspace', {}, viewer.key);
    const head = await store.head();
    for (let n = 0; n < 20; n += 1) await denied('workspace/updateSettings', {}, viewer.key);
    const since = await eventsOf(app, { from: head });
    expect(since.filter(({ type }) => !atAllTimes.includes(type)).map(({ type }) => type)).toEqual([]);
  });
});

describe('the id of a decision', () => {
  it('reveals nothing to others, who get the answer for an unknown id', async () => {
    const { key } = await person(app, 'viewer');
    const id = await denied('workspace/updateSettings', {}, key);
    const editor = await person(app, 'editor');
    const { ownerKey } = await otherWorkspace(app);
    for (const outsider of [key, editor.key, ownerKey]) {
      const heard = await app.call('workspace/explainDecision', { id }, outsider);
      const unknown = await app.call('workspace/explainDecision', { id: 'dec_unknown' }, outsider);
      const plain = ({ requestId: _, ...body }: Record<string, unknown>) => body;
      expect(plain(heard.body)).toEqual(plain(unknown.body));
      expect(heard.status).toBe(404);
    }
    expect(await refused(id)).toEqual([200, 'viewer-refused']);
  });

  it('that is forged, truncated or combined from two is unknown', async () => {
    const { key } = await person(app, 'viewer');
    const [one, other] = [
      await denied('workspace/updateSettings', {}, key),
      await denied('workspace/updateSettings', {}, key),
    ];
    expect(one).not.toBe(other);
    const half = Math.floor(one.length / 2);
    const swapped = one.slice(0, half) + other.slice(half);
    const flipped = `${one.slice(0, 20)}${one[20] === '7' ? '8' : '7'}${one.slice(21)}`;
    for (const id of [
      one.slice(0, -1),
      `${one}A`,
      swapped,
      flipped,
      one.slice(4),
      'dec_',
      one.toUpperCase(),
      `dec_${'0'.repeat(one.length - 4)}`,
      `dec_${'A'.repeat(sealedIdLength - 4)}`,
    ]) {
      expect(await refused(id)).toEqual(notFound);
    }
  });

  it('reveals nothing of its content', async () => {
    const viewer = await person(app, 'viewer');
    const id = await denied('workspace/updateSettings', {}, viewer.key);
    const bytes = Buffer.from(id.slice(4), 'base64url').toString('latin1');
    for (const text of [viewer.id, viewer.keyId, 'viewer', 'updateSettings']) {
      expect([id, bytes].join()).not.toContain(text);
    }
  });
});

/** Runs the work on a service of its own with a clock that the test sets. */
async function withApp(work: (other: TestApp, clock: SettableClock) => Promise<void>): Promise<void> {
  const other = await sharedOutside();
  await work(other, other.clock);
}

test(
  'is in every refusal of every operation, and contains the decision if no more can be stored',
  () =>
    withApp(async (other, clock) => {
      const keys = {
        viewer: (await person(other, 'viewer')).key,
        'a key that only reads': await keyOf(other, { kind: 'person', readOnly: true }),
        automation: await keyOf(other, { kind: 'automation' }),
      };
      const given: string[] = [];
      for (const [name, key] of Object.entries(keys)) {
        const before = given.length;
        for (const operation of allOperations()) {
          const { status, body } = await other.call(operation.name, { 'not a parameter': 1 }, key);
          if (status !== 403) continue;
          expect([name, operation.name, body.decisionId]).toEqual([
            name,
            operation.name,
            expect.stringMatching(/^dec_/),
          ]);
          given.push(body.decisionId);
        }
        expect(given.length - before).toBeGreaterThan(20);
      }
      expect(given.findIndex((id) => !shortId.test(id))).toBeGreaterThanOrEqual(storedDecisions.burst);
      const beyond = given.at(-1) ?? '';
      expect(beyond).toHaveLength(sealedIdLength);
      for (const id of [beyond, ...given.filter((_, index) => index % 25 === 0)]) {
        expect(failing(await done(other, 'workspace/explainDecision', { id })).length).toBeGreaterThan(0);
      }
      const { ownerKey } = await otherWorkspace(other);
      const elsewhere = await other.call('workspace/explainDecision', { id: beyond }, ownerKey);
      expect([elsewhere.status, elsewhere.body.code]).toEqual(notFound);
      clock.set(Date.now() + 31 * dayMs);
      const later = await other.call('workspace/explainDecision', { id: beyond });
      expect([later.status, later.body.code]).toEqual([404, 'decision-too-old']);
    }),
  // About six hundred calls, one after another.
  120_000,
);

test('can be explained for thirty days', () =>
  withApp(async (other, clock) => {
    const { key } = await person(other, 'viewer');
    const { body } = await other.call('workspace/updateSettings', {}, key);
    const asked = async (days: number) => {
      clock.set(Date.now() + days * dayMs);
      const reply = await other.call('workspace/explainDecision', { id: body.decisionId });
      return [reply.status, reply.body.code];
    };
    expect(await asked(29)).toEqual([200, 'viewer-refused']);
    expect(await asked(31)).toEqual(notFound);
  }));

test('of a dry run stores nothing, and its refusal can still be explained', async () => {
  const { key } = await person(app, 'viewer');
  const stored = () => vaultEntries(app, 'decision/').map(({ name }) => name);
  const before = stored();
  const { body } = await app.call('workspace/updateSettings', {}, key, { 'x-dry-run': 'true' });
  expect(await explain(body.decisionId)).toMatchObject({ code: 'viewer-refused' });
  expect(stored()).toEqual(before);
  const id = await denied('workspace/updateSettings', {}, key);
  expect(await explain(id)).toMatchObject({ code: 'viewer-refused' });
  expect(stored()).toEqual([...before, expect.stringMatching(new RegExp(`^decision/ws_[^/]+/${id}$`))]);
});

// Engines: one process.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApprovedChanges } from '../../../src/areas/approvals/pending-change/approved-changes.api.js';
import type { PendingChange } from '../../../src/areas/approvals/pending-change/pending-change.record.js';
import { CommandRunner } from '../../../src/engine/commands/command-runner.js';
import { DueSweeps } from '../../../src/engine/due/due-sweeps.js';
import { refusalOf } from '../../../src/http/http.refusals.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { keyOf, type Person, person } from '../../support/people.js';
import { type OutsideApp, sharedStandingTime } from '../../support/shared-outside.js';

let app: OutsideApp<MadeUpClock>;
let clock: MadeUpClock;
let editor: Person;
let admin: Person;
let viewer: Person;
let agentKey: string;
let connectionKey: string;
beforeAll(async () => {
  app = await sharedStandingTime();
  ({ clock } = app);
  [editor, admin, viewer] = [await person(app, 'editor'), await person(app, 'admin'), await person(app, 'viewer')];
  const agent = (await app.call('workspace/addAgent', { name: 'Bo' }, editor.key)).body;
  agentKey = await keyOf(app, { kind: 'agent', agentId: agent.id });
  connectionKey = await keyOf(app, { kind: 'connection', memberId: editor.id });
});
afterAll(() => app.close());

let made = 0;
const create = async (more: object = {}) =>
  (await app.call('automations/createFunction', { name: `fn ${made++}`, code: 'return 1', ...more })).body;
const get = async (id: string) => (await app.call('automations/getFunction', { id })).body;
const setPowers = (id: string, input: object, key?: string) =>
  app.call('automations/setFunctionCapabilities', { id, ...input }, key);
const approve = (card: { id: string; hash: string }, key?: string) =>
  app.call('approvals/approvePendingChange', { id: card.id, hash: card.hash }, key);
const getCard = async (id: string) => (await app.call('approvals/getPendingChange', { id })).body;
const pending = async (targetId: string) =>
  (await app.call('approvals/listPendingChanges', { targetId })).body.pendingChanges;
const asked = async (powers = ['email'], key?: string) => {
  const fn = await create();
  const { body } = await setPowers(fn.id, { capabilities: powers }, key);
  return { fn, card: body.pendingChange };
};

describe('a list of cards', () => {
  it('ends a page at about a megabyte, with the cursor of the next one', async () => {
    const codeOf = (n: number) => `// ${n}\n${'// a line that says nothing at all\n'.repeat(7_000)}`;
    const cards: string[] = [];
    for (let n = 0; n < 4; n++) {
      clock.advance(1_000);
      const { id, version } = await create({ code: codeOf(n) });
      const given = await setPowers(id, { capabilities: ['service'], seenVersion: version });
      await approve(given.body.pendingChange);
      const { updatedAt: seenUpdatedAt } = await get(id);
      const { body } = await app.call('automations/updateFunction', { id, code: codeOf(n + 1), seenUpdatedAt });
      const published = await app.call('automations/publishFunction', { id, versionId: body.draft.versionId });
      cards.push(published.body.pendingChange.id);
    }
    const pages = [];
    for (let next: string | null | undefined; next !== null; next = pages.at(-1).next) {
      const { body } = await app.call('approvals/listPendingChanges', next === undefined ? {} : { before: next });
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(1_100_000);
      pages.push(body);
    }
    expect(pages.length).toBeGreaterThan(1);
    const listed = pages.flatMap(({ pendingChanges }) => pendingChanges.map(({ id }: { id: string }) => id));
    expect(listed.filter((id) => cards.includes(id))).toEqual(cards.toReversed());
  });
});

describe('a power of a function', () => {
  it('waits for a person: the answer is 202 with a card, and nothing changes until approval', async () => {
    const fn = await create();
    const { status, body } = await setPowers(fn.id, { capabilities: ['email'] }, editor.key);
    expect([status, body.capabilities]).toEqual([202, []]);
    expect(body.pendingChange).toEqual({
      id: expect.stringMatching(/^change_[0-9a-z]{26}$/),
      kind: 'function-capabilities',
      summary: `Give the function '${fn.name}' the power 'email'.`,
      target: { kind: 'function', id: fn.id, name: fn.name },
      changes: [{ path: 'capabilities', from: [], to: ['email'] }],
      requestedBy: { kind: 'person', id: editor.id, name: expect.any(String) },
      approver: 'editor',
      status: 'pending',
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(body.approveLink).toMatch(new RegExp(`/approvals/${body.pendingChange.id}$`));
    expect(Date.parse(body.pendingChange.expiresAt) - clock.now()).toBe(7 * 24 * 3_600_000);
    const { context, risks, ...card } = await getCard(body.pendingChange.id);
    expect([card, context.means.length, risks]).toEqual([body.pendingChange, 1, []]);
    expect((await get(fn.id)).capabilities).toEqual([]);
    const approved = await approve(body.pendingChange, admin.key);
    expect([approved.status, approved.body.status]).toEqual([200, 'applied']);
    expect((await get(fn.id)).capabilities).toEqual(['email']);
    const history = (await app.call('audit/getHistory', { kind: 'function', id: fn.id })).body.events;
    expect(history.at(-1)).toMatchObject({ type: 'FunctionPowersGiven', actor: { id: admin.id } });
    const { id } = body.pendingChange;
    const ofCard = (await app.call('audit/getHistory', { kind: 'pendingChange', id }, viewer.key)).body.events;
    expect(ofCard.map(({ type }: { type: string }) => type)).toEqual([
      'PendingChangeProposed',
      'PendingChangeApproved',
      'PendingChangeApplied',
    ]);
  });

  it('is removed at once, with a notice and an Undo that restores it once', async () => {
    const { fn, card } = await asked(['email', 'env']);
    await approve(card);
    const taken = await setPowers(fn.id, { remove: ['email'] });
    expect([taken.status, taken.body.capabilities]).toEqual([200, ['env']]);
    expect(Date.parse(taken.body.undo.expiresAt) - clock.now()).toBe(24 * 3_600_000);
    const [notice] = (await app.call('approvals/listNotices')).body.notices;
    expect(notice).toEqual({
      id: taken.body.undo.id,
      kind: 'change',
      summary: `The function '${fn.name}' no longer has the power 'email'.`,
      target: { kind: 'function', id: fn.id, name: fn.name },
      createdAt: expect.any(String),
      undo: { available: true, expiresAt: taken.body.undo.expiresAt },
    });
    const undo = () => app.call('approvals/undoNotice', { id: notice.id });
    expect((await undo()).body).toEqual({ success: true });
    expect((await get(fn.id)).capabilities).toEqual(['email', 'env']);
    const again = await undo();
    expect([again.status, again.body.code]).toEqual([409, 'undo-unavailable']);
  });

  it('cannot be restored after another change, after a day, or by an agent', async () => {
    const { fn, card } = await asked();
    await approve(card);
    const notice = (await setPowers(fn.id, { capabilities: [] })).body.undo.id;
    expect((await app.call('approvals/undoNotice', { id: notice }, agentKey)).status).toBe(403);
    await app.call('automations/updateFunction', { id: fn.id, description: 'changed' });
    expect((await app.call('approvals/undoNotice', { id: notice })).body.code).toBe('undo-unavailable');
    const second = await asked();
    await approve(second.card);
    const late = (await setPowers(second.fn.id, { capabilities: [] })).body.undo.id;
    clock.advance(24 * 3_600_000);
    expect((await app.call('approvals/undoNotice', { id: late })).body.detail).toContain('it has expired');
    expect((await app.call('approvals/undoNotice', { id: 'undo_none' })).body.code).toBe('notice-not-found');
  });

  it('added and removed in one call: the removal is immediate, the addition waits on a card', async () => {
    const { fn, card } = await asked();
    await approve(card);
    const { status, body } = await setPowers(fn.id, { capabilities: ['email', 'env', 'users'], remove: ['email'] });
    expect([status, body.capabilities, body.pendingChange.changes]).toEqual([
      202,
      [],
      [{ path: 'capabilities', from: [], to: ['env', 'users'] }],
    ]);
    await approve(body.pendingChange);
    expect((await get(fn.id)).capabilities).toEqual(['env', 'users']);
  });

  it('that is held already waits for nobody', async () => {
    const { fn, card } = await asked();
    await approve(card);
    const { status, body } = await setPowers(fn.id, { capabilities: ['email'] });
    expect([status, body.pendingChange]).toEqual([200, undefined]);
  });

  it.each([
    [{}, 'invalid-input'],
    [{ capabilities: ['root'] }, 'invalid-input'],
    [{ remove: ['root'] }, 'invalid-input'],
    [{ capabilities: 'email' }, 'invalid-input'],
  ])('refuses a change of powers by %j', async (input, code) => {
    const fn = await create();
    const { status, body } = await setPowers(fn.id, input);
    expect([status, body.code]).toEqual([400, code]);
  });
});

describe('a card', () => {
  it('can only be approved by a person who may edit functions', async () => {
    const { card } = await asked();
    const codes = await Promise.all(
      [agentKey, connectionKey, viewer.key].map(async (key) => {
        const { status, body } = await approve(card, key);
        return [status, body.code];
      }),
    );
    expect(codes).toEqual([
      [403, 'only-a-person-decides'],
      [403, 'only-a-person-decides'],
      [403, expect.stringMatching(/may-not-decide|viewer-refused|permission-missing/)],
    ]);
    expect((await getCard(card.id)).status).toBe('pending');
  });

  it('is approved only in the version that was seen', async () => {
    const { card } = await asked();
    const { status, body } = await approve({ ...card, hash: 'f'.repeat(64) });
    expect([status, body.code, body.hash]).toEqual([409, 'pending-change-not-as-seen', card.hash]);
  });

  it('is applied once, however many approve it at once', async () => {
    const { fn, card } = await asked();
    const all = await Promise.all(Array.from({ length: 1_000 }, () => approve(card)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const history = (await app.call('audit/getHistory', { kind: 'function', id: fn.id })).body.events;
    expect(history.filter(({ type }: { type: string }) => type === 'FunctionPowersGiven')).toHaveLength(1);
    const again = await approve(card);
    expect([again.status, again.body.code]).toEqual([409, 'pending-change-decided']);
  }, 90_000);

  it('is refused and closed if its base has moved, with both states shown', async () => {
    const first = await asked(['env']);
    await approve(first.card);
    const { id } = first.fn;
    const card = (await setPowers(id, { capabilities: ['env', 'email'] })).body.pendingChange;
    await setPowers(id, { remove: ['env'] });
    const { status, body } = await approve(card);
    expect([status, body.code, body.details.pendingChange.status]).toEqual([409, 'pending-change-moved', 'failed']);
    expect([body.details.pendingChange.changes[0].from, body.details.standing]).toEqual([
      ['env'],
      { capabilities: [] },
    ]);
    expect([(await get(id)).capabilities, (await getCard(card.id)).status]).toEqual([[], 'failed']);
  });

  it('of a deleted function can no longer be approved', async () => {
    const { fn, card } = await asked();
    await app.call('automations/deleteFunction', { id: fn.id });
    expect((await approve(card)).body.code).toBe('pending-change-moved');
  });

  it('is replaced by a newer one of the same kind for the same target, and by no other', async () => {
    const { fn, card } = await asked(['email']);
    const newer = (await setPowers(fn.id, { capabilities: ['env'] })).body.pendingChange;
    expect((await getCard(card.id)).status).toBe('replaced');
    expect((await pending(fn.id)).map(({ id }: { id: string }) => id)).toEqual([newer.id]);
    const { status, body } = await approve(card);
    expect([status, body.code, body.detail]).toEqual([
      409,
      'pending-change-decided',
      expect.stringContaining('replaced'),
    ]);
    await approve(newer);
    expect((await get(fn.id)).capabilities).toEqual(['env']);
  });

  it('expires after seven days, which is recorded', async () => {
    const { card } = await asked();
    clock.advance(7 * 24 * 3_600_000);
    expect((await approve(card)).body.detail).toContain('expired');
    expect((await getCard(card.id)).status).toBe('expired');
    await app.app.get(DueSweeps, { strict: false }).sweep('pending-change-expiry');
    await app.app.get(DueSweeps, { strict: false }).sweep('pending-change-expiry');
    const listed = await app.call('approvals/listPendingChanges', { status: 'expired', targetId: card.target.id });
    expect(listed.body.pendingChanges.map(({ id }: { id: string }) => id)).toEqual([card.id]);
    const history = (await app.call('audit/getHistory', { kind: 'pendingChange', id: card.id })).body.events;
    expect(history.map(({ type }: { type: string }) => type)).toEqual([
      'PendingChangeProposed',
      'PendingChangeExpired',
    ]);
  });

  it('expires even if an older one cannot be changed', async () => {
    const { card: refused } = await asked();
    clock.advance(1_000);
    const { card } = await asked();
    const runner = app.app.get(CommandRunner);
    const present = runner.change.bind(runner);
    const change = jest.spyOn(runner, 'change').mockImplementation((call, command) => {
      if (command.id === refused.id) return Promise.reject(refusalOf('record-set-aside', { type: 'X' }));
      return present(call, command);
    });
    clock.advance(7 * 24 * 3_600_000);
    await app.app.get(DueSweeps).sweep('pending-change-expiry');
    expect(change).toHaveBeenCalledWith(expect.anything(), expect.objectContaining({ id: refused.id }));
    change.mockRestore();
    const expiredOf = async ({ id }: { id: string }) => {
      const { events } = (await app.call('audit/getHistory', { kind: 'pendingChange', id })).body;
      return events.some(({ type }: { type: string }) => type === 'PendingChangeExpired');
    };
    expect([await expiredOf(refused), await expiredOf(card)]).toEqual([false, true]);
  });

  it('is rejected once, with a reason, and never applied', async () => {
    const { fn, card } = await asked();
    const reject = () => app.call('approvals/rejectPendingChange', { id: card.id, reason: 'no' }, editor.key);
    expect((await reject()).body.status).toBe('rejected');
    expect((await reject()).body.code).toBe('pending-change-decided');
    expect((await approve(card)).status).toBe(409);
    expect((await get(fn.id)).capabilities).toEqual([]);
  });

  it('with fourEyes cannot be approved by the requester or the person behind a requesting agent', async () => {
    const mine = await asked(['email'], editor.key);
    const ofAgent = (await setPowers((await create()).id, { capabilities: ['env'] }, agentKey)).body.pendingChange;
    await app.call('workspace/updateSettings', { fourEyes: true });
    for (const card of [mine.card, ofAgent]) {
      const { status, body } = await approve(card, editor.key);
      expect([status, body.code]).toEqual([403, 'four-eyes']);
      expect((await approve(card, admin.key)).status).toBe(200);
    }
    await app.call('workspace/updateSettings', { fourEyes: false });
  });

  it('is listed newest first, by status, in pages, and never in another workspace', async () => {
    const cards = [await asked(), await asked(), await asked()].map(({ card }) => card);
    const list = async (input: object, key?: string) =>
      (await app.call('approvals/listPendingChanges', input, key)).body.pendingChanges.map(
        ({ id }: { id: string }) => id,
      );
    const newest = [...cards].reverse().map(({ id }) => id);
    expect((await list({ limit: 3 })).sort()).toEqual([...newest].sort());
    const [first] = await list({ limit: 1 });
    expect(await list({ limit: 1, before: first })).not.toContain(first);
    await approve(cards[0]);
    expect(await list({ status: 'applied', targetId: cards[0].target.id })).toEqual([cards[0].id]);
    expect(await list({ targetId: cards[0].target.id })).toEqual([]);
    expect((await app.call('approvals/getPendingChange', { id: 'change_none' })).status).toBe(404);
  });

  it('that was approved when the process died is applied by the next', async () => {
    const { fn, card } = await asked();
    const approved = app.app.get(ApprovedChanges, { strict: false });
    const apply = approved.apply.bind(approved);
    approved.apply = async () => {
      throw new Error('lost');
    };
    expect((await approve(card)).status).toBe(500);
    expect((await getCard(card.id)).status).toBe('pending');
    approved.apply = apply;
    clock.advance(10_000);
    await eventually(
      async () => (await getCard(card.id)).status,
      (status) => {
        clock.advance(1_000);
        return status === 'applied';
      },
    );
    expect((await get(fn.id)).capabilities).toEqual(['email']);
  });

  /** Approves a card whose application is held back until the test calls `applyIt`. */
  const heldUp = async () => {
    const { fn, card } = await asked();
    const approved = app.app.get(ApprovedChanges, { strict: false });
    const apply = approved.apply.bind(approved);
    let change: PendingChange | undefined;
    approved.apply = async (found) => {
      change = found;
      throw new Error('held up');
    };
    await approve(card);
    approved.apply = apply;
    if (change === undefined) throw new Error('It was not to be applied.');
    const held = change;
    return { fn, applyIt: () => apply(held) };
  };

  it('that two apply at the same moment is applied once, as its events show', async () => {
    const { fn, applyIt } = await heldUp();
    const first = applyIt();
    clock.advance(5);
    expect((await Promise.all([first, applyIt()])).map(({ status }) => status)).toEqual(['applied', 'applied']);
    const { updatedAt } = await get(fn.id);
    const input = { id: fn.id, code: 'return 2', seenUpdatedAt: updatedAt };
    const saved = await app.call('automations/updateFunction', input);
    expect([saved.status, saved.body.code]).toEqual([200, 'return 1']);
  });

  it('that another applies between two reads is answered in its new state', async () => {
    const { applyIt } = await heldUp();
    const store = app.app.get(EventStore);
    const readStream = store.readStream.bind(store);
    store.readStream = async (stream, options) => {
      if (stream.startsWith('pendingChange-') && options === undefined) {
        store.readStream = readStream;
        await applyIt();
      }
      return readStream(stream, options);
    };
    expect((await applyIt()).status).toBe('applied');
  });
});

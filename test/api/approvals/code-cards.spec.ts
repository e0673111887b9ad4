import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Reply, TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { agentWith } from '../../support/automations/agents.js';
import { done, keyOf, type Person, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let editor: Person;
let id: string;
let made = 0;
beforeAll(async () => {
  app = await sharedApp();
  editor = await person(app, 'editor');
});
afterAll(() => app.close());
beforeEach(async () => {
  id = (await done(app, 'automations/createFunction', { name: `Refund ${made++}`, code: 'return 1' })).id;
});
afterEach(() => settings({ codeCards: 'full-data-access', versions: true }));

const settings = (sent: object) => done(app, 'workspace/updateSettings', sent);
const get = () => done(app, 'automations/getFunction', { id });
const call = (operation: string, input: object, key?: string) =>
  app.call(`automations/${operation}`, { id, ...input }, key);
const give = async (...add: string[]) =>
  approved(app, await call('setFunctionCapabilities', { add, seenVersion: (await get()).version }));
const save = async (code: string, more: object = {}, key?: string) =>
  call('updateFunction', { code, ...more, seenUpdatedAt: (await get()).updatedAt }, key);
const publish = async (code: string) => {
  const { body } = await save(code);
  return call('publishFunction', { versionId: body.draft.versionId });
};
const card = ({ status, body }: Reply) => {
  expect([status, body.detail]).toEqual([202, undefined]);
  return body.pendingChange;
};
const noticeOf = async () =>
  (await done(app, 'approvals/listNotices')).notices.find((one: { target: { id: string } }) => one.target.id === id);

describe('new code of a function that has powers or secrets', () => {
  beforeEach(() => give('email'));

  it('goes live with a notice, whose Undo makes the previous version live again', async () => {
    const { liveVersionId } = await get();
    const { status, body } = await publish('return 2');
    expect([status, body.number]).toEqual([200, 2]);
    expect(await noticeOf()).toMatchObject({
      id: body.undo.id,
      summary: expect.stringMatching(
        /^The function 'Refund \d+', which holds the power 'email', has new code, version 2\.$/,
      ),
      undo: { available: true },
    });
    await done(app, 'approvals/undoNotice', { id: body.undo.id });
    expect(await get()).toMatchObject({ code: 'return 1', liveVersionId, capabilities: ['email'] });
    expect((await noticeOf()).undo.available).toBe(false);
  });

  it('gives a notice for a rollback, whose Undo restores it', async () => {
    const { liveVersionId: versionId } = await get();
    await publish('return 2');
    const { body } = await call('rollBackFunction', { versionId });
    expect(await noticeOf()).toMatchObject({ summary: expect.stringContaining('was rolled back to version 1') });
    await done(app, 'approvals/undoNotice', { id: body.undo.id });
    expect((await get()).code).toBe('return 2');
  });

  it('gives a notice for a save with versions off, whose Undo keeps the other saved fields', async () => {
    await settings({ versions: false });
    const { status, body } = await save('return 2', { description: 'Said', isActive: true });
    expect(status).toBe(200);
    await done(app, 'approvals/undoNotice', { id: body.undo.id });
    expect(await get()).toMatchObject({ code: 'return 1', description: 'Said', isActive: true });
  });

  it('gives no notice if the function has nothing, or the code is the same', async () => {
    const { body } = await call('updateFunction', { timeout: 5_000 });
    expect((await call('publishFunction', { versionId: body.draft.versionId })).body.undo).toBeUndefined();
    await call('setFunctionCapabilities', { remove: ['email'] });
    expect((await publish('return 2')).body.undo).toBeUndefined();
  });
});

describe("with codeCards 'powers'", () => {
  beforeEach(() => settings({ codeCards: 'powers' }));

  it('a publication of a function that has a power waits, and nothing is live until approval', async () => {
    await give('email');
    const waits = await publish('return 2');
    expect(card(waits)).toMatchObject({
      kind: 'function-publish',
      summary: expect.stringMatching(
        /^Publish version 2 of the function 'Refund \d+', which holds the power 'email'\.$/,
      ),
      changes: [{ path: 'code', from: 'return 1', to: 'return 2' }],
    });
    expect((await get()).code).toBe('return 1');
    await approved(app, waits);
    expect((await get()).code).toBe('return 2');
  });

  it('a rollback waits, and a save with versions off waits as a whole', async () => {
    const { liveVersionId: versionId } = await get();
    await publish('return 2');
    await give('email');
    const back = await call('rollBackFunction', { versionId });
    expect(card(back).kind).toBe('function-roll-back');
    await approved(app, back);
    await settings({ versions: false });
    const saved = await save('return 3', { name: `Renamed ${made++}` });
    expect(card(saved).changes.map(({ path }: { path: string }) => path)).toEqual(['name', 'code']);
    expect(await get()).toMatchObject({ name: expect.stringMatching(/^Refund/), code: 'return 1' });
    await approved(app, saved);
    expect(await get()).toMatchObject({ name: expect.stringMatching(/^Renamed/), code: 'return 3' });
  });

  it('functions without powers, and changes other than code, do not wait', async () => {
    expect((await publish('return 2')).status).toBe(200);
    await give('email');
    await settings({ versions: false });
    expect((await call('updateFunction', { timeout: 5_000 })).status).toBe(200);
  });

  it('applies to data functions of a site and to its code functions', async () => {
    const { id: projectId, linkedBaseId: baseId } = await done(app, 'site/createProject', { name: `Shop ${made++}` });
    await done(app, 'bases/createTable', { baseId, name: 'posts' });
    await settings({ codeCards: 'all', versions: false });
    const code = await done(app, 'site/createBackendFunction', { projectId, name: 'pay', code: 'return 1' });
    const ofCode = { projectId, functionId: code.functionId ?? code.id };
    const { updatedAt: seenUpdatedAt } = await done(app, 'site/getBackendFunction', ofCode);
    const saved = await app.call('site/updateBackendFunction', { ...ofCode, code: 'return 2', seenUpdatedAt });
    expect(card(saved).kind).toBe('function-save');
    const definition = { kind: 'list', table: 'posts' };
    const data = await done(app, 'site/createDataFunction', { projectId, name: 'posts', definition });
    const ofData = { projectId, functionId: data.functionId ?? data.id };
    const limited = await app.call('site/updateDataFunction', { ...ofData, definition: { ...definition, limit: 1 } });
    expect(card(limited).kind).toBe('function-save');
  });
});

describe("with codeCards 'all'", () => {
  beforeEach(() => settings({ codeCards: 'all' }));

  it('every publication waits, and is not affected by a power granted in the meantime', async () => {
    const waits = await publish('return 2');
    expect(card(waits).summary).toMatch(/^Publish version 2 of the function 'Refund \d+'\.$/);
    await give('email');
    await approved(app, waits);
    expect((await get()).code).toBe('return 2');
  });

  it('Full data access granted in the meantime voids it, because the code was approved for an ordinary function', async () => {
    const { id: cardId, hash } = card(await publish('return 2'));
    await give('service');
    const { body } = await app.call('approvals/approvePendingChange', { id: cardId, hash });
    expect([body.code, body.detail]).toEqual([
      'pending-change-moved',
      expect.stringMatching(/function powers given: .*, by Owner on /),
    ]);
    const again = await app.call('approvals/askAgain', { id: cardId });
    expect(card(again).summary).toMatch(/, which has Full data access\.$/);
  });

  it('machines can publish no more than before, and approve nothing', async () => {
    const agent = await agentWith(app);
    const key = await keyOf(app, { kind: 'agent', agentId: agent.id });
    const automation = await keyOf(app, { kind: 'automation' });
    const { versionId } = (await save('return 2')).body.draft;
    for (const machine of [key, automation]) {
      const refused = await call('publishFunction', { versionId }, machine);
      expect([refused.status, refused.body.code]).toEqual([403, 'drafts-only']);
    }
    const { id: cardId, hash } = card(await call('publishFunction', { versionId }, editor.key));
    for (const machine of [key, automation]) {
      const refused = await app.call('approvals/approvePendingChange', { id: cardId, hash }, machine);
      expect([refused.status, refused.body.code]).toEqual([403, 'only-a-person-decides']);
    }
    await done(app, 'approvals/approvePendingChange', { id: cardId, hash }, editor.key);
    expect((await get()).code).toBe('return 2');
  });
});

describe('the setting', () => {
  it('is one of three words, and set by those who manage the workspace', async () => {
    const { status, body } = await app.call('workspace/updateSettings', { codeCards: 'none' });
    expect([status, body.errors[0].path]).toEqual([400, 'codeCards']);
    expect((await app.call('workspace/updateSettings', { codeCards: 'all' }, editor.key)).status).toBe(403);
    expect((await settings({ codeCards: 'powers' })).codeCards).toBe('powers');
  });
});

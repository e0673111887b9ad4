import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { siteFunctions } from '../../../src/areas/functions/function/function.record.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { done, keyOf, type Person, person } from '../../support/people.js';
import { type OutsideApp, sharedStandingTime } from '../../support/shared-outside.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { recordedBefore } from '../../support/stores/recorded-before.js';

let clock: MadeUpClock;
let app: OutsideApp<MadeUpClock>;
let site: SiteFunctionsScene;
let functionId: string;
let editor: Person;
beforeAll(async () => {
  app = await sharedStandingTime();
  ({ clock } = app);
  editor = await person(app, 'editor');
});
afterAll(() => app.close());

const day = 24 * 3_600_000;
const tool = { inputSchema: { type: 'object' } };

/** A function that is exposed as a tool and has connections and Full data access. */
beforeEach(async () => {
  await done(app, 'workspace/updateSettings', { versions: false, fourEyes: false });
  site = await SiteFunctionsScene.of(app, `Shop ${crypto.randomUUID()}`);
  functionId = (await site.create('greet', 'return 1', { exposed: true, toolSpec: tool })).id;
  const connections = [{ id: 'con_1', tools: ['read', 'write'] }, { id: 'con_2' }];
  await recordedBefore(app, siteFunctions, functionId, ({ grants, liveVersionId: versionId }) => ({
    type: 'FunctionDefinitionChanged' as const,
    data: { grants: { ...grants, connections }, versionId, linesChanged: 0 },
  }));
  await site.empower(functionId, ['service']);
});

const call = (operation: string, more: object = {}, key?: string) =>
  app.call(`site/${operation}`, { projectId: site.projectId, functionId, ...more }, key);
const update = (more: object, key?: string) => call('updateBackendFunction', more, key);
const got = async () => (await call('getBackendFunction')).body;
const undo = async (id: string) => {
  const { status, body } = await app.call('approvals/undoNotice', { id });
  return [status, body.code];
};
const noticed = async (id: string) =>
  (await done(app, 'approvals/listNotices')).notices.find((notice: { id: string }) => notice.id === id);
const fixing = (on = true, key?: string) => call('keepFixing', { on }, key);

describe('a removal from a function with Full data access', () => {
  it.each([
    ['a connection', { connections: [{ id: 'con_2' }] }, 'connections', 'lost some of its access'],
    [
      'tools of a connection',
      { connections: [{ id: 'con_1', tools: ['read'] }] },
      'connections',
      'lost some of its access',
    ],
    ['all connections', { connections: [] }, 'connections', 'lost some of its access'],
    ['the tool schema', { toolSpec: null }, 'toolSpec', 'is no longer a tool'],
    ['exposure', { exposed: false }, 'exposed', 'is no longer exposed'],
    ['activity', { isActive: false }, 'isActive', 'was switched off'],
  ])('is immediate, with a notice and an Undo: %s', async (_, sent, field, told) => {
    const before = await got();
    const { status, body } = await update(sent);
    expect([status, body[field], body.pendingChange]).toEqual([200, Object.values(sent)[0], undefined]);
    expect((await got())[field]).toEqual(Object.values(sent)[0]);
    expect(await noticed(body.undo.id)).toMatchObject({
      summary: `The function 'greet' ${told}.`,
      target: { kind: 'siteFunction', id: functionId },
      undo: { available: true, expiresAt: body.undo.expiresAt },
    });
    expect(await undo(body.undo.id)).toEqual([200, undefined]);
    expect((await got())[field]).toEqual(before[field]);
    expect(await undo(body.undo.id)).toEqual([409, 'undo-unavailable']);
  });

  it('of several things makes one notice, whose Undo restores all of them', async () => {
    const before = await got();
    const { body } = await update({ exposed: false, connections: [], toolSpec: null, isActive: false });
    expect((await noticed(body.undo.id)).summary).toBe(
      "The function 'greet' is no longer exposed, lost some of its access, is no longer a tool, was switched off.",
    );
    expect(await undo(body.undo.id)).toEqual([200, undefined]);
    const { exposed, connections, toolSpec, isActive, liveVersionId } = before;
    expect(await got()).toMatchObject({ exposed, connections, toolSpec, isActive, liveVersionId });
  });

  it.each([
    ['code', { code: 'return 2' }],
    ['a new name', { name: 'greet again' }],
    ['more tools of a connection', { connections: [{ id: 'con_1' }] }],
    ['access rules', { accessRules: { execute: { type: 'public', scope: 'everywhere' } } }],
  ])('waits completely for a card together with %s', async (_, more) => {
    const before = await got();
    const { status, body } = await update({ exposed: false, ...more });
    expect([status, body.undo]).toEqual([202, undefined]);
    expect(await got()).toEqual(before);
  });

  it('cannot be undone after another change, nor after a day', async () => {
    const first = (await update({ exposed: false })).body.undo.id;
    const second = (await update({ toolSpec: null })).body.undo.id;
    expect(await undo(first)).toEqual([409, 'undo-unavailable']);
    clock.advance(day);
    expect(await undo(second)).toEqual([409, 'undo-unavailable']);
    expect(await got()).toMatchObject({ exposed: false, toolSpec: null });
  });

  it('in a draft is published at once with an Undo, while other drafts wait', async () => {
    await done(app, 'workspace/updateSettings', { versions: true });
    const publish = async (sent: object) => {
      const { draft } = (await update(sent)).body;
      return call('publishBackendFunction', { versionId: draft.versionId });
    };
    const { status, body } = await publish({ connections: [] });
    expect([status, (await got()).connections]).toEqual([200, []]);
    expect(await undo(body.undo.id)).toEqual([200, undefined]);
    expect((await got()).connections).toHaveLength(2);
    expect((await publish({ code: 'return 2' })).status).toBe(202);
  });
});

describe('with versions on', () => {
  beforeEach(() => done(app, 'workspace/updateSettings', { versions: true }));

  it.each([{ name: 'greet again' }, { description: 'New.' }, { exposed: true }, { isActive: true }])(
    '%j waits for a card, which applies only this and keeps the open draft',
    async (sent) => {
      await update({ exposed: false, isActive: false });
      const { draft } = (await update({ code: 'return 2' })).body;
      const before = await got();
      const { status, body } = await update(sent);
      expect([status, body.pendingChange?.kind]).toEqual([202, 'function-save']);
      expect(await got()).toEqual(before);
      await site.approve(body);
      expect(await got()).toMatchObject({ ...sent, code: 'return 1', liveVersionId: before.liveVersionId, draft });
    },
  );

  it('saves the draft of a call whose description waits, and the card outlives further drafts', async () => {
    const { status, body } = await update({ code: 'return 2', description: 'New.' });
    expect([status, body.draft?.code, body.description]).toEqual([202, 'return 2', '']);
    const { draft } = (await update({ code: 'return 3' })).body;
    await site.approve(body);
    expect(await got()).toMatchObject({ description: 'New.', code: 'return 1', draft });
  });

  it('refuses a name that is taken, and saves no draft then', async () => {
    await site.create('taken', 'return 1');
    const { status, body } = await update({ code: 'return 2', name: 'taken' });
    expect([status, body.code, (await got()).draft]).toEqual([409, 'function-name-taken', null]);
  });
});

describe('keepFixing', () => {
  const until = () => new Date(clock.now() + day).toISOString();

  it('lets new code by anybody who may save go live at once, with an Undo that restores the former code', async () => {
    const wanted = until();
    expect((await fixing()).body).toEqual({ keepFixingUntil: wanted });
    const before = await got();
    expect(before.keepFixingUntil).toBe(wanted);
    for (const key of [undefined, editor.key, await keyOf(app, { kind: 'connection' })]) {
      const { status, body } = await update({ code: 'return 2' }, key);
      expect([status, body.code, body.pendingChange]).toEqual([200, 'return 2', undefined]);
      expect(await site.result('greet')).toBe(2);
      expect((await noticed(body.undo.id)).summary).toBe("The function 'greet' has new code.");
      expect(await undo(body.undo.id)).toEqual([200, undefined]);
      const { code, liveVersionId } = await got();
      expect([code, liveVersionId, await site.result('greet')]).toEqual(['return 1', before.liveVersionId, 1]);
    }
  });

  it('restores large code too', async () => {
    const large = (text: string) => `return '${text}' //${'x'.repeat(50_000)}`;
    await fixing();
    await update({ code: large('one') });
    const { body } = await update({ code: large('two') });
    expect(await site.result('greet')).toBe('two');
    expect(await undo(body.undo.id)).toEqual([200, undefined]);
    expect([(await got()).code, await site.result('greet')]).toEqual([large('one'), 'one']);
  });

  it.each([
    ['description', { description: 'New.' }],
    ['name', { name: 'other' }],
    ['connections', { connections: [{ id: 'con_1' }, { id: 'con_2' }] }],
    ['access rules', { accessRules: { execute: { type: 'public', scope: 'everywhere' } } }],
    ['tool schema', { toolSpec: { inputSchema: { type: 'object', properties: {} } } }],
    ['timeout', { timeout: 2_000 }],
  ])('covers code only: a save that also changes %s waits completely', async (_, more) => {
    await fixing();
    const before = await got();
    for (const sent of [more, { ...more, code: 'return 2' }]) expect((await update(sent)).status).toBe(202);
    expect(await got()).toEqual(before);
  });

  it('covers code together with a removal', async () => {
    await fixing();
    const { status, body } = await update({ code: 'return 2', exposed: false });
    expect([status, body.code, body.exposed]).toEqual([200, 'return 2', false]);
    await undo(body.undo.id);
    expect(await got()).toMatchObject({ code: 'return 1', exposed: true });
  });

  it('ends after 24 hours, when it is withdrawn, and with Full data access', async () => {
    const waits = async () => [(await got()).keepFixingUntil, (await update({ code: 'return 2' })).status];
    await fixing();
    clock.advance(day);
    expect(await waits()).toEqual([null, 202]);
    await fixing();
    expect((await fixing(false)).body).toEqual({ keepFixingUntil: null });
    expect(await waits()).toEqual([null, 202]);
    await fixing();
    await call('setFunctionCapabilities', { remove: ['service'] });
    await site.empower(functionId, ['service']);
    expect(await waits()).toEqual([null, 202]);
  });

  it('cannot be undone after a later change', async () => {
    await fixing();
    const { id } = (await update({ code: 'return 2' })).body.undo;
    await update({ code: 'return 3' });
    expect(await undo(id)).toEqual([409, 'undo-unavailable']);
    expect((await got()).code).toBe('return 3');
  });

  it('lets a draft with code only be published at once if versions are on', async () => {
    await done(app, 'workspace/updateSettings', { versions: true });
    await fixing();
    const { draft, code } = (await update({ code: 'return 2' })).body;
    expect(code).toBe('return 1');
    const { status, body } = await call('publishBackendFunction', { versionId: draft.versionId });
    expect([status, await site.result('greet')]).toEqual([200, 2]);
    expect(await undo(body.undo.id)).toEqual([200, undefined]);
    expect(await site.result('greet')).toBe(1);
  });

  it('does not apply to the person who gave it, with four eyes', async () => {
    await done(app, 'workspace/updateSettings', { fourEyes: true });
    await fixing(true, editor.key);
    expect((await update({ code: 'return 2' }, editor.key)).status).toBe(202);
    expect((await update({ code: 'return 2' })).status).toBe(200);
  });

  it('requires a person who may change the site, and code with Full data access', async () => {
    const refused = async (key: string) => {
      const { status, body } = await fixing(true, key);
      return [status, body.code];
    };
    for (const kind of ['automation', 'connection', 'flow'] as const) {
      expect((await refused(await keyOf(app, { kind })))[0]).toBe(403);
    }
    expect((await refused((await person(app, 'viewer')).key))[0]).toBe(403);
    expect((await refused(await keyOf(app, { kind: 'person', readOnly: true })))[0]).toBe(403);
    expect((await got()).keepFixingUntil).toBeNull();
    const plain = await site.create('plain', 'return 1');
    const { status, body } = await call('keepFixing', { functionId: plain.id });
    expect([status, body.code]).toEqual([409, 'nothing-to-keep-fixing']);
  });
});

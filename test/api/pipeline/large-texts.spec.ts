// Second tier.
import { hash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { Texts } from '../../../src/ports/texts.port.js';
import { allOf } from '../../support/all-of.js';
import { startApp, type TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { done, otherWorkspace } from '../../support/people.js';
import { cli, embedded, Folders } from '../../support/stores/log-transfer.js';

const folders = new Folders();
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ environment: embedded });
});
afterAll(async () => {
  await app.close();
  folders.remove();
});

let made = 0;
/** Code of about 200 KB. No other code shares a line with it. */
function longCode(answer: string | number): string {
  const own = hash('sha256', `${made++}`, 'hex');
  const lines = Array.from({ length: 2_000 }, (_, n) => `// ${hash('sha256', `${own}/${n}`, 'hex')} is line ${n}`);
  return `${lines.join('\r\n')}\r\nreturn ${answer};`;
}

const create = (code: string, more: object = {}, of = app) =>
  done(of, 'automations/createFunction', { name: `large ${made++}`, code, ...more });
const get = (id: string, of = app) => done(of, 'automations/getFunction', { id });
const reply = async (id: string, change: object) => {
  const { updatedAt: seenUpdatedAt } = await get(id);
  return app.call('automations/updateFunction', { id, seenUpdatedAt, ...change });
};
const save = async (id: string, change: object) => (await reply(id, change)).body;
const publish = (id: string, versionId: string) => done(app, 'automations/publishFunction', { id, versionId });
const invoke = async (id: string, of = app) => (await done(of, 'automations/invokeFunction', { id })).result;

/** Every event that contains the record's id, as JSON. */
async function logged(id: string, of = app): Promise<readonly string[]> {
  const store = of.app.get(EventStore);
  const all = await store.readAll({ limit: 10_000 });
  return all.map((event) => JSON.stringify(event)).filter((event) => event.includes(id));
}
interface Card {
  readonly changes: readonly { readonly path: string; readonly from: unknown; readonly to: unknown }[];
}

const sha256 = (text: string) => hash('sha256', text, 'hex');

describe('large code', () => {
  it('is in the log by its digest, and in every answer as it was sent', async () => {
    const code = longCode(1);
    const fn = await create(code);
    expect([fn.code === code, (await get(fn.id)).code === code]).toEqual([true, true]);
    const events = await logged(fn.id);
    expect(events.some((event) => event.includes(sha256(code)))).toBe(true);
    expect(Math.max(...events.map(({ length }) => length))).toBeLessThan(3_000);
    expect(await invoke(fn.id)).toBe(1);
  });

  it('can be saved as a draft, published, rolled back and run, always in the right version', async () => {
    const codes = [longCode(1), longCode(2)] as const;
    const fn = await create(codes[0]);
    const saved = await save(fn.id, { code: codes[1] });
    expect([saved.code === codes[0], saved.draft.code === codes[1]]).toEqual([true, true]);
    const { versions } = await done(app, 'automations/listFunctionVersions', { functionId: fn.id });
    expect(versions.map(({ linesChanged }: { linesChanged: number }) => linesChanged)).toEqual([2_001, 2_001]);
    await publish(fn.id, saved.draft.versionId);
    expect([(await get(fn.id)).code === codes[1], await invoke(fn.id)]).toEqual([true, 2]);
    await done(app, 'automations/rollBackFunction', { id: fn.id, versionId: fn.liveVersionId });
    expect([(await get(fn.id)).code === codes[0], await invoke(fn.id)]).toEqual([true, 1]);
    expect(Math.max(...(await logged(fn.id)).map(({ length }) => length))).toBeLessThan(5_000);
  });

  it('that is saved unchanged changes nothing', async () => {
    const code = longCode(1);
    const fn = await create(code);
    expect((await save(fn.id, { code })).updatedAt).toBe(fn.updatedAt);
    const { events } = await done(app, 'audit/getHistory', { kind: 'function', id: fn.id });
    expect(events).toHaveLength(1);
  });

  it('is shown by the audit: by digest in lists, completely for one event', async () => {
    const codes = [longCode(1), longCode(2)] as const;
    const fn = await create(codes[0]);
    await save(fn.id, { code: codes[1] });
    const { events } = await done(app, 'audit/getHistory', { kind: 'function', id: fn.id });
    const leftOut = { leftOut: 'text', bytes: Buffer.byteLength(codes[1]), sha256: sha256(codes[1]) };
    expect(events[1].data.code).toEqual(leftOut);
    expect(events[1].changes.find(({ path }: { path: string }) => path === 'draft').to.code).toEqual(leftOut);
    const listed = await done(app, 'audit/listEvents', { id: fn.id, kind: 'function', limit: 1 });
    expect(listed.events[0].data.code).toEqual(leftOut);
    const one = await done(app, 'audit/getEvent', { position: events[1].position });
    expect(one.data.code === codes[1]).toBe(true);
    await publish(fn.id, (await get(fn.id)).draft.versionId);
    const again = await save(fn.id, { code: longCode(3) });
    await publish(fn.id, again.draft.versionId);
    const after = await done(app, 'audit/getHistory', { kind: 'function', id: fn.id });
    const change = after.events.at(-1).changes.find(({ path }: { path: string }) => path === 'code');
    expect(change.from).toEqual(leftOut);
  });

  it.each([true, false])('waits on a card that shows both texts, with versions switched on: %s', async (versions) => {
    const codes = [longCode(1), longCode(2)] as const;
    const fn = await create(codes[0]);
    const { version: seenVersion } = fn;
    const powerful = { id: fn.id, capabilities: ['service'], seenVersion };
    await approved(app, await app.call('automations/setFunctionCapabilities', powerful));
    await done(app, 'workspace/updateSettings', { versions });
    const saved = await reply(fn.id, { code: codes[1] });
    const waits = versions
      ? await app.call('automations/publishFunction', { id: fn.id, versionId: saved.body.draft.versionId })
      : saved;
    await done(app, 'workspace/updateSettings', { versions: true });
    const shown = (card: Card) =>
      card.changes.filter(({ path }) => path === 'code').map(({ from, to }) => [from === codes[0], to === codes[1]]);
    const { id } = waits.body.pendingChange;
    expect(shown(waits.body.pendingChange)).toEqual([[true, true]]);
    expect(shown(await done(app, 'approvals/getPendingChange', { id }))).toEqual([[true, true]]);
    const { pendingChanges } = await done(app, 'approvals/listPendingChanges', { targetId: fn.id });
    expect(shown(pendingChanges[0])).toEqual([[true, true]]);
    expect(Math.max(...(await logged(id)).map(({ length }) => length))).toBeLessThan(5_000);
    await approved(app, waits);
    expect((await get(fn.id)).code === codes[1]).toBe(true);
    expect(await invoke(fn.id)).toBe(2);
  });

  it('of two workspaces is stored for each separately', async () => {
    const code = longCode(1);
    await create(code);
    const { ownerKey } = await otherWorkspace(app);
    expect((await app.call('automations/createFunction', { name: 'Theirs', code }, ownerKey)).body.code === code).toBe(
      true,
    );
    const held = (await allOf(app.app.get(Texts).storedTexts())).filter(({ digest }) => digest === sha256(code));
    expect(new Set(held.map(({ workspaceId }) => workspaceId)).size).toBe(2);
  });

  it('is returned as it was sent, after any sequence of saves', async () => {
    // Without unpaired surrogates and U+0000, which the service refuses.
    const unit = fc.oneof(
      fc.integer({ min: 1, max: 0xd7ff }),
      fc.integer({ min: 0xe000, max: 0xffff }),
      fc.constantFrom(13, 10, 0xfeff),
    );
    const text = fc.array(unit, { maxLength: 60 });
    const cut = fc.record({ at: fc.nat(4_000), gone: fc.nat(100), text });
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { minLength: 1, maxLength: 6 }), async (cuts) => {
        // Inside a comment, line ends are preserved and everything but the end of the comment is allowed.
        const commented = (inner: string) => `return 1; /*\ufeff${inner.replaceAll('*/', '')}\u2028*/`;
        let inner = 'a line of a comment\r\n'.repeat(200);
        const fn = await create(commented(inner));
        for (const { at, gone, text: units } of cuts) {
          inner = inner.slice(0, at) + String.fromCharCode(...units) + inner.slice(at + gone);
          const code = commented(inner);
          const saved = await save(fn.id, { code });
          const shown = await get(fn.id);
          expect([saved, shown].every((one) => (one.draft ?? one).code === code)).toBe(true);
        }
      }),
      { numRuns: 6 },
    );
  });

  it('is not stored if the save is refused', async () => {
    const texts = app.app.get(Texts);
    const fn = await create(longCode(1));
    const before = (await allOf(texts.storedTexts())).length;
    const late = await app.call('automations/updateFunction', {
      id: fn.id,
      code: longCode(2),
      seenUpdatedAt: '2020-01-01T00:00:00.000Z',
    });
    const invalid = await reply(fn.id, { code: `${longCode(3)} a b` });
    expect([late.status, invalid.status]).toEqual([409, 400]);
    expect((await allOf(texts.storedTexts())).length).toBe(before);
  });
});

describe('the store of texts', () => {
  it('is transferred with the log to another installation', async () => {
    const code = longCode(4);
    const fn = await create(code);
    await save(fn.id, { code: code.replace('is line 9\r', 'is changed\r') });
    const file = join(folders.make(), 'log.ndjson');
    const exported = await cli({ ...app.environment, ...embedded }, 'log:export', file);
    expect(exported.error).toBe('');
    expect(exported.said.texts).toBeGreaterThan(1);
    const dataDir = folders.make();
    const imported = await cli({ ...embedded, DATA_DIR: dataDir }, 'log:import', file);
    expect(imported).toMatchObject({ code: 0, said: { texts: exported.said.texts } });
    expect(await cli({ ...embedded, DATA_DIR: dataDir }, 'log:import', file)).toMatchObject({ code: 0 });
    const there = await startApp({ dataDir, ownerKey: app.ownerKey, environment: embedded });
    expect([(await get(fn.id, there)).code === code, await invoke(fn.id, there)]).toEqual([true, 4]);
    await there.close();
  });

  it('is included in a backup, and complete after a restore', async () => {
    const code = longCode(5);
    const fn = await create(code);
    const kept = join(folders.make(), 'kept');
    expect(await cli({ ...app.environment, ...embedded }, 'backup', kept)).toMatchObject({ code: 0 });
    expect(readdirSync(kept)).toContain('texts.db');
    expect(statSync(join(kept, 'texts.db')).mode & 0o777).toBe(0o600);
    const dataDir = join(folders.make(), 'data');
    expect(await cli({ ...embedded, DATA_DIR: dataDir }, 'restore', kept)).toMatchObject({ code: 0 });
    const there = await startApp({ dataDir, ownerKey: app.ownerKey, environment: embedded });
    expect((await get(fn.id, there)).code === code).toBe(true);
    await there.close();
  });

  it('answers 503 and records nothing while it is away', async () => {
    const there = await startApp({ environment: embedded });
    const fn = await create(longCode(1), {}, there);
    const before = (await logged(fn.id, there)).length;
    await there.app.get(Texts).close();
    const { updatedAt: seenUpdatedAt } = fn;
    const refused = await there.call('automations/updateFunction', { id: fn.id, code: longCode(2), seenUpdatedAt });
    expect(refused.status).toBe(503);
    expect(refused.body.detail).toContain('The store of texts cannot be reached');
    expect((await logged(fn.id, there)).length).toBe(before);
    await there.close();
  });
});

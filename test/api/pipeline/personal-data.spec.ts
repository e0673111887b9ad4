import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { reservationStream } from '../../../src/engine/commands/reservation.js';
import { EventStore, RecordedLog } from '../../../src/ports/event-store.port.js';
import { Vault } from '../../../src/ports/vault.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { Fate } from '../../support/given/mortal-vault.js';
import { done } from '../../support/people.js';
import { PageClient } from '../../support/sites/page-client.js';
import { cli, embedded, Folders } from '../../support/stores/log-transfer.js';

const folders = new Folders();
const apps: TestApp[] = [];
let app: TestApp;
let fate: Fate;
let workspaceId: string;

const grace = { name: 'Zyxomma Quillfeather', email: 'Zyx.Quillfeather@example.com', role: 'editor' } as const;
const later = 'Zyxomma Brambleworth';

beforeEach(async () => {
  fate = new Fate();
  app = await begun(folders.make());
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterEach(async () => {
  for (const one of apps.splice(0)) await one.close();
  folders.remove();
});

async function begun(dataDir: string, ownerKey?: string): Promise<TestApp> {
  const started = await startApp({
    dataDir,
    environment: embedded,
    replacements: [fate.provider],
    several: false,
    ...(ownerKey === undefined ? {} : { ownerKey }),
  });
  apps.push(started);
  return started;
}

async function restarted(): Promise<void> {
  const { dataDir, ownerKey } = app;
  await app.app.close();
  fate.revive();
  app = await begun(dataDir, ownerKey);
}

const on = (dataDir = app.dataDir) => ({ ...embedded, DATA_DIR: dataDir });

/** The files below the folder that contain one of the texts, in any case. */
function filesWith(folder: string, ...texts: readonly string[]): readonly string[] {
  const wanted = texts.map((text) => text.toLowerCase());
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(0);
  return files
    .filter(({ parentPath, name }) => {
      const content = readFileSync(join(parentPath, name)).toString('latin1').toLowerCase();
      return wanted.some((text) => content.includes(text));
    })
    .map(({ name }) => name);
}
const personal = [grace.name, 'quillfeather', later, 'brambleworth'];

/** Creates a member who does everything that records its actor, also through a client and in runs. */
async function active(member: object = grace) {
  const { id } = await done(app, 'workspace/addMember', member);
  const { key } = await done(app, 'workspace/createApiKey', { name: 'own', kind: 'person', memberId: id });
  const { key: client } = await done(app, 'workspace/createApiKey', {
    name: 'client',
    kind: 'connection',
    memberId: id,
  });
  const code = 'return { name: ctx.run.startedBy.name.length, email: ctx.run.startedBy.email.length }';
  const fn = await done(app, 'automations/createFunction', { name: 'theirs', code }, key);
  await done(app, 'automations/updateFunction', { id: fn.id, isActive: true });
  const ran = await done(app, 'automations/invokeFunction', { id: fn.id }, key);
  await done(app, 'automations/createFunction', { name: 'of the client', code: 'return 1' }, client);
  await done(app, 'workspace/createApiKey', { name: 'made by them', kind: 'person', memberId: id }, key).catch(
    () => {},
  );
  return { id, key, client, fn, ran };
}

const historyOf = async (kind: string, id: string) =>
  (await done(app, 'audit/getHistory', { kind, id })).events as readonly {
    readonly type: string;
    // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every form.
    readonly data: any;
    // biome-ignore lint/suspicious/noExplicitAny: see above.
    readonly actor: any;
  }[];

const erased = (id: string) =>
  eventually(
    () => historyOf('member', id),
    ([added]) => added?.data.email === 'erased',
  );

describe('a member’s name and email', () => {
  it('are in no file of the data directory in the clear, but in every answer', async () => {
    const { id, key, fn, ran } = await active();
    await done(app, 'workspace/updateMember', { id, name: later });
    expect(filesWith(app.dataDir, 'of the client')).not.toEqual([]);
    expect(filesWith(app.dataDir, ...personal)).toEqual([]);
    expect(ran.result).toEqual({ name: grace.name.length, email: grace.email.length });
    const { members } = await done(app, 'workspace/listMembers');
    expect(members[1]).toMatchObject({ id, name: later, email: grace.email });
    expect((await done(app, 'workspace/getWorkspace', {}, key)).me).toMatchObject({ id, name: later });
    expect((await historyOf('member', id)).map(({ data }) => data.name)).toEqual([grace.name, later]);
    expect((await historyOf('function', fn.id))[0]?.actor).toMatchObject({ kind: 'person', id, name: grace.name });
    const [run] = await done(app, 'automations/listRuns', { functionId: fn.id });
    expect(run.startedBy).toBe(grace.name);
    const { events } = await done(app, 'audit/listEvents', { limit: 100 });
    expect(JSON.stringify(events)).not.toContain('sealed:');
    expect(JSON.stringify(events)).toContain(grace.name);
  }, 60_000);

  it('are in a refusal that names the member, and on the pages where the member is signed in', async () => {
    const { id, key } = await active();
    const accessRules = { runBy: { pages: false, functions: [], agents: [], members: 'admins' } };
    const fn = await done(app, 'automations/createFunction', { name: 'for Admins', code: 'return 1', accessRules });
    await done(app, 'automations/updateFunction', { id: fn.id, isActive: true });
    const refused = await app.call('automations/invokeFunction', { id: fn.id }, key);
    expect([refused.status, refused.body.code]).toEqual([403, 'run-not-allowed']);
    expect(refused.body.detail).toContain(grace.name);
    const browser = new PageClient(app);
    await browser.signIn(key);
    expect((await browser.get('/approvals')).text).toContain(`<bdi>${grace.name}</bdi>`);
    await done(app, 'workspace/removeMember', { id });
    await erased(id);
  }, 60_000);

  it('are recorded once: an unchanged value is not recorded again', async () => {
    const { id } = await done(app, 'workspace/addMember', grace);
    await done(app, 'workspace/updateMember', { id, name: grace.name });
    expect((await historyOf('member', id)).map(({ type }) => type)).toEqual(['MemberAdded']);
  });

  it('are gone with the member: from answers, and from a later backup and export', async () => {
    const { id, fn } = await active();
    await restarted();
    expect((await cli(on(), 'audit:verify')).code).toBe(0);
    const [before] = await historyOf('function', fn.id);
    await done(app, 'workspace/removeMember', { id });
    const history = await erased(id);
    expect(history.map(({ type, data }) => [type, data.name, data.email])).toEqual([
      ['MemberAdded', 'A former member', 'erased'],
      ['MemberRemoved', undefined, undefined],
    ]);
    const [after] = await historyOf('function', fn.id);
    expect(JSON.stringify(after)).toBe(JSON.stringify(before).replaceAll(grace.name, 'A former member'));
    expect(JSON.stringify(await done(app, 'audit/listEvents', { limit: 100 }))).not.toContain('Zyxomma');

    const kept = join(folders.make(), 'backup');
    expect((await cli(on(), 'backup', kept)).code).toBe(0);
    const exported = join(folders.make(), 'log.ndjson');
    expect((await cli(on(), 'log:export', exported)).code).toBe(0);
    await restarted();
    expect((await cli(on(), 'audit:verify')).code).toBe(0);
    for (const folder of [app.dataDir, kept, join(exported, '..')]) expect(filesWith(folder, ...personal)).toEqual([]);
    const rebuilt = await cli(on(), 'projections:verify');
    expect(rebuilt.out.filter((line) => !line.includes(': equal at'))).toEqual([]);

    const elsewhere = folders.make();
    expect((await cli(on(elsewhere), 'log:import', exported)).code).toBe(0);
    app = await begun(elsewhere, app.ownerKey);
    expect((await historyOf('member', id))[0]?.data).toMatchObject({ name: 'A former member', email: 'erased' });
    expect((await historyOf('function', fn.id))[0]?.actor.name).toBe('A former member');
  }, 120_000);

  it('are not restored: a late event of the removed member is recorded without them', async () => {
    const { id } = await done(app, 'workspace/addMember', grace);
    await done(app, 'workspace/removeMember', { id });
    await erased(id);
    const [added] = await app.app.get(RecordedLog).readStream(`member-${workspaceId}.${id}`);
    if (added === undefined) throw new Error('no event');
    const late = { ...added, id: crypto.randomUUID(), type: 'MemberUpdated', data: { name: later } };
    await app.app.get(EventStore).append([{ stream: added.stream, expected: 'any', events: [late] }]);
    const [, , recorded] = await app.app.get(RecordedLog).readStream(added.stream);
    expect(recorded?.data).toEqual({ name: 'A former member' });
  });

  it('are still destroyed by the next process if one dies after the removal', async () => {
    const { id } = await done(app, 'workspace/addMember', grace);
    fate.death = { at: 'seal', when: 'before', beginning: 'personal/' };
    await done(app, 'workspace/removeMember', { id });
    await eventually(
      async () => fate.died,
      (died) => died,
    );
    expect((await app.app.get(Vault).open(`personal/${workspaceId}/member.${id}`))?.length).toBe(32);
    await restarted();
    await erased(id);
    expect((await app.app.get(Vault).open(`personal/${workspaceId}/member.${id}`))?.length).toBe(0);
  }, 60_000);

  it('are not recorded while the vault is away', async () => {
    const head = await app.app.get(RecordedLog).head();
    fate.death = { at: 'seal', when: 'before', beginning: 'personal/' };
    expect((await app.call('workspace/addMember', grace)).status).toBe(503);
    fate.revive();
    const since = await app.app.get(RecordedLog).readAll({ from: head, limit: 10 });
    expect(since.map(({ type }) => type).filter((type) => /Member|Name/.test(type))).toEqual([]);
    await done(app, 'workspace/addMember', grace);
  });
});

describe('an email address', () => {
  const shouted = { ...grace, email: grace.email.toUpperCase(), name: 'Somebody' };

  it('is given to one of two simultaneous calls, and is free when that member is removed', async () => {
    const asked = await Promise.all([app.call('workspace/addMember', grace), app.call('workspace/addMember', shouted)]);
    expect(asked.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { id } = asked.find(({ status }) => status === 200)?.body ?? {};
    await done(app, 'workspace/removeMember', { id });
    const again = await done(app, 'workspace/addMember', shouted);
    expect(again.id).not.toBe(id);
  });

  it('that an older version reserved remains taken, and its member is forgotten like any other', async () => {
    const id = 'mem_0123456789abcdefghijklmnop';
    const holder = `member-${workspaceId}.${id}`;
    const email = grace.email.toLowerCase();
    const log = app.app.get(RecordedLog);
    const [owner] = await log.readAll({ types: ['MemberAdded'], limit: 1 });
    if (owner === undefined) throw new Error('no owner');
    const event = (type: string, data: object) => ({ id: crypto.randomUUID(), type, data, metadata: owner.metadata });
    await log.append([
      {
        stream: reservationStream(workspaceId, 'memberEmail', email),
        expected: 'none',
        events: [event('NameReserved', { name: email, holder })],
      },
      { stream: holder, expected: 'none', events: [event('MemberAdded', { ...grace, permissions: [] })] },
    ]);
    await eventually(
      () => done(app, 'workspace/listMembers'),
      ({ members }) => members.some((one: { name: string }) => one.name === grace.name),
    );
    expect(filesWith(app.dataDir, grace.name).filter((name) => name.startsWith('read.db'))).toEqual([]);
    expect(await app.call('workspace/addMember', shouted)).toMatchObject({ body: { code: 'member-email-taken' } });
    await done(app, 'workspace/removeMember', { id });
    expect((await erased(id))[0]?.data).toMatchObject({ name: 'A former member' });
    await done(app, 'workspace/addMember', shouted);
  });
});

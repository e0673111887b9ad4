// Second tier.
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { reservationStream } from '../../../src/engine/commands/reservation.js';
import { RecordedLog } from '../../../src/ports/event-store.port.js';
import { Vault } from '../../../src/ports/vault.port.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { MortalApps } from '../../support/given/mortal-apps.js';
import { activeGrace, erasedMember, filesNamingGrace, grace, historyOf } from '../../support/given/personal-member.js';
import { done } from '../../support/people.js';
import { filesHolding } from '../../support/stores/kept-texts.js';
import { cli, embedded, Folders } from '../../support/stores/log-transfer.js';

const folders = new Folders();
let app: TestApp;
let mortal: MortalApps;
let workspaceId: string;

beforeEach(async () => {
  mortal = new MortalApps();
  app = await mortal.begin(folders.make());
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterEach(async () => {
  await mortal?.close();
  folders.remove();
});

const on = (dataDir = app.dataDir) => ({ ...embedded, DATA_DIR: dataDir });

describe('a removed member’s name and email', () => {
  it('are gone with the member: from answers, and from a later backup and export', async () => {
    const { id, fn } = await activeGrace(app);
    app = await mortal.restarted(app);
    expect((await cli(on(), 'audit:verify')).code).toBe(0);
    const [before] = await historyOf(app, 'function', fn.id);
    await done(app, 'workspace/removeMember', { id });
    const history = await erasedMember(app, id);
    expect(history.map(({ type, data }) => [type, data.name, data.email])).toEqual([
      ['MemberAdded', 'A former member', 'erased'],
      ['MemberRemoved', undefined, undefined],
    ]);
    const [after] = await historyOf(app, 'function', fn.id);
    expect(JSON.stringify(after)).toBe(JSON.stringify(before).replaceAll(grace.name, 'A former member'));
    expect(JSON.stringify(await done(app, 'audit/listEvents', { limit: 100 }))).not.toContain('Zyxomma');

    const kept = join(folders.make(), 'backup');
    expect((await cli(on(), 'backup', kept)).code).toBe(0);
    const exported = join(folders.make(), 'log.ndjson');
    expect((await cli(on(), 'log:export', exported)).code).toBe(0);
    app = await mortal.restarted(app);
    expect((await cli(on(), 'audit:verify')).code).toBe(0);
    for (const folder of [app.dataDir, kept, join(exported, '..')]) expect(filesNamingGrace(folder)).toEqual([]);
    const rebuilt = await cli(on(), 'projections:verify');
    expect(rebuilt.out.filter((line) => !line.includes(': equal at'))).toEqual([]);

    const elsewhere = folders.make();
    expect((await cli(on(elsewhere), 'log:import', exported)).code).toBe(0);
    app = await mortal.begin(elsewhere, app.ownerKey);
    expect((await historyOf(app, 'member', id))[0]?.data).toMatchObject({ name: 'A former member', email: 'erased' });
    expect((await historyOf(app, 'function', fn.id))[0]?.actor.name).toBe('A former member');
  }, 120_000);

  it('are still destroyed by the next process if one dies after the removal', async () => {
    const { id } = await done(app, 'workspace/addMember', grace);
    mortal.fate.death = { at: 'seal', when: 'before', beginning: 'personal/' };
    await done(app, 'workspace/removeMember', { id });
    await eventually(
      async () => mortal.fate.died,
      (died) => died,
    );
    expect((await app.app.get(Vault).open(`personal/${workspaceId}/member.${id}`))?.length).toBe(32);
    app = await mortal.restarted(app);
    await erasedMember(app, id);
    expect((await app.app.get(Vault).open(`personal/${workspaceId}/member.${id}`))?.length).toBe(0);
  }, 60_000);
});

const shouted = { ...grace, email: grace.email.toUpperCase(), name: 'Somebody' };

it('an email address that an older version reserved remains taken, and its member is forgotten like any other', async () => {
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
  expect(filesHolding(app.dataDir, grace.name).filter((name) => name.startsWith('read.db'))).toEqual([]);
  expect(await app.call('workspace/addMember', shouted)).toMatchObject({ body: { code: 'member-email-taken' } });
  await done(app, 'workspace/removeMember', { id });
  expect((await erasedMember(app, id))[0]?.data).toMatchObject({ name: 'A former member' });
  await done(app, 'workspace/addMember', shouted);
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStore, RecordedLog } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { Fate } from '../../support/given/mortal-vault.js';
import {
  activeGrace,
  erasedMember,
  filesNamingGrace,
  grace,
  historyOf,
  later,
} from '../../support/given/personal-member.js';
import { done, inOtherWorkspace } from '../../support/people.js';
import { PageClient } from '../../support/sites/page-client.js';
import { filesHolding } from '../../support/stores/kept-texts.js';
import { embedded } from '../../support/stores/log-transfer.js';

const fate = new Fate();
let service: TestApp;
let app: TestApp;
let workspaceId: string;

beforeAll(async () => {
  service = await startApp({ environment: embedded, replacements: [fate.provider], several: false });
});
beforeEach(async () => {
  ({ own: app, workspaceId } = await inOtherWorkspace(service));
});
afterAll(() => service.close());

describe('a member’s name and email', () => {
  it('are in no file of the data directory in the clear, but in every answer', async () => {
    const { id, key, fn, ran } = await activeGrace(app);
    await done(app, 'workspace/updateMember', { id, name: later });
    expect(filesHolding(app.dataDir, 'of the client')).not.toEqual([]);
    expect(filesNamingGrace(app.dataDir)).toEqual([]);
    expect(ran.result).toEqual({ name: grace.name.length, email: grace.email.length });
    const { members } = await done(app, 'workspace/listMembers');
    expect(members[1]).toMatchObject({ id, name: later, email: grace.email });
    expect((await done(app, 'workspace/getWorkspace', {}, key)).me).toMatchObject({ id, name: later });
    expect((await historyOf(app, 'member', id)).map(({ data }) => data.name)).toEqual([grace.name, later]);
    expect((await historyOf(app, 'function', fn.id))[0]?.actor).toMatchObject({ kind: 'person', id, name: grace.name });
    const [run] = await done(app, 'automations/listRuns', { functionId: fn.id });
    expect(run.startedBy).toBe(grace.name);
    const { events } = await done(app, 'audit/listEvents', { limit: 100 });
    expect(JSON.stringify(events)).not.toContain('sealed:');
    expect(JSON.stringify(events)).toContain(grace.name);
  }, 60_000);

  it('are in a refusal that names the member, and on the pages where the member is signed in', async () => {
    const { id, key } = await activeGrace(app);
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
    await erasedMember(app, id);
  }, 60_000);

  it('are recorded once: an unchanged value is not recorded again', async () => {
    const { id } = await done(app, 'workspace/addMember', grace);
    await done(app, 'workspace/updateMember', { id, name: grace.name });
    expect((await historyOf(app, 'member', id)).map(({ type }) => type)).toEqual(['MemberAdded']);
  });

  it('are gone from all answers with the member', async () => {
    const { id, fn } = await activeGrace(app);
    const [before] = await historyOf(app, 'function', fn.id);
    await done(app, 'workspace/removeMember', { id });
    expect((await erasedMember(app, id)).map(({ type, data }) => [type, data.name, data.email])).toEqual([
      ['MemberAdded', 'A former member', 'erased'],
      ['MemberRemoved', undefined, undefined],
    ]);
    const [after] = await historyOf(app, 'function', fn.id);
    expect(JSON.stringify(after)).toBe(JSON.stringify(before).replaceAll(grace.name, 'A former member'));
    expect(JSON.stringify(await done(app, 'audit/listEvents', { limit: 100 }))).not.toContain('Zyxomma');
  }, 60_000);

  it('are not restored: a late event of the removed member is recorded without them', async () => {
    const { id } = await done(app, 'workspace/addMember', grace);
    await done(app, 'workspace/removeMember', { id });
    await erasedMember(app, id);
    const [added] = await app.app.get(RecordedLog).readStream(`member-${workspaceId}.${id}`);
    if (added === undefined) throw new Error('no event');
    const late = { ...added, id: crypto.randomUUID(), type: 'MemberUpdated', data: { name: later } };
    await app.app.get(EventStore).append([{ stream: added.stream, expected: 'any', events: [late] }]);
    const [, , recorded] = await app.app.get(RecordedLog).readStream(added.stream);
    expect(recorded?.data).toEqual({ name: 'A former member' });
  });

  it('are not recorded while the vault is away', async () => {
    const head = await app.app.get(RecordedLog).head();
    fate.death = { at: 'seal', when: 'before', beginning: 'personal/' };
    expect((await app.call('workspace/addMember', grace)).status).toBe(503);
    fate.revive();
    const since = await app.app.get(RecordedLog).readAll({ from: head, limit: 10, workspaceId });
    expect(since.map(({ type }) => type).filter((type) => /Member|Name/.test(type))).toEqual([]);
    await done(app, 'workspace/addMember', grace);
  });
});

it('an email address is given to one of two simultaneous calls, and is free when that member is removed', async () => {
  const shouted = { ...grace, email: grace.email.toUpperCase(), name: 'Somebody' };
  const asked = await Promise.all([app.call('workspace/addMember', grace), app.call('workspace/addMember', shouted)]);
  expect(asked.map(({ status }) => status).sort()).toEqual([200, 409]);
  const { id } = asked.find(({ status }) => status === 200)?.body ?? {};
  await done(app, 'workspace/removeMember', { id });
  const again = await done(app, 'workspace/addMember', shouted);
  expect(again.id).not.toBe(id);
});

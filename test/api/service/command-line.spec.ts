import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projections } from '../../../projections/projections.js';
import { Blobs } from '../../../src/ports/blobs.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { cli, Folders } from '../../support/stores/log-transfer.js';

let app: TestApp;
const folders = new Folders();
beforeAll(async () => {
  app = await startApp();
});
afterAll(async () => {
  await app.close();
  folders.remove();
});

const run = (dataDir: string, ...args: string[]) => cli({ DATA_DIR: dataDir }, ...args);
const workspace = async (key: string) => app.call('workspace/getWorkspace', {}, key);

describe('while the service runs', () => {
  it('workspace:create prints { workspaceId, ownerKey }, and the key works at the running service', async () => {
    const { code, out } = await run(
      app.dataDir,
      'workspace:create',
      ...['--name', 'Second Inc', '--owner-name', 'Ada', '--owner-email', 'ada@example.org'],
    );
    expect(code).toBe(0);
    const made = JSON.parse(out[0] ?? '');
    expect(Object.keys(made)).toEqual(['workspaceId', 'ownerKey']);
    const { body } = await eventually(
      () => workspace(made.ownerKey),
      ({ status }) => status === 200,
    );
    expect(body).toMatchObject({
      id: made.workspaceId,
      name: 'Second Inc',
      me: { kind: 'person', name: 'Ada', role: 'owner' },
    });
  });

  it('keys:create prints { id, key } of every kind that needs no agent', async () => {
    const { id, me } = (await workspace(app.ownerKey)).body;
    for (const kind of ['person', 'connection', 'automation', 'flow']) {
      const member = kind === 'person' || kind === 'connection' ? ['--member', me.id] : [];
      const { code, out } = await run(
        app.dataDir,
        'keys:create',
        '--workspace',
        id,
        '--kind',
        kind,
        ...member,
        '--read-only',
      );
      expect([kind, code]).toEqual([kind, 0]);
      const made = JSON.parse(out[0] ?? '');
      expect(Object.keys(made)).toEqual(['id', 'key']);
      const { body } = await eventually(
        () => workspace(made.key),
        ({ status }) => status === 200,
      );
      expect(body.me).toMatchObject({ kind, readOnly: true, neverDeletes: false });
    }
  });

  it.each([
    ['an unknown workspace', ['--workspace', 'ws_none', '--kind', 'automation']],
    ['an unknown kind', ['--workspace', 'ws_none', '--kind', 'robot']],
    ['no workspace', ['--kind', 'automation']],
  ])('keys:create refuses %s with an error message and exit code 1', async (_, args) => {
    const { code, out, error } = await run(app.dataDir, 'keys:create', ...args);
    expect({ code, out }).toEqual({ code: 1, out: [] });
    expect(error).toMatch(/^[^\n]+\.$/);
  });

  it.each([
    ['keys:create', ['--kind', 'automation', '--workspace', '']],
    ['keys:create', ['--kind', 'person', '--workspace', 'ID', '--member', '']],
    ['keys:create', ['--kind', 'agent', '--workspace', 'ID', '--agent', '']],
    ['audit:verify', ['--heads', '']],
    ['audit:verify', ['FILE', '--key', '']],
    ['audit:heads', ['--workspace', '']],
    ['log:export', ['FILE', '--workspace', '']],
  ])('%s refuses an empty option instead of ignoring it: %j', async (command, args) => {
    const { id } = (await workspace(app.ownerKey)).body;
    const file = join(folders.make(), 'file');
    const paths: Record<string, string> = { ID: id, FILE: file };
    const { code, out, error } = await run(app.dataDir, command, ...args.map((arg) => paths[arg] ?? arg));
    expect({ code, out, error }).toEqual({ code: 1, out: [], error: `${args.at(-2)} must not be empty.` });
  });

  it.each(['free', 'starter', 'pro'])('plan:set puts a workspace on the plan %s', async (plan) => {
    const { id } = (await workspace(app.ownerKey)).body;
    const { code, out } = await run(app.dataDir, 'plan:set', '--workspace', id, '--plan', plan);
    expect({ code, out }).toEqual({ code: 0, out: [JSON.stringify({ workspaceId: id, plan })] });
    const { body } = await eventually(
      () => workspace(app.ownerKey),
      (reply) => reply.body.plan === plan,
    );
    expect(body.plan).toBe(plan);
  });

  it("credits:add adds AI credits, prints the balance, and is recorded as the operator's", async () => {
    const { id } = (await workspace(app.ownerKey)).body;
    const add = (amount: string) => run(app.dataDir, 'credits:add', '--workspace', id, '--amount', amount);
    expect(await add('5')).toEqual({ code: 0, out: [JSON.stringify({ workspaceId: id, aiCredits: 105 })], error: '' });
    expect((await add('20')).out).toEqual([JSON.stringify({ workspaceId: id, aiCredits: 125 })]);
    await eventually(
      () => workspace(app.ownerKey),
      ({ body }) => body.aiCredits === 125,
    );
    const { events } = (await app.call('audit/getHistory', { kind: 'credits', id })).body;
    const shown = events.map(({ type, actor, data }: { type: string; actor: { kind: string }; data: object }) => [
      type,
      actor.kind,
      data,
    ]);
    expect(shown).toEqual([
      ['CreditsOpened', 'operator', { amount: 100 }],
      ['CreditsAdded', 'operator', { amount: 5 }],
      ['CreditsAdded', 'operator', { amount: 20 }],
    ]);
  });

  it.each([
    ['plan:set', 'an unknown workspace', ['--workspace', 'ws_none', '--plan', 'free']],
    ['plan:set', 'a plan that is none', ['--workspace', 'ws_none', '--plan', 'gold']],
    ['plan:set', 'no plan', ['--workspace', 'ws_none']],
    ['plan:set', 'no workspace', ['--plan', 'free']],
    ['credits:add', 'an unknown workspace', ['--workspace', 'ws_none', '--amount', '1']],
    ['credits:add', 'no workspace', ['--amount', '1']],
    ['credits:add', 'no amount', ['--workspace', 'ws_none']],
    ['credits:add', 'nothing', ['--workspace', 'ws_none', '--amount', '0']],
    ['credits:add', 'less than nothing', ['--workspace', 'ws_none', '--amount=-5']],
    ['credits:add', 'half a credit', ['--workspace', 'ws_none', '--amount', '1.5']],
    ['credits:add', 'more than a million', ['--workspace', 'ws_none', '--amount', '1000001']],
    ['credits:add', 'a word', ['--workspace', 'ws_none', '--amount', 'ten']],
  ])('%s refuses %s with an error message and exit code 1', async (command, _, args) => {
    const { code, out, error } = await run(app.dataDir, command, ...args);
    expect({ code, out }).toEqual({ code: 1, out: [] });
    expect(error).toMatch(/^[^\n]+\.$/);
  });

  it('projections:rebuild is refused: the service has to be stopped', async () => {
    const { code, error } = await run(app.dataDir, 'projections:rebuild');
    expect(code).toBe(1);
    expect(error).toContain('stop it first');
  });

  it('projections:list shows the active build of each read model, and those that share one of an area', async () => {
    const { code, out } = await run(app.dataDir, 'projections:list');
    const lines = out.map((line) => JSON.parse(line));
    expect([code, lines.map(({ projection }) => projection)]).toEqual([0, projections.map(({ name }) => name)]);
    expect(lines.find(({ projection }) => projection === 'mailAccounts')).toMatchObject({
      area: 'mailboxes',
      build: expect.stringMatching(/^v\d+_0$/),
      together: true,
    });
    expect(lines.find(({ projection }) => projection === 'functions')).toMatchObject({ area: null, together: false });
    const ofMailboxes = lines.filter(({ area }) => area === 'mailboxes').map(({ checkpoint }) => checkpoint);
    expect([ofMailboxes.length > 1, new Set(ofMailboxes).size]).toEqual([true, 1]);
  });

  it('projections:verify finds a live read model equal to the log', async () => {
    await app.call('automations/createFunction', { name: 'f', code: 'return 1' });
    const { code, out } = await run(app.dataDir, 'projections:verify', 'functions');
    expect([code, out.map((line) => line.split(' at ')[0])]).toEqual([0, ['functions: equal']]);
  });

  it('restore refuses a changed copy, an invalid folder, and a data directory that is in use', async () => {
    const kept = join(folders.make(), 'backup');
    await run(app.dataDir, 'backup', kept);
    expect((await run(app.dataDir, 'restore', kept)).error).toContain('already contains');
    expect((await run(folders.make(), 'restore', folders.make())).error).toContain('is not a backup');
    writeFileSync(join(kept, 'vault.db'), 'changed');
    expect((await run(join(folders.make(), 'data'), 'restore', kept)).error).toContain(
      'vault.db differs from what was backed up',
    );
  });

  it('backup overwrites nothing, and leaves the key out on request', async () => {
    const full = folders.make();
    copyFileSync(join(app.dataDir, 'master.key'), join(full, 'something'));
    expect((await run(app.dataDir, 'backup', full)).error).toContain('is not empty');
    const kept = join(folders.make(), 'backup');
    await run(app.dataDir, 'backup', kept, '--without-key');
    expect(readdirSync(kept).sort()).toEqual(['backup.json', 'events.db', 'texts.db', 'vault.db']);
  });
});

describe('a wrong command line', () => {
  it.each([[[]], [['nothing']], [['backup']], [['keys:create', '--nope']], [['projections:verify', 'a', 'b']]])(
    '%j prints the usage and exits with 2',
    async (args) => {
      const { code, error } = await run(app.dataDir, ...args);
      expect(code).toBe(2);
      expect(error).toContain('npm run cli -- ');
    },
  );

  it('an unknown projection gets a list of the names', async () => {
    const { code, error } = await run(app.dataDir, 'projections:verify', 'nothing');
    expect({ code, names: error.includes('functions') }).toEqual({ code: 1, names: true });
  });
});

// This describe and the next must be the last, because they replace the service.
describe('when the service is stopped', () => {
  it('projections:rebuild rebuilds a read model, and the service shows the same', async () => {
    const fn = (await app.call('automations/createFunction', { name: 'rebuilt', code: 'return 1' })).body;
    const { dataDir, ownerKey } = app;
    await app.app.close();
    expect(await run(dataDir, 'projections:rebuild', 'functions')).toMatchObject({
      code: 0,
      out: ['functions: rebuilt'],
    });
    app = await startApp({ dataDir, ownerKey });
    expect((await app.call('automations/getFunction', { id: fn.id })).body).toEqual(fn);
  });
});

describe('when a backup is restored', () => {
  it('restore copies a backup of a running service elsewhere, and a service there has everything', async () => {
    const fn = (await app.call('automations/createFunction', { name: 'restored', code: 'return 1' })).body;
    await app.call('automations/updateFunction', { id: fn.id, isActive: true });
    const { token } = (await app.call('automations/createWebhook', { functionId: fn.id })).body;
    await app.app.get(Blobs).put('mail/ws_1/a', Buffer.from('kept'));
    const kept = join(folders.make(), 'backup');
    const backup = await run(app.dataDir, 'backup', kept);
    expect(backup.code).toBe(0);
    expect(backup.out.join('\n')).toContain('master key');
    expect(backup.out.join('\n')).toContain('1 blob');
    const { ownerKey } = app;
    await app.close();
    const elsewhere = join(folders.make(), 'data');
    expect((await run(elsewhere, 'restore', kept)).code).toBe(0);
    app = await startApp({ dataDir: elsewhere, ownerKey });
    expect(Buffer.from((await app.app.get(Blobs).open('mail/ws_1/a')) ?? []).toString()).toBe('kept');
    expect((await app.call('automations/getFunction', { id: fn.id })).body).toMatchObject({
      id: fn.id,
      isActive: true,
    });
    expect((await app.send('POST', `/api/automations/functions/webhook/${token}`)).body).toEqual({
      success: true,
      data: 1,
    });
  });
});

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { projections } from '../../../projections/projections.js';
import { runCommand } from '../../../src/cli/commands.js';
import { Blobs } from '../../../src/ports/blobs.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

let app: TestApp;
const folders: string[] = [];
const start = async () => {
  app = await startApp();
};
const close = () => app.close();
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const folder = () => {
  const made = mkdtempSync(join(tmpdir(), 'countersign-cli-'));
  folders.push(made);
  return made;
};

async function cli(dataDir: string, ...args: string[]) {
  const out: string[] = [];
  const error: string[] = [];
  const code = await runCommand(
    args,
    { DATA_DIR: dataDir },
    { out: (line) => out.push(line), error: (line) => error.push(line) },
  );
  return { code, out, error: error.join('\n') };
}

const workspace = async (key: string) => app.call('workspace/getWorkspace', {}, key);

describe('while the service runs', () => {
  beforeAll(start);
  afterAll(close);

  it('workspace:create prints { workspaceId, ownerKey }, and the key works at the running service', async () => {
    const { code, out } = await cli(
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
      const { code, out } = await cli(
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
    const { code, out, error } = await cli(app.dataDir, 'keys:create', ...args);
    expect({ code, out }).toEqual({ code: 1, out: [] });
    expect(error).toMatch(/^[^\n]+\.$/);
  });

  it.each(['free', 'starter', 'pro'])('plan:set puts a workspace on the plan %s', async (plan) => {
    const { id } = (await workspace(app.ownerKey)).body;
    const { code, out } = await cli(app.dataDir, 'plan:set', '--workspace', id, '--plan', plan);
    expect({ code, out }).toEqual({ code: 0, out: [JSON.stringify({ workspaceId: id, plan })] });
    const { body } = await eventually(
      () => workspace(app.ownerKey),
      (reply) => reply.body.plan === plan,
    );
    expect(body.plan).toBe(plan);
  });

  it("credits:add adds AI credits, prints the balance, and is recorded as the operator's", async () => {
    const { id } = (await workspace(app.ownerKey)).body;
    const add = (amount: string) => cli(app.dataDir, 'credits:add', '--workspace', id, '--amount', amount);
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
    const { code, out, error } = await cli(app.dataDir, command, ...args);
    expect({ code, out }).toEqual({ code: 1, out: [] });
    expect(error).toMatch(/^[^\n]+\.$/);
  });

  it('projections:rebuild is refused: the service has to be stopped', async () => {
    const { code, error } = await cli(app.dataDir, 'projections:rebuild');
    expect(code).toBe(1);
    expect(error).toContain('stop it first');
  });

  it('projections:list shows the active build of each read model, and those that share one of an area', async () => {
    const { code, out } = await cli(app.dataDir, 'projections:list');
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

  it('projections:verify finds the live read models equal to the log', async () => {
    await app.call('automations/createFunction', { name: 'f', code: 'return 1' });
    await app.call('automations/invokeFunction', { id: 'f' });
    const { code, out } = await cli(app.dataDir, 'projections:verify');
    expect(code).toBe(0);
    expect(out.map((line) => line.split(' at ')[0])).toEqual(projections.map(({ name }) => `${name}: equal`));
  });
});

describe('the built command line', () => {
  const built = (...args: string[]) =>
    spawnSync(process.execPath, ['--no-warnings', 'dist/src/cli.js', ...args], { encoding: 'utf8' });

  it('works in a process of its own, and reports with its exit code', async () => {
    const made = built('workspace:create');
    expect([made.stderr.includes('--name is required.'), made.status]).toEqual([true, 1]);
    const unknown = built('no:such-command');
    expect([unknown.stderr.includes("There is no command 'no:such-command'."), unknown.status]).toEqual([true, 2]);
  });
});

describe('when the service is stopped', () => {
  beforeEach(start);
  afterEach(close);

  it('projections:rebuild rebuilds every read model, and the service shows the same', async () => {
    const fn = (await app.call('automations/createFunction', { name: 'f', code: 'return 1' })).body;
    app = await app.restart();
    const { dataDir, ownerKey } = app;
    await app.app.close();
    const { code, out } = await cli(dataDir, 'projections:rebuild');
    expect({ code, out }).toEqual({ code: 0, out: projections.map(({ name }) => `${name}: rebuilt`) });
    expect((await cli(dataDir, 'projections:rebuild', 'functions')).out).toEqual(['functions: rebuilt']);
    const ofMailboxes = projections.filter(({ area }) => area === 'mailboxes').map(({ name }) => name);
    const area = (await cli(dataDir, 'projections:rebuild', 'area:mailboxes')).out;
    expect(area).toEqual(ofMailboxes.map((name) => `${name}: rebuilt`));
    expect((await cli(dataDir, 'projections:verify', 'area:mailboxes')).out).toHaveLength(ofMailboxes.length);
    expect((await cli(dataDir, 'projections:verify')).code).toBe(0);
    app = await startApp({ dataDir, ownerKey });
    expect((await app.call('automations/getFunction', { id: fn.id })).body).toEqual(fn);
  });

  it('a lost read store is built again at the start', async () => {
    const fn = (await app.call('automations/createFunction', { name: 'f', code: 'return 1' })).body;
    const { dataDir, ownerKey } = app;
    await app.app.close();
    for (const file of readdirSync(dataDir)) if (file.startsWith('read.db')) rmSync(join(dataDir, file));
    app = await startApp({ dataDir, ownerKey });
    expect((await app.call('automations/getFunction', { id: fn.id })).body).toEqual(fn);
  });
});

describe('backup and restore', () => {
  beforeEach(start);
  afterEach(close);

  it('restore everything elsewhere, from a backup of a running service', async () => {
    const fn = (await app.call('automations/createFunction', { name: 'f', code: 'return 1' })).body;
    await app.call('automations/updateFunction', { id: fn.id, isActive: true });
    const { token } = (await app.call('automations/createWebhook', { functionId: fn.id })).body;
    await app.app.get(Blobs).put('mail/ws_1/a', Buffer.from('kept'));
    const kept = join(folder(), 'backup');
    const backup = await cli(app.dataDir, 'backup', kept);
    expect(backup.code).toBe(0);
    expect(backup.out.join('\n')).toContain('master key');
    expect(backup.out.join('\n')).toContain('1 blob');
    const { ownerKey } = app;
    await app.close();
    const elsewhere = join(folder(), 'data');
    expect((await cli(elsewhere, 'restore', kept)).code).toBe(0);
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

  it('refuse a changed copy, an invalid folder, and a data directory that is in use', async () => {
    const kept = join(folder(), 'backup');
    await cli(app.dataDir, 'backup', kept);
    expect((await cli(app.dataDir, 'restore', kept)).error).toContain('already contains');
    expect((await cli(folder(), 'restore', folder())).error).toContain('is not a backup');
    writeFileSync(join(kept, 'vault.db'), 'changed');
    expect((await cli(join(folder(), 'data'), 'restore', kept)).error).toContain(
      'vault.db differs from what was backed up',
    );
  });

  it('overwrite nothing, and leave the key out on request', async () => {
    const full = folder();
    copyFileSync(join(app.dataDir, 'master.key'), join(full, 'something'));
    expect((await cli(app.dataDir, 'backup', full)).error).toContain('is not empty');
    const kept = join(folder(), 'backup');
    await cli(app.dataDir, 'backup', kept, '--without-key');
    expect(readdirSync(kept).sort()).toEqual(['backup.json', 'events.db', 'texts.db', 'vault.db']);
  });
});

describe('a wrong command line', () => {
  beforeAll(start);
  afterAll(close);

  it.each([[[]], [['nothing']], [['backup']], [['keys:create', '--nope']], [['projections:verify', 'a', 'b']]])(
    '%j prints the usage and exits with 2',
    async (args) => {
      const { code, error } = await cli(app.dataDir, ...args);
      expect(code).toBe(2);
      expect(error).toContain('npm run cli -- ');
    },
  );

  it('an unknown projection gets a list of the names', async () => {
    const { code, error } = await cli(app.dataDir, 'projections:verify', 'nothing');
    expect({ code, names: error.includes('functions') }).toEqual({ code: 1, names: true });
  });
});

// Second tier.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projections } from '../../../projections/projections.js';
import { startApp, type TestApp } from '../../support/app.js';
import { cli } from '../../support/stores/log-transfer.js';

describe('the read models', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());
  const run = (...args: string[]) => cli({ DATA_DIR: app.dataDir }, ...args);

  it('projections:verify finds the live read models equal to the log', async () => {
    await app.call('automations/createFunction', { name: 'f', code: 'return 1' });
    await app.call('automations/invokeFunction', { id: 'f' });
    const { code, out } = await run('projections:verify');
    expect(code).toBe(0);
    expect(out.map((line) => line.split(' at ')[0])).toEqual(projections.map(({ name }) => `${name}: equal`));
  });

  it('projections:rebuild rebuilds every read model, and the service shows the same', async () => {
    const fn = (await app.call('automations/createFunction', { name: 'g', code: 'return 1' })).body;
    app = await app.restart();
    const { dataDir, ownerKey } = app;
    await app.app.close();
    const { code, out } = await run('projections:rebuild');
    expect({ code, out }).toEqual({ code: 0, out: projections.map(({ name }) => `${name}: rebuilt`) });
    const ofMailboxes = projections.filter(({ area }) => area === 'mailboxes').map(({ name }) => name);
    const area = (await run('projections:rebuild', 'area:mailboxes')).out;
    expect(area).toEqual(ofMailboxes.map((name) => `${name}: rebuilt`));
    expect((await run('projections:verify', 'area:mailboxes')).out).toHaveLength(ofMailboxes.length);
    expect((await run('projections:verify')).code).toBe(0);
    app = await startApp({ dataDir, ownerKey });
    expect((await app.call('automations/getFunction', { id: fn.id })).body).toEqual(fn);
  });

  it('a lost read store is built again at the start', async () => {
    const fn = (await app.call('automations/createFunction', { name: 'h', code: 'return 1' })).body;
    const { dataDir, ownerKey } = app;
    await app.app.close();
    for (const file of readdirSync(dataDir)) if (file.startsWith('read.db')) rmSync(join(dataDir, file));
    app = await startApp({ dataDir, ownerKey });
    expect((await app.call('automations/getFunction', { id: fn.id })).body).toEqual(fn);
  });
});

describe('the build', () => {
  const built = (...args: string[]) =>
    spawnSync(process.execPath, ['--no-warnings', 'dist/src/cli.js', ...args], { encoding: 'utf8' });

  it('the command line works in a process of its own, and reports with its exit code', async () => {
    const made = built('workspace:create');
    expect([made.stderr.includes('--name is required.'), made.status]).toEqual([true, 1]);
    const unknown = built('no:such-command');
    expect([unknown.stderr.includes("There is no command 'no:such-command'."), unknown.status]).toEqual([true, 2]);
  });
});

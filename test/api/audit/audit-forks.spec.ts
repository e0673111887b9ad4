// Second tier.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { cli, embedded, Folders } from '../../support/stores/log-transfer.js';

const folders = new Folders();
const apps: TestApp[] = [];
let ownerKey = '';

async function start(dataDir: string): Promise<TestApp> {
  const app = await startApp({ dataDir, environment: embedded, ...(ownerKey !== '' && { ownerKey }) });
  apps.push(app);
  ownerKey = app.ownerKey;
  return app;
}

const on = (dataDir: string) => ({ ...embedded, DATA_DIR: dataDir });
const heads = async (dataDir: string) => (await cli(on(dataDir), 'audit:heads')).out;

/**
 * Starts the service on a data directory, creates a function, and stops it, which seals the audit. Returns an export.
 */
async function goOn(dataDir: string, name: string): Promise<string> {
  const app = await start(dataDir);
  await done(app, 'automations/createFunction', { name, code: 'return 1' });
  const { body } = await app.send('GET', '/api/v1/audit/export', undefined, { authorization: `Bearer ${ownerKey}` });
  await app.app.close();
  return String(body);
}

function fileOf(name: string, text: string): string {
  const path = join(folders.make(), name);
  writeFileSync(path, text);
  return path;
}

let first: string;
let second: string;
/** Both installations run on copies of the same backup. */
beforeEach(async () => {
  ownerKey = '';
  first = folders.make();
  await goOn(first, 'in both');
  const backup = join(folders.make(), 'backup');
  expect((await cli(on(first), 'backup', backup)).code).toBe(0);
  second = folders.make();
  expect((await cli(on(second), 'restore', backup)).code).toBe(0);
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  folders.remove();
});

describe('heads that were stored elsewhere', () => {
  it('can be checked against a service that keeps writing', async () => {
    const kept = fileOf('heads.ndjson', `${(await heads(first)).join('\n')}\n`);
    const app = await start(first);
    let isWriting = true;
    const writing = (async () => {
      for (let n = 0; isWriting; n++)
        await done(app, 'automations/createFunction', { name: `n${n}`, code: 'return 1' });
    })();
    for (let round = 0; round < 4; round++) {
      expect(await cli(on(first), 'audit:verify', '--heads', kept)).toMatchObject({ code: 0, error: '' });
      appendFileSync(kept, `${(await heads(first)).join('\n')}\n`);
    }
    isWriting = false;
    await writing;
  });
});

describe('a forked chain', () => {
  it('is valid in each branch, and stored heads distinguish the branches', async () => {
    const kept = fileOf('heads.ndjson', `${(await heads(first)).join('\n')}\n`);
    const { count } = JSON.parse((await heads(first))[0] ?? '');
    await goOn(first, 'in the first');
    appendFileSync(kept, `${(await heads(first)).join('\n')}\n`);
    await goOn(second, 'in the second');
    for (const dataDir of [first, second]) {
      expect(await cli(on(dataDir), 'audit:verify')).toMatchObject({ code: 0, error: '' });
    }
    expect(await cli(on(first), 'audit:verify', '--heads', kept)).toMatchObject({ code: 0, error: '' });
    const { code, error } = await cli(on(second), 'audit:verify', '--heads', kept);
    expect(code).toBe(1);
    expect(error).toContain(`the chain is forked after event ${count}: up to there it matches the stored heads`);
    expect(error).toContain('two installations continued from the same backup');
    // Both parts contain a head for the same number of events, and no single installation can have signed both.
    appendFileSync(kept, `${(await heads(second)).join('\n')}\n`);
    const both = await cli(on(first), 'audit:verify', '--heads', kept);
    expect(both.code).toBe(1);
    expect(both.error).toMatch(/the chain is forked: the stored heads of .* are both signed, each for \d+ events/);
  });

  it('is detected in exported files too, without anything else', async () => {
    const one = await goOn(first, 'in the first');
    const other = await goOn(second, 'in the second');
    const [fileOne, fileOther] = [fileOf('one.ndjson', one), fileOf('other.ndjson', other)];
    for (const file of [fileOne, fileOther]) expect((await cli({}, 'audit:verify', file)).code).toBe(0);
    const endOf = (text: string) => `${text.trimEnd().split('\n').at(-1)}\n`;
    const agrees = await cli({}, 'audit:verify', fileOne, '--heads', fileOf('ends', endOf(one)));
    expect([agrees.code, agrees.error, agrees.out.at(-1)]).toEqual([
      0,
      '',
      '1 of the stored heads are in this part of the chain and match.',
    ]);
    const { code, error } = await cli({}, 'audit:verify', fileOther, '--heads', fileOf('ends', endOf(one)));
    expect([code, error]).toEqual([1, expect.stringContaining('is not the one that results from the log')]);
    const split = await cli({}, 'audit:verify', fileOne, '--heads', fileOf('ends', endOf(one) + endOf(other)));
    expect([split.code, split.error]).toEqual([1, expect.stringContaining('the chain is forked')]);
    const inStore = await cli(on(first), 'audit:verify', '--heads', fileOf('ends', endOf(other)));
    expect([inStore.code, inStore.error]).toEqual([1, expect.stringContaining('Workspace ws_')]);
    const foreign = fileOf('foreign', endOf(one).replace('"signature":"', '"signature":"A'));
    expect((await cli({}, 'audit:verify', fileOne, '--heads', foreign)).error).toContain('is invalid');
  });

  it('is detected in a store that was set back: if shorter, its end is missing; if continued, it is forked', async () => {
    await goOn(first, 'afterwards');
    const kept = fileOf('heads.ndjson', `${(await heads(first)).join('\n')}\n`);
    const shorter = await cli(on(second), 'audit:verify', '--heads', kept);
    expect([shorter.code, shorter.error]).toEqual([1, expect.stringContaining('its end is missing')]);
    await goOn(second, 'another past');
    await goOn(second, 'and more');
    const longer = await cli(on(second), 'audit:verify', '--heads', kept);
    expect([longer.code, longer.error]).toEqual([1, expect.stringContaining('the chain is forked after event')]);
  });
});

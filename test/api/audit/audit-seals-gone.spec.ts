// Second tier.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { done } from '../../support/people.js';
import { cli, embedded, Folders } from '../../support/stores/log-transfer.js';
import { Tampering } from '../../support/stores/tampering.js';

const hour = 3_600_000;
const folders = new Folders();
let app: TestApp;
let dataDir: string;
afterEach(async () => {
  await app.close();
  folders.remove();
});

/** Starts a workspace with its clock `agoMs` in the past. */
async function begun(agoMs: number): Promise<void> {
  dataDir = folders.make();
  const replacements = [{ provide: Clock, useValue: new MadeUpClock(Date.now() - agoMs) }];
  app = await startApp({ dataDir, environment: embedded, replacements });
  await done(app, 'automations/createFunction', { name: 'honest', code: 'return 1' });
}

const verified = (...flags: string[]) => cli({ ...embedded, DATA_DIR: dataDir }, 'audit:verify', ...flags);
const run = (sql: string) => expect(new Tampering(dataDir).run(sql)).toBeGreaterThanOrEqual(1);
const takeSealsAway = () => run("DELETE FROM events WHERE type = 'AuditSealed'");
const buyTheFunction = () =>
  run("UPDATE events SET data = replace(data, 'honest', 'bought') WHERE type = 'FunctionCreated'");

async function trustedHeads(): Promise<string> {
  const { out } = await cli({ ...embedded, DATA_DIR: dataDir }, 'audit:heads');
  const path = join(folders.make(), 'heads.ndjson');
  writeFileSync(path, `${out.join('\n')}\n`);
  return path;
}

describe('a stopped store whose seals are missing', () => {
  it('is not accepted if its events are older than some minutes', async () => {
    await begun(hour);
    await app.app.close();
    expect(await verified()).toMatchObject({ code: 0, error: '' });
    takeSealsAway();
    buyTheFunction();
    const { code, out, error } = await verified();
    expect([code, error]).toEqual([1, expect.stringMatching(/^Workspace .*: nothing is sealed although the first of/)]);
    expect(error).toContain('compare with stored heads (--heads)');
    expect(out.join('\n')).not.toContain('are unchanged');
  });

  it('is not accepted either if only the last of its seals is missing', async () => {
    await begun(hour);
    await app.app.close();
    const again = await app.restart();
    await done(again, 'automations/createFunction', { name: 'second', code: 'return 1' });
    await again.app.close();
    expect((await verified()).code).toBe(0);
    run("DELETE FROM events WHERE position = (SELECT max(position) FROM events WHERE type = 'AuditSealed')");
    run("UPDATE events SET data = replace(data, 'second', 'bought') WHERE type = 'FunctionCreated'");
    const { code, error } = await verified();
    expect([code, error]).toEqual([
      1,
      expect.stringMatching(/the last \d+ events are not sealed although the first of/),
    ]);
  });

  it('is detected at once with stored heads', async () => {
    await begun(0);
    await app.app.close();
    const heads = await trustedHeads();
    expect(await verified('--heads', heads)).toMatchObject({ code: 0, error: '' });
    takeSealsAway();
    expect(await verified()).toMatchObject({ code: 0 });
    const { code, error } = await verified('--heads', heads);
    expect([code, error]).toEqual([1, expect.stringMatching(/but the log has seals of only 0: seals were removed/)]);
  });
});

describe('a log that is younger than its first seal', () => {
  it('is valid, and reported as not sealed yet', async () => {
    await begun(0);
    const { code, out, error } = await verified();
    expect([code, error]).toEqual([0, '']);
    expect(out[0]).toMatch(/\d+ events without a seal to compare them with, .* are not sealed yet/);
  });
});

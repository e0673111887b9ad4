// Second tier.
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { done } from '../../support/people.js';
import { cli, embedded, Folders } from '../../support/stores/log-transfer.js';
import { Tampering } from '../../support/stores/tampering.js';

const folders = new Folders();
const apps: TestApp[] = [];
let app: TestApp;
let clock: MadeUpClock;
let tampering: Tampering;
let workspaceId: string;
let fnId: string;

async function start(dataDir = folders.make()): Promise<TestApp> {
  const started = await startApp({
    dataDir,
    environment: embedded,
    ownerKey: app?.ownerKey ?? '',
    replacements: [{ provide: Clock, useValue: clock }],
  });
  apps.push(started);
  return started;
}

/** A workspace with a function that was created, saved twice and deleted, and another function that remains. */
beforeEach(async () => {
  clock = new MadeUpClock(Date.now());
  app = undefined as unknown as TestApp;
  app = await startApp({
    dataDir: folders.make(),
    environment: embedded,
    replacements: [{ provide: Clock, useValue: clock }],
  });
  apps.push(app);
  tampering = new Tampering(app.dataDir);
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
  await done(app, 'automations/createFunction', { name: 'stays', code: 'return 1' });
  let fn = await done(app, 'automations/createFunction', { name: 'first', code: 'return 1' });
  fnId = fn.id;
  for (const name of ['second', 'third']) {
    fn = await done(app, 'automations/updateFunction', { id: fnId, name, seenUpdatedAt: fn.updatedAt });
  }
  await done(app, 'automations/deleteFunction', { id: fnId });
});
afterEach(async () => {
  for (const one of apps.splice(0)) await one.close();
  folders.remove();
});

const on = (dataDir = app.dataDir) => ({ ...embedded, DATA_DIR: dataDir });
const verified = (...args: string[]) => cli(on(), 'audit:verify', ...args);
const stop = () => app.app.close();
const functionStream = () => `function-${workspaceId}.${fnId}`;

/** Copies the data of the stopped service. */
function copied(): string {
  const dataDir = folders.make();
  cpSync(app.dataDir, dataDir, { recursive: true });
  return dataDir;
}

async function found(): Promise<string> {
  const { code, error } = await verified();
  expect(code).toBe(1);
  return error;
}

/** Verifies before and after a rebuild of the read models, and expects the same result. */
async function foundTwice(): Promise<string> {
  const first = await found();
  expect((await cli(on(), 'projections:rebuild')).code).toBe(0);
  const { out } = await cli(on(), 'projections:verify');
  expect(out.filter((line) => !line.includes(': equal at'))).toEqual([]);
  const second = await verified();
  expect(second).toMatchObject({ code: 1, error: first });
  return first;
}

describe('audit:verify', () => {
  it('detects an event whose data was changed, also after a rebuild of the read models', async () => {
    await stop();
    const position = tampering.positionOf('FunctionDetailsChanged', functionStream());
    expect(tampering.run("UPDATE events SET data = replace(data, 'third', 'other') WHERE position = ?", position)).toBe(
      1,
    );
    const error = await foundTwice();
    expect(error).toMatch(`Workspace ${workspaceId}: event `);
    expect(error).toContain(
      `FunctionDetailsChanged at position ${position}, revision 2 of ${functionStream()}) was changed`,
    );
  });

  it('detects an event whose actor was changed', async () => {
    await stop();
    const position = tampering.positionOf('FunctionCreated', functionStream());
    const sql = "UPDATE events SET metadata = json_set(metadata, '$.actor.name', 'alice') WHERE position = ?";
    expect(tampering.run(sql, position)).toBe(1);
    expect(await found()).toContain(
      `FunctionCreated at position ${position}, revision 0 of ${functionStream()}) was changed`,
    );
  });

  it('detects the deletion of the last event of a stream: at the end of the log, and before it', async () => {
    await stop();
    const position = tampering.positionOf('FunctionDeleted');
    expect(tampering.run('DELETE FROM events WHERE position = ?', position)).toBe(1);
    expect(await found()).toMatch(
      /event \d+ is missing \(sealed on .*\): truncated after event \d+ \(FunctionDetailsChanged/,
    );
    const again = await start(app.dataDir);
    await done(again, 'automations/createFunction', { name: 'later', code: 'return 1' });
    await again.app.close();
    expect(await found()).toMatch(/event \d+ is missing \(sealed on/);
    const created = tampering.positionOf('FunctionDetailsChanged');
    expect(tampering.run('DELETE FROM events WHERE position = ?', created)).toBe(1);
    expect((await verified()).error).toMatch(/events \d+ to \d+ are missing \(sealed on/);
  });

  it('detects a dropped, an inserted and two exchanged events', async () => {
    await stop();
    const position = tampering.positionOf('FunctionDetailsChanged');
    const foundAfter = async (tamper: (one: Tampering) => void) => {
      const dataDir = copied();
      tamper(new Tampering(dataDir));
      const { code, error } = await cli(on(dataDir), 'audit:verify');
      expect(code).toBe(1);
      return error;
    };
    expect(await foundAfter((one) => one.run('DELETE FROM events WHERE position = ?', position))).toMatch(
      /is missing.*: dropped between event/,
    );
    expect(
      await foundAfter((one) => {
        const sql = "SELECT min(position) AS other FROM events WHERE type = 'FunctionDetailsChanged'";
        const { other } = one.one<{ other: number }>(sql);
        expect(other).toBeLessThan(position);
        for (const [from, to] of [
          [position, -5],
          [other, position],
          [-5, other],
        ] as const) {
          one.run('UPDATE events SET position = ? WHERE position = ?', to, from);
        }
      }),
    ).toMatch(/was moved: FunctionDetailsChanged.* is in its position/);
    expect(
      await foundAfter((one) => {
        one.run('UPDATE events SET position = position + 1000 WHERE position >= ?', position);
        one.run('UPDATE events SET position = position - 999 WHERE position >= 1000');
        one.run(
          `INSERT INTO events (position, stream_id, revision, event_id, type, data, metadata)
           SELECT ?, stream_id, 50, '00000000-0000-4000-8000-000000000000', type, data, metadata FROM events WHERE position = ?`,
          position,
          position + 1,
        );
        one.run('UPDATE log SET head = head + 1');
      }),
    ).toMatch(/revision 50 of .* was inserted before event/);
    expect(await foundAfter((one) => one.run("UPDATE events SET data = '{' WHERE position = ?", position))).toMatch(
      `The log cannot be read after position ${position - 1}: the next event was changed and is no longer valid JSON.`,
    );
  });

  it('detects seals that were changed, forged or deleted', async () => {
    clock.advance(60_000);
    await done(app, 'automations/createFunction', { name: 'one', code: 'return 1' });
    await stop();
    const again = await start(app.dataDir);
    clock.advance(600_000);
    await done(again, 'automations/createFunction', { name: 'two', code: 'return 1' });
    await again.app.close();
    const ours = `type = 'AuditSealed' AND revision =`;
    const seals = tampering.one<{ n: number }>("SELECT count(*) AS n FROM events WHERE type = 'AuditSealed'").n;
    expect(seals).toBeGreaterThanOrEqual(2);
    const foundBy = async (sql: string) => {
      const dataDir = copied();
      expect(new Tampering(dataDir).run(sql)).toBeGreaterThanOrEqual(1);
      return (await cli(on(dataDir), 'audit:verify')).error;
    };
    expect(await foundBy(`UPDATE events SET data = json_set(data, '$.head.count', 1) WHERE ${ours} 0`)).toContain(
      'seal 1 was changed: its signature is invalid',
    );
    expect(await foundBy(`UPDATE events SET data = json_set(data, '$.digests[0]', 'x') WHERE ${ours} 0`)).toContain(
      'seal 1 was changed: its digests do not result in its head',
    );
    expect(await foundBy(`DELETE FROM events WHERE ${ours} 0`)).toContain('seal 1 is missing');
    expect(await foundBy("DELETE FROM events WHERE type = 'AuditSealed'")).toContain(
      'nothing is sealed although the log',
    );
    expect(
      await foundBy(`UPDATE events SET data = json_set(data, '$.head.publicKey', 'abc') WHERE ${ours} 0`),
    ).toContain('seal 1 is signed with another key');
  });
});

describe('heads that were stored elsewhere', () => {
  async function keep(): Promise<string> {
    const { code, out } = await cli(on(), 'audit:heads');
    expect([code, out.length]).toEqual([0, 1]);
    const path = join(folders.make(), 'heads.ndjson');
    writeFileSync(path, `${out.join('\n')}\n`);
    return path;
  }

  it('agree with a store that has continued', async () => {
    await stop();
    const heads = await keep();
    const again = await start(app.dataDir);
    await done(again, 'automations/createFunction', { name: 'later', code: 'return 1' });
    await again.app.close();
    expect(await verified('--heads', heads)).toMatchObject({ code: 0, error: '' });
  });

  it('reveal that the end of the log was cut off with its seals', async () => {
    await stop();
    const heads = await keep();
    const cut = tampering.positionOf('FunctionCreated');
    tampering.run('DELETE FROM events WHERE position >= ?', cut);
    tampering.run('UPDATE log SET head = ?', cut - 1);
    tampering.run(
      'UPDATE streams SET revision = (SELECT ifnull(max(e.revision), -1) FROM events e WHERE e.stream_id = streams.id)',
    );
    const { code, error } = await verified('--heads', heads);
    expect(code).toBe(1);
    expect(error).toMatch(
      new RegExp(
        `^Workspace ${workspaceId}: the stored head of .* covers \\d+ events, but the log has only \\d+: its end is missing, after event`,
      ),
    );
  });

  it('reveal that the log was rewritten by somebody who has the key too', async () => {
    await stop();
    const heads = await keep();
    const position = tampering.positionOf('FunctionDetailsChanged');
    tampering.run("UPDATE events SET data = replace(data, 'third', 'other') WHERE position = ?", position);
    tampering.run("DELETE FROM events WHERE type = 'AuditSealed'");
    tampering.run("DELETE FROM streams WHERE category = 'auditSeal'");
    rmSync(join(app.dataDir, 'read.db'));
    const rewritten = await start(app.dataDir);
    await done(rewritten, 'automations/createFunction', { name: 'later', code: 'return 1' });
    await rewritten.app.close();
    const { code, error } = await verified('--heads', heads);
    expect(code).toBe(1);
    expect(error).toContain('the log was rewritten up to there');
  });

  it('are refused if they are invalid, or signed by another installation', async () => {
    await stop();
    const heads = await keep();
    const path = join(folders.make(), 'bad.ndjson');
    writeFileSync(path, 'hello\n');
    expect(await verified('--heads', path)).toMatchObject({
      code: 1,
      error: 'Line 1 of the stored heads is not a signed head.',
    });
    expect((await verified('--heads', join(path, 'gone'))).error).toContain('cannot be read');
    const elsewhere = await startApp({ environment: { EVENT_STORE: 'embedded', READ_STORE: 'embedded' } });
    apps.push(elsewhere);
    await elsewhere.app.close();
    const { code, error } = await cli({ DATA_DIR: elsewhere.dataDir }, 'audit:verify', '--heads', heads);
    expect([code, error]).toEqual([1, expect.stringContaining('is signed with the key')]);
  });
});

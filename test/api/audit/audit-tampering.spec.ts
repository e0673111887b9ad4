// Second tier.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { signHead, signingKeyOf } from '../../../src/kernel/audit-chain/signed-head.js';
import { canonicalJson } from '../../../src/kernel/json/canonical-json.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { cli, embedded, Folders } from '../../support/stores/log-transfer.js';
import { verifyExport } from '../../support/stores/second-audit-verifier.js';
import { Tampering } from '../../support/stores/tampering.js';

const folders = new Folders();
let app: TestApp;
let clock: MadeUpClock;
let tampering: Tampering;
beforeEach(async () => {
  clock = new MadeUpClock();
  const replacements = [{ provide: Clock, useValue: clock }];
  app = await startApp({ dataDir: folders.make(), environment: embedded, replacements });
  tampering = new Tampering(app.dataDir);
  await done(app, 'automations/createFunction', { name: 'before', code: 'return 1' });
  // The audit has just been sealed, so the next seal is most of a minute away.
  clock.advance(1_000);
  await eventually(
    () => done(app, 'audit/getSeal'),
    ({ head }) => head !== null,
  );
  await done(app, 'automations/createFunction', { name: 'honest', code: 'return 1' });
  // Wait until the function is listed: by then every reader of the log has passed its event.
  await done(app, 'automations/listFunctions');
});
afterEach(async () => {
  await app.close();
  folders.remove();
});

const on = () => ({ ...embedded, DATA_DIR: app.dataDir });
const exported = () =>
  app.send('GET', '/api/v1/audit/export', undefined, { authorization: `Bearer ${app.ownerKey}` }).then(
    ({ status, body }) => ({ status, text: String(body) }),
    () => ({ status: 0, text: '' }),
  );

const exportedSince = (time: number) =>
  app.send('GET', `/api/v1/audit/export?from=${new Date(time).toISOString()}`, undefined, {
    authorization: `Bearer ${app.ownerKey}`,
  });

function change(): number {
  const position = tampering.positionOf('FunctionCreated');
  expect(tampering.run("UPDATE events SET data = replace(data, 'honest', 'bought') WHERE position = ?", position)).toBe(
    1,
  );
  return position;
}

describe('an event that is changed after it was recorded and before it is sealed', () => {
  it('is sealed as it was recorded, so the change is detected', async () => {
    const { head } = await done(app, 'audit/getSeal');
    const position = change();
    clock.advance(60_000);
    await eventually(
      () => done(app, 'audit/getSeal'),
      (seal) => seal.head.count > head.count,
    );
    const { code, error } = await cli(on(), 'audit:verify');
    expect([code, error]).toEqual([1, expect.stringContaining(`FunctionCreated at position ${position}`)]);
    expect(error).toContain('was changed after it was sealed');
  });

  it('is not signed by an export, which reports it, and is detected afterwards', async () => {
    const position = change();
    const { text } = await exported();
    expect(text).not.toContain('"line":"end"');
    expect(text).not.toContain('bought');
    const { code, error } = await cli(on(), 'audit:verify');
    expect([code, error]).toEqual([1, expect.stringContaining(`FunctionCreated at position ${position}`)]);
    const late = await exportedSince(clock.now());
    expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining('was changed after it was sealed')]);
  });
});

it('an event that is changed after it was sealed is not signed by an export', async () => {
  expect((await exported()).status).toBe(200);
  change();
  expect((await exported()).text).not.toContain('"line":"end"');
  const { code, error } = await cli(on(), 'audit:verify');
  expect([code, error]).toEqual([1, expect.stringContaining('was changed after it was sealed')]);
});

const noSeals: readonly (readonly [what: string, data: string])[] = [
  ['is null', 'null'],
  ['has nothing in it', '{}'],
  ['has no head', "json_remove(data, '$.head')"],
  ['has a head without a place', "json_remove(data, '$.head.previous')"],
  ['has a number for its digests', "json_set(data, '$.digests', 7)"],
  ['does not tell its last event', "json_remove(data, '$.last')"],
  ['is no JSON', '{'],
];

describe('an invalid seal in the store', () => {
  it.each(noSeals)(
    'because it %s is reported by exports and detected, and later events are sealed',
    async (_, data) => {
      await exported();
      const { head } = await done(app, 'audit/getSeal');
      const position = tampering.positionOf('AuditSealed');
      const value = data.startsWith('json') ? data : `'${data}'`;
      expect(tampering.run(`UPDATE events SET data = ${value} WHERE position = ?`, position)).toBe(1);
      await done(app, 'automations/createFunction', { name: 'after', code: 'return 1' });
      expect((await exported()).text).not.toContain('"line":"end"');
      const late = await exportedSince(clock.now());
      expect([late.status, late.body.detail]).toEqual([409, expect.stringMatching(/seal \d+ of .* was changed/)]);
      const now = await done(app, 'audit/getSeal');
      expect(now.head.count).toBeGreaterThan(head.count);
      const { code, error } = await cli(on(), 'audit:verify');
      expect([code, error]).toEqual([
        1,
        expect.stringMatching(/seal \d+ was changed: it no longer has the form of a seal|the next event was changed/),
      ]);
    },
  );
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Rewrites every event of the export, and all heads that follow from it. */
function rewritten(text: string, change: (line: string) => string): string[] {
  const lines = text.split('\n').slice(0, -1);
  let { head } = JSON.parse(lines[0] ?? '').start;
  return lines.map((line) => {
    const [, event, number] = /^\{"event":(.*),"head":"[0-9a-f]{64}","line":"event","number":(\d+)\}$/.exec(line) ?? [];
    if (event === undefined) return line;
    const changed = change(event);
    head = sha256(head + sha256(changed));
    return `{"event":${changed},"head":"${head}","line":"event","number":${number}}`;
  });
}

describe('an exported file', () => {
  it("that was rewritten completely is detected by its signature, or by the signer's key", async () => {
    const { text } = await exported();
    const path = join(folders.make(), 'audit.ndjson');
    const verify = (lines: readonly string[], ...flags: string[]) => {
      writeFileSync(path, `${lines.join('\n')}\n`);
      return cli({}, 'audit:verify', path, ...flags);
    };
    expect((await verify(rewritten(text, (event) => event))).code).toBe(0);
    const lines = rewritten(text, (event) => event.replace('honest', 'bought'));
    const unsigned = await verify(lines);
    expect([unsigned.code, unsigned.error]).toEqual([1, expect.stringContaining('The events were rewritten')]);
    expect(verifyExport(Buffer.from(`${lines.join('\n')}\n`))).toBe('the end is of other events');
    // An attacker signs the rewritten export with a key of their own.
    const { fingerprint } = await done(app, 'audit/getSeal');
    const key = signingKeyOf(Buffer.alloc(32, 7));
    const header = (lines[0] ?? '').replace(/"publicKey":"[^"]*"/, `"publicKey":"${key.publicKey}"`);
    const { signature: _, publicKey: __, ...head } = JSON.parse(lines.at(-1) ?? '').head;
    const last = JSON.parse(lines.at(-2) ?? '');
    const signed = signHead({ ...head, head: last.head, header: sha256(header) }, key);
    const forged = [header, ...lines.slice(1, -1), canonicalJson({ line: 'end', head: signed })];
    expect(verifyExport(Buffer.from(`${forged.join('\n')}\n`))).toBe('');
    expect((await verify(forged, '--key', fingerprint)).error).toContain('It is signed with the key');
    expect((await verify(text.split('\n').slice(0, -1), '--key', fingerprint)).code).toBe(0);
  });

  it('that lost its last line feed, or ends within a line, is reported as truncated by both verifiers', async () => {
    const { text } = await exported();
    const path = join(folders.make(), 'audit.ndjson');
    const half = text.slice(0, Math.floor(text.length / 2));
    for (const cut of [text.slice(0, -1), text.slice(0, -20), half]) {
      writeFileSync(path, cut);
      const { code, error } = await cli({}, 'audit:verify', path);
      expect([code, error]).toEqual([1, expect.stringContaining('truncated: it ends in the middle of line')]);
      expect(verifyExport(Buffer.from(cut))).not.toBe('');
    }
  });

  it('with invalid UTF-8 is detected, within lines of any length', async () => {
    const code = `return "${'ä'.repeat(120_000)}"`;
    for (let n = 0; n < 8; n++) {
      await done(app, 'automations/createFunction', { name: `large ${n}`, code: `${code} + ${n}` });
    }
    const { text } = await exported();
    const path = join(folders.make(), 'audit.ndjson');
    writeFileSync(path, text);
    expect(await cli({}, 'audit:verify', path)).toMatchObject({ code: 0, error: '' });
    const bytes = Buffer.from(text);
    bytes[bytes.indexOf('FunctionCreated')] = 0xff;
    writeFileSync(path, bytes);
    expect(await cli({}, 'audit:verify', path)).toMatchObject({
      code: 1,
      error: expect.stringMatching(/Line \d+ \(event \d+\) was changed/),
    });
  });
});

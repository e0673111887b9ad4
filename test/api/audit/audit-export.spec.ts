import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { type OutsideApp, sharedStandingTime } from '../../support/shared-outside.js';
import { cli, Folders } from '../../support/stores/log-transfer.js';
import { verifyExport } from '../../support/stores/second-audit-verifier.js';

const folders = new Folders();
let app: OutsideApp<MadeUpClock>;
let clock: MadeUpClock;
let workspaceId: string;
let began: number;

beforeEach(async () => {
  app = await sharedStandingTime();
  ({ clock } = app);
  began = clock.now();
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
  for (const name of ['one', 'two ä\u2028🖋', 'three']) {
    clock.advance(3_600_000);
    await done(app, 'automations/createFunction', { name, code: `return "${name}"` });
  }
});
afterEach(async () => {
  await app.close();
  folders.remove();
});

const get = (query = '', key = app.ownerKey) =>
  app.send('GET', `/api/v1/audit/export${query}`, undefined, { authorization: `Bearer ${key}` });
async function exported(query = ''): Promise<string> {
  const { status, body, headers } = await get(query);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  return body;
}

const typesOf = (text: string) =>
  text
    .split('\n')
    .slice(1, -2)
    .map((line) => JSON.parse(line).event.type);

async function verified(text: string | Uint8Array, ...flags: string[]) {
  const path = join(folders.make(), 'audit.ndjson');
  writeFileSync(path, text);
  return cli({}, 'audit:verify', path, ...flags);
}
const time = (hours: number) => new Date(began + hours * 3_600_000).toISOString();

describe('the export of the audit', () => {
  it('contains every large text once, before the event that refers to it, and a changed one is detected', async () => {
    const code = `/* ${'large code\r\n'.repeat(500)} */ return 1`;
    const fn = await done(app, 'automations/createFunction', { name: 'Large', code });
    const other = { id: fn.id, seenUpdatedAt: fn.updatedAt, code: `${code}0` };
    await done(app, 'automations/updateFunction', other);
    await done(app, 'automations/createFunction', { name: 'The same', code });
    const text = await exported();
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const texts = lines.filter(({ line }) => line === 'text');
    expect(texts.map((line) => line.text)).toEqual([code, `${code}0`]);
    for (const { digest } of texts) {
      const at = lines.findIndex((line) => line.digest === digest);
      expect(lines[at + 1].event.data.code.digest).toBe(digest);
    }
    expect([(await verified(text)).code, verifyExport(Buffer.from(text))]).toEqual([0, '']);
    const changed = await verified(text.replace('large code', 'small code'));
    expect(changed.code).not.toBe(0);
    expect(changed.error + changed.out.join('')).toContain('was inserted');
    expect(verifyExport(Buffer.from(text.replace('large code', 'small code')))).toContain(
      'is not the text of its digest',
    );
  });

  it("contains every event of the workspace's audit, including this reading, and is verified offline by two verifiers", async () => {
    await otherWorkspace(app);
    const text = await exported();
    expect(typesOf(text).filter((type) => type === 'FunctionCreated')).toHaveLength(3);
    expect(typesOf(text).at(-1)).toBe('AuditRead');
    expect(text).not.toContain('olga@example.org');
    expect(verifyExport(Buffer.from(text))).toBe('');
    const { fingerprint } = await done(app, 'audit/getSeal');
    const { code, out } = await verified(text);
    expect([code, out[0]]).toEqual([0, expect.stringContaining(`Workspace ${workspaceId}: events 1 to `)]);
    expect(out[0]).toContain(fingerprint);
    expect((await verified(text, '--key', fingerprint)).code).toBe(0);
    expect((await verified(text, '--key', 'abc')).error).toContain('It is signed with the key');
    const [audit] = (await done(app, 'audit/listEvents', { kind: 'auditReading' })).events.slice(1);
    expect(audit).toMatchObject({
      type: 'AuditRead',
      data: { operation: 'audit/export', asked: { from: null, to: null } },
    });
  });

  it('can be a stretch of the same chain, from one time to another', async () => {
    clock.advance(60_000);
    const whole = (await exported()).split('\n').slice(1, -2);
    const two = await exported(`?from=${time(2)}&to=${time(3)}`);
    expect(typesOf(two)).toEqual(['FunctionCreated']);
    expect(whole).toContain(two.split('\n')[1]);
    expect(verifyExport(Buffer.from(two))).toBe('');
    expect((await verified(two)).code).toBe(0);
    const late = await exported(`?from=${time(3)}`);
    expect(typesOf(late).slice(0, 2)).toEqual(['FunctionCreated', 'AuditRead']);
    expect(whole).toContain(late.split('\n')[1]);
    expect(verifyExport(Buffer.from(late))).toBe('');
    for (const none of [`?to=${time(-1)}`, `?from=${time(9)}`]) {
      const empty = await exported(none);
      expect(typesOf(empty)).toEqual([]);
      expect(verifyExport(Buffer.from(empty))).toBe('');
      expect((await verified(empty)).out[0]).toContain('no event');
    }
  });

  it('is rejected by both verifiers if a line was changed, dropped, inserted, reordered or truncated', async () => {
    const lines = (await exported()).split('\n').slice(0, -1);
    const file = (changed: readonly string[]) => `${changed.join('\n')}\n`;
    const [third = '', fourth = ''] = lines.slice(2);
    const cases = [
      [lines.with(2, third.replace('"revision":0', '"revision":1')), 'was changed'],
      [lines.toSpliced(2, 1), 'was dropped'],
      [lines.toSpliced(2, 0, third), 'was inserted'],
      [lines.toSpliced(2, 2, fourth, third), 'reordered'],
      [lines.slice(0, -1), 'is truncated'],
    ] as const;
    for (const [changed, said] of cases) {
      expect(verifyExport(Buffer.from(file(changed)))).not.toBe('');
      const { code, error } = await verified(file(changed));
      expect([code, error]).toEqual([1, expect.stringContaining(said)]);
    }
  });

  it('requires the right to read the audit, and accepts only GET and times', async () => {
    const [editor, auditor] = [await person(app, 'editor'), await person(app, 'viewer', ['audit.read'])];
    expect((await get('', editor.key)).status).toBe(403);
    expect((await get('', auditor.key)).status).toBe(200);
    expect((await get('', 'csk_wrong')).status).toBe(401);
    expect((await app.call('audit/export')).status).toBe(405);
    for (const query of ['?from=yesterday', '?to=2026-02-30', '?from=2026-01-01&from=2026-01-02', '?format=csv']) {
      expect([query, (await get(query)).status]).toEqual([query, 400]);
    }
  });

  it('still matches the seals after a secret was destroyed', async () => {
    await done(app, 'automations/setEnvVar', { name: 'TOKEN', value: 'hidden-value-1' });
    const before = await exported();
    expect(before).not.toContain('hidden-value-1');
    await done(app, 'automations/deleteEnvVar', { name: 'TOKEN' });
    expect(verifyExport(Buffer.from(await exported()))).toBe('');
  });
});

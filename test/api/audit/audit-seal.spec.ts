import { createHash, createPublicKey, verify } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { cli, embedded, Folders } from '../../support/stores/log-transfer.js';
import { Tampering } from '../../support/stores/tampering.js';

const folders = new Folders();
let app: TestApp;
let clock: MadeUpClock;
let workspaceId: string;

beforeEach(async () => {
  clock = new MadeUpClock(Date.now());
  const replacements = [{ provide: Clock, useValue: clock }];
  app = await startApp({ dataDir: folders.make(), environment: embedded, replacements });
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
  await done(app, 'automations/createFunction', { name: 'honest', code: 'return 1' });
});
afterEach(async () => {
  await app.close();
  folders.remove();
});

const command = (...args: string[]) => cli({ ...embedded, DATA_DIR: app.dataDir }, ...args);

describe('audit:verify', () => {
  it('accepts a stopped store, each workspace separately, and detects an event whose data was changed', async () => {
    const { workspaceId: other } = await otherWorkspace(app);
    await app.app.close();
    const { code, out, error } = await command('audit:verify');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const unchanged = out.filter((line) => line.includes('are unchanged')).map((line) => line.split(':')[0]);
    expect(unchanged.sort()).toEqual([workspaceId, other].sort());
    expect(out.join('\n')).not.toContain('not sealed');

    const tampering = new Tampering(app.dataDir);
    const position = tampering.positionOf('FunctionCreated');
    const sql = "UPDATE events SET data = replace(data, 'honest', 'bought') WHERE position = ?";
    expect(tampering.run(sql, position)).toBe(1);
    const found = await command('audit:verify');
    expect([found.code, found.error]).toEqual([1, expect.stringContaining(`Workspace ${workspaceId}: event `)]);
    expect(found.error).toMatch(new RegExp(`FunctionCreated at position ${position}, revision 0 of .*was changed`));
  });
});

describe('audit/getSeal', () => {
  it('answers a head that anybody can verify, to those who may read the audit; before, events are not sealed yet', async () => {
    expect((await done(app, 'audit/getSeal')).head).toBeNull();
    const running = await command('audit:verify');
    expect([running.code, running.out[0]]).toEqual([0, expect.stringMatching(/are not sealed yet/)]);
    clock.advance(60_000);
    const { head, publicKey, fingerprint } = await eventually(
      () => done(app, 'audit/getSeal'),
      (answer) => answer.head !== null,
    );
    expect((await command('audit:verify')).out[0]).not.toContain('not sealed');
    expect(head).toMatchObject({ format: 'countersign-audit-head-1', workspaceId, publicKey, previous: { count: 0 } });
    expect(fingerprint).toBe(createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex'));
    const { signature, ...rest } = head;
    const text = JSON.stringify(rest, (_, value) =>
      typeof value === 'object' && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
    );
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    expect(verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'))).toBe(true);
    const [kept] = (await command('audit:heads', '--workspace', workspaceId)).out;
    expect(JSON.parse(kept ?? '')).toEqual(head);
    const editor = await person(app, 'editor');
    expect((await app.call('audit/getSeal', {}, editor.key)).status).toBe(403);
  });
});

// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Vault } from '../../../src/ports/vault.port.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, eventsOf, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { storedFiles } from '../../support/stores/stored-files.js';

let app: TestApp;
let ownerId: string;
beforeAll(async () => {
  app = await sharedApp();
  ownerId = (await done(app, 'workspace/getWorkspace')).me.id;
});
afterAll(() => app.close());

const refusal = async (operation: string, body: object, key?: string) => {
  const reply = await app.call(`workspace/${operation}`, body, key);
  return [reply.status, reply.body.code];
};
/** The decrypted content of all vault entries. */
async function vaultTexts(): Promise<readonly string[]> {
  const vault = app.app.get(Vault, { strict: false });
  const texts: string[] = [];
  for await (const { name } of vault.sealedEntries()) {
    const value = await vault.open(name);
    if (value !== undefined) texts.push(Buffer.from(value).toString('utf8'));
  }
  return texts;
}
const listed = async (id: string) =>
  (await done(app, 'workspace/listApiKeys')).find((key: { id: string }) => key.id === id);

describe('createApiKey', () => {
  it('shows the key only once', async () => {
    const created = await done(app, 'workspace/createApiKey', { name: 'CI', kind: 'person' });
    expect(created).toEqual({
      id: expect.stringMatching(/^key_/),
      key: expect.stringMatching(/^csk_[\w-]{32,}$/),
      name: 'CI',
      kind: 'person',
      memberId: ownerId,
      agentId: null,
      readOnly: false,
      neverDeletes: false,
      expiresAt: null,
      areas: null,
      functions: null,
      client: null,
      createdAt: expect.stringMatching(/Z$/),
      createdBy: 'Owner',
    });
    const { key, ...rest } = created;
    expect(await listed(created.id)).toEqual({
      ...rest,
      hint: key.slice(-4),
      lastUsedAt: null,
      revokedAt: null,
      endedBecause: null,
      status: 'active',
    });
    expect((await done(app, 'workspace/getWorkspace', {}, key)).me).toMatchObject({ kind: 'person', id: ownerId });
  });

  it('the same Idempotency-Key creates one key, and shows it only in the first answer', async () => {
    const send = () =>
      app.call('workspace/createApiKey', { name: 'once', kind: 'flow' }, app.ownerKey, {
        'idempotency-key': 'key-once',
      });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).toEqual([200, 200]);
    const notShown = expect.stringMatching(/^It was shown only in the first answer to this Idempotency-Key/);
    expect(first.body.key).toMatch(/^csk_/);
    expect(second.body).toEqual({ ...first.body, key: null, notShown });
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    const all = await done(app, 'workspace/listApiKeys');
    expect(all.filter(({ name }: { name: string }) => name === 'once')).toHaveLength(1);
    const kept = await vaultTexts();
    expect(kept.filter((text) => text.includes(first.body.id))).toHaveLength(1);
    expect(kept.filter((text) => text.includes(first.body.key))).toEqual([]);
  });

  it.each([
    [{ kind: 'person' }, 'name'],
    [{ name: 'a\nb', kind: 'person' }, 'name'],
    [{ name: 'k' }, 'kind'],
    [{ name: 'k', kind: 'function' }, 'kind'],
    [{ name: 'k', kind: 'person', memberId: null }, 'memberId'],
    [{ name: 'k', kind: 'person', agentId: 'agent_1' }, 'agentId'],
    [{ name: 'k', kind: 'connection', agentId: 'agent_1' }, 'agentId'],
    [{ name: 'k', kind: 'agent' }, 'agentId'],
    [{ name: 'k', kind: 'agent', agentId: 'agent_1', memberId: 'mem_1' }, 'memberId'],
    [{ name: 'k', kind: 'automation', memberId: 'mem_1' }, 'memberId'],
    [{ name: 'k', kind: 'flow', agentId: 'agent_1' }, 'agentId'],
    [{ name: 'k', kind: 'flow', expiresAt: '2001-01-01' }, 'expiresAt'],
    [{ name: 'k', kind: 'flow', expiresAt: '2100-01-01T00:00:00' }, 'expiresAt'],
    [{ name: 'k', kind: 'flow', expiresAt: '2100-02-30' }, 'expiresAt'],
    [{ name: 'k', kind: 'flow', expiresAt: 'tomorrow' }, 'expiresAt'],
    [{ name: 'k', kind: 'flow', key: 'csk_mine' }, 'key'],
  ])('refuses a key of %j', async (sent, path) => {
    const { status, body } = await app.call('workspace/createApiKey', sent);
    expect([status, body.code, body.errors[0].path]).toEqual([400, 'invalid-input', path]);
  });

  it('cannot give more rights', async () => {
    const admin = await person(app, 'admin');
    expect(await refusal('createApiKey', { name: 'k', kind: 'person', memberId: ownerId }, admin.key)).toEqual([
      403,
      'key-above-own-role',
    ]);
    const agent = await done(app, 'workspace/addAgent', { name: "the Owner's" });
    expect(await refusal('createApiKey', { name: 'k', kind: 'agent', agentId: agent.id }, admin.key)).toEqual([
      403,
      'key-above-own-role',
    ]);
    const careful = await keyOf(app, { kind: 'person', neverDeletes: true });
    expect(await refusal('createApiKey', { name: 'k', kind: 'person' }, careful)).toEqual([
      403,
      'key-must-never-delete',
    ]);
    await done(app, 'workspace/createApiKey', { name: 'k', kind: 'person', neverDeletes: true }, careful);
    expect(await done(app, 'workspace/createApiKey', { name: 'k', kind: 'person' }, admin.key)).toMatchObject({
      memberId: admin.id,
    });
  });

  it('gives the same answer for an unknown id and for one in another workspace', async () => {
    const other = await otherWorkspace(app);
    const agent = await done(app, 'workspace/addAgent', { name: 'Theirs' }, other.ownerKey);
    const key = await done(app, 'workspace/createApiKey', { name: 'Theirs', kind: 'flow' }, other.ownerKey);
    for (const [operation, unknown, foreign] of [
      [
        'createApiKey',
        { name: 'k', kind: 'person', memberId: 'mem_none' },
        { name: 'k', kind: 'person', memberId: other.ownerId },
      ],
      [
        'createApiKey',
        { name: 'k', kind: 'agent', agentId: 'agent_none' },
        { name: 'k', kind: 'agent', agentId: agent.id },
      ],
      ['revokeApiKey', { id: 'key_none' }, { id: key.id }],
    ] as const) {
      const [nothing, theirs] = [
        await app.call(`workspace/${operation}`, unknown),
        await app.call(`workspace/${operation}`, foreign),
      ];
      expect([nothing.status, theirs.status]).toEqual([404, 404]);
      expect({ ...theirs.body, requestId: '' }).toEqual({ ...nothing.body, requestId: '' });
    }
    expect(await listed(key.id)).toBeUndefined();
    await done(app, 'workspace/getWorkspace', {}, key.key);
  });
});

describe('a key with an expiry', () => {
  it('cannot create one that ends later', async () => {
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const key = await keyOf(app, { kind: 'person', expiresAt: end });
    const made = (more: object) => app.call('workspace/createApiKey', { name: 'k', kind: 'person', ...more }, key);
    expect((await made({})).body.expiresAt).toBe(end);
    const sooner = new Date(Date.now() + 1_800_000).toISOString();
    expect((await made({ expiresAt: sooner })).body.expiresAt).toBe(sooner);
    for (const expiresAt of [new Date(Date.parse(end) + 1).toISOString(), '2100-01-01']) {
      const { status, body } = await made({ expiresAt });
      expect([status, body.code, body.detail.includes(end)]).toEqual([403, 'key-outlives-own', true]);
    }
  });
});

describe('a key', () => {
  it('ends when it expires', async () => {
    const expiresAt = new Date(Date.now() + 1_200).toISOString();
    const { id, key } = await done(app, 'workspace/createApiKey', { name: 'short', kind: 'person', expiresAt });
    await done(app, 'workspace/getWorkspace', {}, key);
    expect(await listed(id)).toMatchObject({ status: 'active', expiresAt });
    const refused = () => refusal('getWorkspace', {}, key);
    expect(await eventually(refused, ([status]) => status !== 200)).toEqual([401, 'key-invalid']);
    expect(await listed(id)).toMatchObject({ status: 'expired' });
  });

  it('ends at once when it is revoked, and revoking it again changes nothing', async () => {
    const { id, key } = await done(app, 'workspace/createApiKey', { name: 'gone', kind: 'automation' });
    await done(app, 'workspace/getWorkspace', {}, key);
    expect(await done(app, 'workspace/revokeApiKey', { id })).toEqual({ success: true });
    expect(await refusal('getWorkspace', {}, key)).toEqual([401, 'key-invalid']);
    const after = await listed(id);
    expect(after).toMatchObject({ status: 'revoked', revokedAt: expect.any(String) });
    const head = await revocations(id);
    expect(await done(app, 'workspace/revokeApiKey', { id })).toEqual({ success: true });
    expect(await listed(id)).toEqual(after);
    expect(await revocations(id)).toBe(head);
  });

  const revocations = async (id: string) =>
    (await eventsOf(app, { types: ['ApiKeyRevoked'] })).filter(({ stream }) => stream.endsWith(id)).length;

  it("can be revoked by an Admin, unless it is the Owner's", async () => {
    const admin = await person(app, 'admin');
    const ours = await done(app, 'workspace/createApiKey', { name: 'ours', kind: 'connection' });
    expect(await refusal('revokeApiKey', { id: ours.id }, admin.key)).toEqual([403, 'key-above-own-role']);
    const flow = await done(app, 'workspace/createApiKey', { name: 'flow', kind: 'flow' });
    expect(await done(app, 'workspace/revokeApiKey', { id: flow.id }, admin.key)).toEqual({ success: true });
  });

  it('shows when it was last used', async () => {
    const { id, key } = await done(app, 'workspace/createApiKey', { name: 'used', kind: 'flow' });
    await done(app, 'workspace/getWorkspace', {}, key);
    const used = await eventually(
      () => listed(id),
      ({ lastUsedAt }) => lastUsedAt !== null,
    );
    expect(Date.now() - Date.parse(used.lastUsedAt)).toBeLessThan(60_000);
  });

  it('is in no list, event or file', async () => {
    const key = await keyOf(app, { kind: 'person' });
    const secrets = [key, key.slice(4), app.ownerKey];
    const events = await eventsOf(app);
    const lists = await Promise.all(
      ['listApiKeys', 'listMembers', 'getWorkspace'].map((one) => done(app, `workspace/${one}`)),
    );
    for (const text of [JSON.stringify(events), JSON.stringify(lists)]) {
      for (const secret of secrets) expect(text.includes(secret)).toBe(false);
    }
    expect(JSON.stringify(lists)).not.toContain('keyHash');
    const files = storedFiles(app.dataDir);
    expect(files.length).toBeGreaterThan(0);
    for (const { path, bytes } of files) {
      for (const secret of secrets) expect([path, bytes.includes(secret)]).toEqual([path, false]);
    }
  });
});

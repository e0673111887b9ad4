import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { WorkspaceCreator } from '../../../src/areas/workspace/workspace/create-workspace.api.js';
import { FirstStart } from '../../../src/areas/workspace/workspace/first-start.js';
import { Authenticator } from '../../../src/engine/authorisation/authenticator.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { Service } from '../../../src/service.js';
import { assemble } from '../../../src/start.js';

const given = 'an-owner-key-of-24-characters';
let dataDir: string;
let app: INestApplication;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-'));
  app = await assemble({ PORT: '0', SMTP_IN_PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'error' }, false);
  await app.init();
});
afterEach(async () => {
  await app.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const get = <T>(type: abstract new (...args: never[]) => T): T => app.get(type as never, { strict: false });
const start = (key?: string) => get(FirstStart).run(key);
const callerOf = (key: string) => get(Authenticator).callerOf(key);

async function count(...types: string[]): Promise<number> {
  return (await get(EventStore).readAll({ types, limit: 1_000 })).length;
}

describe('the first start', () => {
  it('creates a workspace that its Owner can enter, and later starts create none', async () => {
    const founded = await start();
    expect(founded).toEqual({
      workspaceId: expect.stringMatching(/^ws_[0-9a-z]{26}$/),
      ownerKey: expect.stringMatching(/^csk_[\w-]{32}$/),
      given: false,
    });
    expect(await start()).toBeUndefined();
    await get(Service).start();
    expect(await callerOf(founded?.ownerKey ?? '')).toMatchObject({ kind: 'person', role: 'owner' });
    expect(await count('WorkspaceCreated', 'MemberAdded', 'ApiKeyCreated')).toBe(3);
  });

  it("uses the operator's key, and no other text", async () => {
    for (const bad of ['short', `${given}\n`, `${given} `, `${given}/`, '']) {
      await expect(start(bad)).rejects.toThrow(/BOOTSTRAP_OWNER_KEY/);
    }
    expect(await count('WorkspaceCreated')).toBe(0);
    expect(await start(given)).toMatchObject({ ownerKey: given, given: true });
    await get(Service).start();
    expect(await callerOf(given)).toMatchObject({ role: 'owner' });
  });

  it.each([1, 2, 3])('interrupted at write %i, is completed by the next start', async (failing) => {
    const store = get(EventStore);
    const append = store.append.bind(store);
    let writes = 0;
    store.append = async (requests) => {
      if (++writes === failing) throw new Error('the power went');
      return append(requests);
    };
    await expect(start(given)).rejects.toThrow('the power went');
    store.append = append;
    expect(await start(given)).toMatchObject({ ownerKey: given });
    for (const type of ['WorkspaceCreated', 'MemberAdded', 'ApiKeyCreated']) expect(await count(type)).toBe(1);
    await get(Service).start();
    expect(await callerOf(given)).toMatchObject({ role: 'owner' });
  });

  it('of two processes at once creates one workspace, and one of them prints its key', async () => {
    const founded = await Promise.all([start(), start(), start()]);
    expect(founded.filter((one) => one !== undefined)).toHaveLength(1);
    expect(await count('WorkspaceCreated', 'MemberAdded', 'ApiKeyCreated')).toBe(3);
  });
});

describe('the operator', () => {
  const input = { name: 'Acme', ownerName: 'Olga', ownerEmail: 'olga@example.org' };

  it('can create any number of workspaces', async () => {
    const [one, two] = [await get(WorkspaceCreator).found(input), await get(WorkspaceCreator).found(input)];
    expect(one.workspaceId).not.toBe(two.workspaceId);
    await get(Service).start();
    expect(await callerOf(two.ownerKey)).toMatchObject({
      id: two.ownerId,
      workspaceId: two.workspaceId,
      role: 'owner',
    });
    expect(await start()).toBeUndefined();
  });

  it('cannot create one with an invalid name, or a key that opens another workspace', async () => {
    await expect(get(WorkspaceCreator).found({ ...input, ownerEmail: 'olga' })).rejects.toThrow(/ownerEmail/);
    await expect(get(WorkspaceCreator).found({ ...input, name: 'a\nb' })).rejects.toThrow(/name/);
    await get(Service).start();
    await get(WorkspaceCreator).found(input, given);
    await expect(get(WorkspaceCreator).found(input, given)).rejects.toThrow(/another workspace/);
  });

  it('can create keys of every kind', async () => {
    const { workspaceId, ownerId } = await get(WorkspaceCreator).found(input);
    await get(Service).start();
    const make = (wanted: object) => get(WorkspaceCreator).createKey({ workspaceId, kind: 'person', ...wanted });
    const who = async (wanted: object) => callerOf((await make(wanted)).key);
    expect(await who({})).toMatchObject({ kind: 'person', id: ownerId });
    expect(await who({ kind: 'connection', memberId: ownerId, readOnly: true })).toMatchObject({
      readOnly: true,
      neverDeletes: false,
    });
    expect(await who({ kind: 'agent', neverDeletes: true })).toMatchObject({
      kind: 'agent',
      personBehind: { id: ownerId },
      neverDeletes: true,
    });
    expect(await who({ kind: 'automation' })).toMatchObject({ kind: 'automation', role: 'editor' });
    expect(await who({ kind: 'flow' })).toMatchObject({ kind: 'flow' });
    await expect(make({ kind: 'flow', memberId: ownerId })).rejects.toThrow(/memberId/);
    await expect(make({ memberId: 'mem_none' })).rejects.toThrow(/no such member/);
    await expect(make({ workspaceId: 'ws_none' })).rejects.toThrow(/no such workspace/);
  });
});

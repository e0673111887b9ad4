import { describe, expect, test } from '@jest/globals';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { SystemIds } from '../../adapters/system/system-ids.adapter.js';
import type { Decision } from '../../kernel/judging/decision.js';
import type { SealOptions, Vault } from '../../ports/vault.port.js';
import { DryRun } from '../dry-run/dry-run.js';
import { DecisionIds, decisionRetentionMs, storedDecisions } from './decision-ids.js';
import { sealedIdLength } from './sealed-decisions.js';

const decision: Decision = {
  kind: 'power',
  at: '2026-01-01T00:00:00.000Z',
  code: 'no-power',
  member: 'ctx.x',
  functionId: 'fn_1',
  sentence: 's',
};
const right: Decision = {
  kind: 'right',
  at: '2026-01-01T00:00:00.000Z',
  code: 'permission-missing',
  operation: 'automations/createFunction',
  asked: { permission: 'functions.edit', touches: true, takesAway: false },
  caller: {
    kind: 'person',
    id: 'mem_1',
    keyId: 'key_1',
    role: 'viewer',
    more: [],
    less: [],
    readOnly: false,
    neverDeletes: false,
  },
};
const short = /^dec_[0-9a-z]{26}$/;

function scene() {
  const held = new Map<string, { value: Uint8Array; expiresAt?: number | undefined }>();
  const clock = new MadeUpClock();
  const write = Promise.withResolvers<void>();
  const vault = {
    derive: (text: string) => text,
    seal: async (name: string, value: Uint8Array, { expiresAt }: SealOptions) => {
      await write.promise;
      held.set(name, { value, expiresAt });
      return true;
    },
    open: async (name: string) => held.get(name)?.value,
  } as unknown as Vault;
  const process = () => new DecisionIds(vault, new SystemIds(clock), clock);
  return { held, clock, write, process, ids: process() };
}

describe('an id', () => {
  test('is short, is given before the write and decrypted after it, in another process too', async () => {
    const { ids, held, write, process, clock } = scene();
    const id = ids.idOf('ws_1', decision);
    expect(id).toMatch(short);
    const opened = ids.open('ws_1', id);
    expect(await process().open('ws_1', id)).toBeUndefined();
    write.resolve();
    expect(await opened).toEqual(decision);
    expect(await process().open('ws_1', id)).toEqual(decision);
    expect([...held].map(([name, { expiresAt }]) => [name, expiresAt])).toEqual([
      [`decision/ws_1/${id}`, clock.now() + decisionRetentionMs],
    ]);
  });

  test('works only in its own workspace, and only as a whole', async () => {
    const { ids, write } = scene();
    write.resolve();
    const id = ids.idOf('ws_1', decision);
    for (const [workspaceId, other] of [
      ['ws_2', id],
      ['ws_1', id.slice(0, -1)],
      ['ws_1', `${id}a`],
      ['ws_1', `../ws_1/${id}`],
      ['ws_2', `../ws_1/${id}`],
    ] as const) {
      expect(await ids.open(workspaceId, other)).toBeUndefined();
    }
  });

  test('refers to nothing if its write fails', async () => {
    const { ids, write } = scene();
    const id = ids.idOf('ws_1', decision);
    write.reject(new Error('The disk is full.'));
    await ids.beforeApplicationShutdown();
    expect(await ids.open('ws_1', id)).toBeUndefined();
  });

  test('is stored before the process stops', async () => {
    const { ids, held, write } = scene();
    ids.idOf('ws_1', decision);
    setImmediate(write.resolve);
    await ids.beforeApplicationShutdown();
    expect(held.size).toBe(1);
  });
});

describe('a decision beyond the limit of storage', () => {
  test('is in the id itself, nothing more is stored, and room is made again as time passes', async () => {
    const { ids, held, write, clock } = scene();
    write.resolve();
    const many = (count: number) => Array.from({ length: count }, () => ids.idOf('ws_1', decision));
    expect(many(storedDecisions.burst).every((id) => short.test(id))).toBe(true);
    const [beyond] = many(1);
    expect(beyond).toHaveLength(sealedIdLength);
    expect(await ids.open('ws_1', beyond ?? '')).toEqual(decision);
    await ids.beforeApplicationShutdown();
    expect(held.size).toBe(storedDecisions.burst);
    clock.advance(storedDecisions.fillMs / 10);
    expect(many(storedDecisions.burst).filter((id) => short.test(id))).toHaveLength(storedDecisions.burst / 10);
  });

  test('of visitors uses nothing of what is reserved for members, nor of another workspace', async () => {
    const { ids } = scene();
    for (let count = 0; count <= storedDecisions.burst; count += 1) ids.idOf('ws_1', decision);
    expect(ids.idOf('ws_1', decision)).not.toMatch(short);
    expect(ids.idOf('ws_1', right)).toMatch(short);
    expect(ids.idOf('ws_2', decision)).toMatch(short);
  });
});

test('of a dry run stores nothing, and its ids can still be explained', async () => {
  const { ids, held, write } = scene();
  write.resolve();
  const id = new DryRun().inside(() => ids.idOf('ws_1', decision));
  await ids.beforeApplicationShutdown();
  expect([id.length, held.size]).toEqual([sealedIdLength, 0]);
  expect(await ids.open('ws_1', id)).toEqual(decision);
});

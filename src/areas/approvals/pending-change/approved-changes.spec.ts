import { beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import { LocalLeases } from '../../../adapters/leases/local/local-leases.adapter.js';
import type { ChangeTargets } from '../../../engine/approvals/change-targets.js';
import type { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { Calls } from '../../../engine/operation/calls.js';
import { IdempotencyStore } from '../../../engine/pipeline/idempotency-store.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { EventStoreUnavailable } from '../../../ports/event-store.port.js';
import type { SealOptions, Vault } from '../../../ports/vault.port.js';
import { ApprovedChanges } from './approved-changes.api.js';
import type { PendingCalls } from './pending-calls.api.js';
import './pending-change.operations.js';
import type { PendingChange, PendingChangeEvent } from './pending-change.record.js';

const statuses = { PendingChangeApplied: 'applied', PendingChangeFailed: 'failed' } as const;

/** What all processes share. */
let card: PendingChange;
let clock: MadeUpClock;
let leases: LocalLeases;
let vault: Vault;
/** Names of the processes that carried out the call, in order. */
let executions: string[];
let execute: () => Promise<void>;
let isClosable: boolean;
beforeEach(() => {
  const kind = 'approvals/rejectPendingChange';
  card = { workspaceId: 'ws', id: 'change_1', kind, hash: 'seen', status: 'approved' } as PendingChange;
  clock = new MadeUpClock();
  leases = new LocalLeases();
  const entries = new Map<string, Uint8Array>();
  vault = {
    seal: async (name: string, value: Uint8Array, { ifAbsent = false }: SealOptions = {}) => {
      if (ifAbsent && entries.has(name)) return false;
      entries.set(name, value);
      return true;
    },
    open: async (name: string) => entries.get(name),
  } as unknown as Vault;
  executions = [];
  execute = async () => undefined;
  isClosable = true;
});

const runner = {
  find: async () => card,
  change: async (_: unknown, { decide }: { decide(change: PendingChange): readonly PendingChangeEvent[] }) => {
    if (!isClosable) throw new EventStoreUnavailable('away');
    for (const { type } of decide(card)) card = { ...card, status: statuses[type as keyof typeof statuses] };
    return card;
  },
} as unknown as CommandRunner;

async function processNamed(name: string): Promise<ApprovedChanges> {
  await leases.beat(name, {});
  const asked = {
    carryOut: async () => {
      executions.push(name);
      await execute();
    },
  };
  return new ApprovedChanges(
    runner,
    { derived: () => ({}) } as unknown as Calls,
    {} as ChangeTargets,
    asked as unknown as PendingCalls,
    new IdempotencyStore(vault, clock, { value: name }, leases),
    clock,
  );
}

/** From now on, executions wait until the returned function is called. */
function heldBack(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  execute = () => promise;
  return resolve;
}

const statusOf = (applying: Promise<PendingChange>) => applying.then(({ status }) => status);
/** Lets everything run that waits for no clock. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** One process carries out the call and is held back, while another one waits. */
async function appliedByTwo() {
  const [here, there] = [await processNamed('here'), await processNamed('there')];
  const goOn = heldBack();
  const first = statusOf(here.apply(card));
  await settled();
  const second = statusOf(there.apply(card));
  await settled();
  return { first, second, goOn };
}

describe('an approved call', () => {
  it('is carried out once if two callers in one process apply it', async () => {
    const here = await processNamed('here');
    const goOn = heldBack();
    const both = [statusOf(here.apply(card)), statusOf(here.apply(card))];
    await settled();
    goOn();
    expect(await Promise.all(both)).toEqual(['applied', 'applied']);
    expect(executions).toEqual(['here']);
  });

  it('is carried out once if two processes apply it; the other waits and returns the same outcome', async () => {
    const { first, second, goOn } = await appliedByTwo();
    clock.advance(1_000);
    await settled();
    goOn();
    expect(await first).toBe('applied');
    clock.advance(1_000);
    expect(await second).toBe('applied');
    expect(executions).toEqual(['here']);
  });

  it('keeps no other process waiting once its card is closed, even if its receipt could not be stored', async () => {
    const { first, second, goOn } = await appliedByTwo();
    const { seal } = vault;
    vault.seal = () => Promise.reject(new Error('The vault is away.'));
    goOn();
    expect(await first).toBe('applied');
    vault.seal = seal;
    clock.advance(1_000);
    expect(await second).toBe('applied');
    expect(executions).toEqual(['here']);
  });

  it('is carried out by another process if the first one dies', async () => {
    const [here, there] = [await processNamed('here'), await processNamed('there')];
    heldBack();
    void here.apply(card);
    await settled();
    await leases.leave('here');
    execute = async () => undefined;
    expect(await statusOf(there.apply(card))).toBe('applied');
    expect(executions).toEqual(['here', 'there']);
  });

  it('is not carried out again if only its card could not be closed', async () => {
    const here = await processNamed('here');
    isClosable = false;
    await expect(here.apply(card)).rejects.toThrow(EventStoreUnavailable);
    isClosable = true;
    expect(await statusOf((await processNamed('there')).apply(card))).toBe('applied');
    expect(executions).toEqual(['here']);
  });

  it.each([
    ['a fault', () => new Error('broken')],
    ['an unavailable service', () => new Refusal('away', 'unavailable', 'Away.')],
    ['a limit that passes', () => new Refusal('busy', 'limited', 'Busy.', { retryAfterSeconds: 1 })],
  ])('remains approved after %s, and any process can carry it out', async (_, errorOf) => {
    const here = await processNamed('here');
    execute = () => Promise.reject(errorOf());
    await expect(here.apply(card)).rejects.toThrow(errorOf().message);
    expect(card.status).toBe('approved');
    execute = async () => undefined;
    expect(await statusOf((await processNamed('there')).apply(card))).toBe('applied');
  });

  it.each([
    ['a limit that does not pass', () => new Refusal('too-big', 'limited', 'Too big.')],
    ['another refusal', () => new Refusal('gone', 'conflict', 'Gone.')],
  ])('fails after %s', async (_, errorOf) => {
    execute = () => Promise.reject(errorOf());
    expect(await statusOf((await processNamed('here')).apply(card))).toBe('failed');
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { commandRunner } from '../../../test/support/given/command-runner.js';
import { EventStoreInMemory } from '../../../test/support/given/event-store-in-memory.js';
import { SystemIds } from '../../adapters/system/system-ids.adapter.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import { plainRecord } from '../../kernel/record/plain-record.js';
import type { Document } from '../../kernel/record/projection.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { draftRetentionMs, type SealOptions, type Vault } from '../../ports/vault.port.js';
import { Calls, systemActor } from '../operation/calls.js';
import type { OperationContext } from '../operation/operation-context.js';
import { refuse } from '../refusals/engine.refusals.js';
import { RecordedSecrets } from './recorded-secrets.js';

type KeyEvent =
  | DomainEvent<'KeyMade', { readonly secretId: string }>
  | DomainEvent<'KeyRolled', { readonly secretId: string; readonly replaces: string; readonly until: string | null }>
  | DomainEvent<'KeyEnded', { readonly secretId: string }>;

interface Key extends Document {
  readonly secretId: string;
  readonly createdAt: string;
}

const keys = plainRecord<Key, KeyEvent>()({
  category: 'specKey',
  inner: ['secretId'],
  secrets: {
    entry: 'spec-key',
    fates: {
      KeyMade: ({ secretId }) => ({ keeps: secretId }),
      KeyRolled: ({ secretId, replaces, until }) =>
        until === null
          ? { keeps: secretId, destroys: replaces }
          : { keeps: secretId, ends: { secretId: replaces, until } },
      KeyEnded: ({ secretId }) => ({ destroys: secretId }),
    },
  },
  auditedFor: 'functions.read',
  shownBy: null,
  undoing: 'Keys are for this spec alone.',
  missing: () => refuse('resource-not-found'),
  collection: { name: 'specKeys', version: 1, indexes: [] },
  begins: { KeyMade: {} },
  ends: ['KeyEnded'],
  also: { KeyRolled: (_, { data: { secretId } }) => ({ secretId }) },
});

class Entries {
  private readonly entries = new Map<string, { value: Uint8Array; expiresAt: number | undefined }>();

  constructor(private readonly clock: MadeUpClock) {}

  readonly vault = {
    seal: async (name: string, value: Uint8Array, { ifAbsent, expiresAt }: SealOptions = {}) => {
      if (ifAbsent === true && this.valueOf(name) !== undefined) return false;
      this.entries.set(name, { value, expiresAt });
      return true;
    },
    open: async (name: string) => this.valueOf(name),
    makePermanent: async (name: string) => {
      const value = this.valueOf(name);
      if (value !== undefined) this.entries.set(name, { value, expiresAt: undefined });
      return value !== undefined;
    },
    destroy: async (name: string) => void this.entries.delete(name),
  } as unknown as Vault;

  get names(): readonly string[] {
    return [...this.entries.keys()].filter((name) => this.valueOf(name) !== undefined);
  }

  private valueOf(name: string): Uint8Array | undefined {
    const { value, expiresAt } = this.entries.get(name) ?? {};
    return expiresAt === undefined || expiresAt > this.clock.now() ? value : undefined;
  }
}

let clock: MadeUpClock;
let entries: Entries;
let secrets: RecordedSecrets;
let call: OperationContext;
beforeEach(() => {
  clock = new MadeUpClock();
  entries = new Entries(clock);
  const ids = new SystemIds(clock);
  const calls = new Calls(clock, ids, entries.vault);
  const runner = commandRunner({ events: new EventStoreInMemory(), calls, clock, ids });
  secrets = new RecordedSecrets(entries.vault, clock, runner);
  call = calls.once('ws_1', systemActor('spec'), 'spec');
});

const record = (...events: readonly KeyEvent[]) =>
  secrets.change<Key, KeyEvent>(call, { aggregate: keys, id: 'k', begins: 'perhaps', decide: () => events });
const drafting = <Result>(id: string, work: () => Promise<Result>) =>
  secrets.drafting(keys, call, { id, value: `the secret ${id}` }, work);
const made = (secretId: string): KeyEvent => ({ type: 'KeyMade', data: { secretId } });
const rolled = (secretId: string, replaces: string, until: string | null = null): KeyEvent => ({
  type: 'KeyRolled',
  data: { secretId, replaces, until },
});
const monthLater = () => clock.advance(draftRetentionMs);

describe('a secret', () => {
  it('is in the vault before its event is recorded, and remains after it', async () => {
    await drafting('s1', async () => {
      expect(entries.names).toEqual(['spec-key/ws_1/s1']);
      await record(made('s1'));
    });
    monthLater();
    expect(await secrets.open(keys, 'ws_1', 's1')).toBe('the secret s1');
    expect(await secrets.open(keys, 'ws_2', 's1')).toBeUndefined();
  });

  it('is destroyed at once if its event is refused', async () => {
    await expect(drafting('s1', async () => refuse('resource-not-found'))).rejects.toThrow(Refusal);
    expect(entries.names).toEqual([]);
  });

  it('expires by itself if it is unknown whether its event was recorded', async () => {
    await expect(drafting('s1', () => Promise.reject(new Error('The process is gone.')))).rejects.toThrow('gone');
    clock.advance(draftRetentionMs - 1);
    expect(entries.names).toEqual(['spec-key/ws_1/s1']);
    clock.advance(1);
    expect(entries.names).toEqual([]);
  });

  it('is destroyed once another replaces it, or its record is deleted', async () => {
    await drafting('s1', () => record(made('s1')));
    await drafting('s2', () => record(rolled('s2', 's1')));
    expect(entries.names).toEqual(['spec-key/ws_1/s2']);
    await record({ type: 'KeyEnded', data: { secretId: 's2' } });
    expect(entries.names).toEqual([]);
  });

  it('ends at the time in its event', async () => {
    await drafting('s1', () => record(made('s1')));
    const until = new Date(clock.now() + 1_000).toISOString();
    await drafting('s2', () => record(rolled('s2', 's1', until)));
    clock.advance(999);
    expect(await secrets.open(keys, 'ws_1', 's1')).toBe('the secret s1');
    clock.advance(1);
    expect(entries.names).toEqual(['spec-key/ws_1/s2']);
  });

  it('is not affected if its draft is made again', async () => {
    await drafting('s1', () => record(made('s1')));
    await secrets.drafting(keys, call, { id: 's1', value: 'another' }, async () => undefined);
    monthLater();
    expect(await secrets.open(keys, 'ws_1', 's1')).toBe('the secret s1');
  });

  it('of a command that was recorded before is kept or destroyed as the record requires', async () => {
    for (const id of ['s1', 's2']) await drafting(id, async () => undefined);
    await secrets.settle(keys, 'ws_1', 's1', true);
    await secrets.settle(keys, 'ws_1', 's2', false);
    monthLater();
    expect(entries.names).toEqual(['spec-key/ws_1/s1']);
  });
});

describe('a recorded event', () => {
  it('is processed by every reader, as often as that may be', async () => {
    await drafting('s1', async () => undefined);
    await drafting('s2', async () => undefined);
    for (let n = 0; n < 2; n++) await secrets.follow(keys, 'ws_1', rolled('s2', 's1'));
    monthLater();
    expect(entries.names).toEqual(['spec-key/ws_1/s2']);
  });

  it('is passed to those who hold values of its kind, before anything is destroyed', async () => {
    await drafting('s1', () => record(made('s1')));
    const seen: unknown[] = [];
    secrets.beforeChange(keys, (workspaceId) => seen.push(workspaceId, entries.names.length));
    await drafting('s2', () => record(rolled('s2', 's1')));
    expect(seen).toEqual(['ws_1', 2]);
  });

  it('of a kind without secrets has no effect', async () => {
    await secrets.follow({ category: 'other' }, 'ws_1', made('s1'));
    expect(entries.names).toEqual([]);
  });
});

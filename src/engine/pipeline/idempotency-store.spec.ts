import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { LocalLeases } from '../../adapters/leases/local/local-leases.adapter.js';
import type { SealOptions, Vault } from '../../ports/vault.port.js';
import { IdempotencyStore } from './idempotency-store.js';

function vault() {
  const held = new Map<string, Uint8Array>();
  let writing: Promise<void> = Promise.resolve();
  return {
    held,
    until: (promise: Promise<void>) => {
      writing = promise;
    },
    seal: async (name: string, value: Uint8Array, options: SealOptions = {}) => {
      await writing;
      if (options.ifAbsent && held.has(name)) return false;
      held.set(name, value);
      return true;
    },
    open: async (name: string) => held.get(name),
    destroy: async (name: string) => void held.delete(name),
  };
}

const leases = new LocalLeases();

const receiptsOn = (on: ReturnType<typeof vault>, process: string = randomUUID(), clock = new MadeUpClock()) =>
  new IdempotencyStore(on as unknown as Vault, clock, { value: process }, leases);

describe('receipts', () => {
  test('a repeated call before the first is even recorded learns that it is in progress', async () => {
    const on = vault();
    let written = () => {};
    on.until(new Promise((resolve) => (written = resolve)));
    const receipts = receiptsOn(on);
    const first = receipts.begin('key', 'content');
    expect(await receipts.begin('key', 'content')).toEqual({ state: 'going' });
    expect(await receipts.begin('key', 'other content')).toEqual({ state: 'other' });
    written();
    expect(await first).toEqual({ state: 'new', first: true });
  });

  test('a repeated call gets the settled answer, also from the next process', async () => {
    const on = vault();
    const receipts = receiptsOn(on);
    await receipts.begin('key', 'content');
    await receipts.settle('key', 'content', { id: 1 });
    for (const now of [receipts, receiptsOn(on)]) {
      expect(await now.begin('key', 'content')).toEqual({ state: 'answered', answer: { id: 1 } });
      expect(await now.begin('key', 'other')).toEqual({ state: 'other' });
    }
  });

  test('a call interrupted by a crash is new to the next process, but not another call with its key', async () => {
    const on = vault();
    await receiptsOn(on).begin('key', 'content');
    expect(await receiptsOn(on).begin('key', 'other')).toEqual({ state: 'other' });
    expect(await receiptsOn(on).begin('key', 'content')).toEqual({ state: 'new', first: false });
  });

  test('a call that another living process executes is in progress, for as long as any call may take', async () => {
    const on = vault();
    const clock = new MadeUpClock();
    await leases.beat('other', {});
    await receiptsOn(on, 'other', clock).begin('key', 'content');
    const here = receiptsOn(on, 'here', clock);
    expect(await here.begin('key', 'content')).toEqual({ state: 'going' });
    clock.advance(16 * 60_000);
    expect(await here.begin('key', 'content')).toEqual({ state: 'new', first: false });
  });

  test('a call that ended in a fault in one process may be repeated in another', async () => {
    const on = vault();
    await leases.beat('faulty', {});
    const there = receiptsOn(on, 'faulty');
    await there.begin('key', 'content');
    await there.release('key');
    expect(await receiptsOn(on).begin('key', 'content')).toEqual({ state: 'new', first: false });
  });

  test('an outage of the vault for a moment does not keep the key in progress forever', async () => {
    const on = vault();
    const receipts = receiptsOn(on);
    on.until(Promise.reject(new Error('away')));
    await expect(receipts.begin('key', 'content')).rejects.toThrow('away');
    on.until(Promise.resolve());
    expect(await receipts.begin('key', 'content')).toEqual({ state: 'new', first: true });
    on.until(Promise.reject(new Error('away')));
    await expect(receipts.settle('key', 'content', 1)).rejects.toThrow('away');
    on.until(Promise.resolve());
    expect(await receipts.begin('key', 'content')).toEqual({ state: 'new', first: false });
  });

  test('a refused call leaves its key free', async () => {
    const receipts = receiptsOn(vault());
    await receipts.begin('key', 'content');
    await receipts.forget('key');
    expect(await receipts.begin('key', 'mended')).toEqual({ state: 'new', first: true });
  });
});

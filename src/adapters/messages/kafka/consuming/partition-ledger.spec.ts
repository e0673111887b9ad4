import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PartitionLedger } from './partition-ledger.js';

describe('the ledger of a partition', () => {
  it('commits up to the first unfinished message', () => {
    const ledger = new PartitionLedger();
    expect(ledger.base).toBeUndefined();
    for (const offset of [5, 6, 8, 9]) expect(ledger.take(offset)).toBe(true);
    ledger.done(6);
    ledger.done(9);
    expect(ledger.base).toBe(5);
    ledger.done(5);
    expect(ledger.base).toBe(8);
    ledger.done(8);
    expect(ledger.base).toBe(10);
  });

  it('moves over offsets without a message', () => {
    const ledger = new PartitionLedger();
    ledger.take(0);
    ledger.reached(3, 7);
    expect([ledger.base, ledger.behind]).toEqual([0, 7]);
    ledger.done(0);
    expect([ledger.base, ledger.behind]).toEqual([4, 3]);
  });

  it('accepts nothing twice, and nothing that was finished before', () => {
    const ledger = new PartitionLedger();
    ledger.done(1);
    expect([0, 0, 1, 2, 1].map((offset) => ledger.take(offset))).toEqual([true, false, false, true, false]);
    ledger.done(0);
    expect(ledger.base).toBe(2);
  });

  it('never commits beyond an unfinished message, in any order of completion', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(60), { maxLength: 80 }), fc.integer({ min: 1, max: 50 }), (order, count) => {
        const ledger = new PartitionLedger();
        const open = new Set<number>();
        for (let offset = 0; offset < count; offset += 1) {
          ledger.take(offset);
          open.add(offset);
        }
        for (const offset of order.filter((one) => one < count)) {
          ledger.done(offset);
          open.delete(offset);
          expect(ledger.base).toBe(Math.min(count, ...open));
        }
      }),
    );
  });
});

import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countOf, noneCounted, withHashes } from './distinct-count.js';

const hash = (n: number) => createHash('sha256').update(String(n)).digest().subarray(0, 6).toString('base64url');
const hashes = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => hash(from + n));
const precision = { exact: 100, registers: 2048 };

describe('different hashes', () => {
  it('are counted exactly while they are few, with any repetition and order', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat({ max: 99 }), { maxLength: 30 }), { maxLength: 10 }), (batches) => {
        const counted = batches.reduce((so, batch) => withHashes(so, batch.map(hash), precision), noneCounted);
        expect(countOf(counted)).toBe(new Set(batches.flat()).size);
      }),
    );
  });

  it.each([101, 500, 2_000, 10_000, 300_000])('are counted to within a few per cent if they are %s', (many) => {
    let counted = noneCounted;
    for (let at = 0; at < many; at += 1_000) {
      counted = withHashes(counted, hashes(at, Math.min(many, at + 1_000)), precision);
    }
    expect(counted.length).toBe(1 + precision.registers);
    expect(Math.abs(countOf(counted) - many) / many).toBeLessThan(0.07);
    expect(withHashes(counted, hashes(0, Math.min(many, 1_000)), precision)).toBe(counted);
  });
});

import { describe, expect, test } from '@jest/globals';
import { emptyFold, type Fold, FoldCache } from './fold-cache.js';

const foldAt = (revision: number, text = ''): Fold => ({
  revision,
  position: revision * 2,
  at: new Date(revision).toISOString(),
  latest: revision,
  state: { id: text, workspaceId: 'ws' },
});
const upTo = (instant: number) => (fold: Fold) => fold.latest <= instant;

describe('cached folds', () => {
  test('the nearest is the last one not after the requested revision', () => {
    const kept = new FoldCache();
    for (let revision = 0; revision < 1_000; revision += 1) kept.offer('s', foldAt(revision));
    expect(kept.nearest('s', upTo(-1))).toBe(emptyFold);
    expect(kept.nearest('s', upTo(62))).toBe(emptyFold);
    for (const instant of [63, 64, 126, 127, 500, 999, 5_000]) {
      const { revision } = kept.nearest('s', upTo(instant));
      expect(revision).toBe(Math.min(Math.floor((instant + 1) / 64) * 64, 960) - 1);
    }
    expect(kept.nearest('other', upTo(500))).toBe(emptyFold);
  });

  test('a short stream has none, and none is stored twice', () => {
    const kept = new FoldCache();
    for (let again = 0; again < 3; again += 1) {
      for (let revision = 0; revision < 63; revision += 1) kept.offer('short', foldAt(revision));
      for (let revision = 0; revision < 200; revision += 1) kept.offer('long', foldAt(revision));
    }
    expect(kept.nearest('short', upTo(100))).toBe(emptyFold);
    expect(kept.nearest('long', upTo(1_000)).revision).toBe(191);
    expect(kept.bytesKept).toBeLessThan(3 * 1_000);
  });

  test('of a stream of large states, every second one is dropped, as often as needed', () => {
    const kept = new FoldCache(1_000_000, 20_000);
    for (let revision = 0; revision < 64 * 40; revision += 1) kept.offer('s', foldAt(revision, 'x'.repeat(900)));
    expect(kept.bytesKept).toBeLessThanOrEqual(20_000);
    const { revision } = kept.nearest('s', upTo(64 * 20));
    expect(revision).toBeGreaterThan(0);
    expect((revision + 1) % 128).toBe(0);
  });

  test('the least recently used are dropped first if there are too many', () => {
    const kept = new FoldCache(10_000, 5_000);
    const fill = (stream: string) => {
      for (let revision = 0; revision < 130; revision += 1) kept.offer(stream, foldAt(revision, 'x'.repeat(800)));
    };
    for (const stream of ['a', 'b']) fill(stream);
    kept.nearest('a', upTo(130));
    fill('c');
    expect(kept.nearest('b', upTo(130))).toBe(emptyFold);
    expect(kept.nearest('a', upTo(130))).not.toBe(emptyFold);
    expect(kept.bytesKept).toBeLessThanOrEqual(10_000);
  });
});

import { describe, expect, it } from '@jest/globals';
import { linesChanged } from './lines-changed.js';

const lines = (count: number, text: (at: number) => string) => Array.from({ length: count }, (_, at) => text(at));

describe('linesChanged', () => {
  it.each<[string, readonly string[], readonly string[], number]>([
    ['nothing', ['a', 'b'], ['a', 'b'], 0],
    ['a line changed', ['a', 'b', 'c'], ['a', 'x', 'c'], 1],
    ['a line added', ['a', 'c'], ['a', 'b', 'c'], 1],
    ['a line taken away at the end', ['a', 'b'], ['a'], 1],
    ['a line between equal ones', ['a', 'a', 'a'], ['a', 'a', 'a', 'a'], 1],
    ['two places', ['a', 'b', 'c', 'd', 'e'], ['x', 'b', 'c', 'd', 'y'], 2],
    ['all of it', ['a', 'b'], ['c', 'd', 'e'], 3],
  ])('counts %s', (_, before, after, count) => {
    expect(linesChanged(before.join('\n'), after.join('\n'))).toBe(count);
  });

  it('counts a line in the middle of very many', () => {
    const before = lines(20_000, String);
    expect(linesChanged(before.join('\n'), before.with(10_000, 'x').join('\n'))).toBe(1);
  });

  it('counts differences that are too large to search line by line', () => {
    const before = lines(8_000, (at) => `a${at % 97}`);
    const after = lines(8_000, (at) => (at % 2 === 0 ? `a${at % 97}` : `b${at}`));
    expect(linesChanged(before.join('\n'), after.join('\n'))).toBeGreaterThanOrEqual(4_000);
    expect(linesChanged(lines(2_000, (at) => `a${at}`).join('\n'), lines(2_000, (at) => `b${at}`).join('\n'))).toBe(
      2_000,
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import { nothingRun, type Part, slowestLines, summaryOf } from './summary.js';

const file = 'test/api/flows/flows.spec.ts';
const part = (failed: number, more: Partial<Part> = {}): Part => ({
  ...nothingRun,
  results: [{ file, passed: 3, failed, ms: 1_500 }],
  failed: failed > 0,
  ...more,
});

describe('the summary of a CI run', () => {
  it('has no failure if every spec file passed, and ends with the count', () => {
    const { failed, lines } = summaryOf(part(0), [nothingRun, part(0)]);
    expect(failed).toBe(0);
    expect(lines.at(-1)).toBe('6 passed, 0 failed');
    expect(lines).not.toContain('Failed:');
  });

  it('fails for a spec file that passed only when it was run again, and names it as flaky', () => {
    const { failed, lines } = summaryOf(nothingRun, [part(2, { flaky: [file] })]);
    expect(failed).toBe(2);
    expect(lines.join('\n')).toContain(`Failed:\n  ${file} (2; flaky: it passed when run alone`);
    expect(lines.at(-1)).toBe('3 passed, 2 failed');
  });

  it('does not call a spec file flaky that failed again', () => {
    const { failed, lines } = summaryOf(part(1), []);
    expect(failed).toBe(1);
    expect(lines).toContain(`  ${file} (1)`);
  });

  it('fails if jest failed without a failed test', () => {
    expect(summaryOf(part(0), [part(0, { failed: true })]).failed).toBe(1);
  });

  it('fails if the first tier did not end in time, but not if a later part did not', () => {
    expect(summaryOf(part(0), [part(0, { cutOff: true })]).failed).toBe(0);
    expect(summaryOf(part(0, { cutOff: true }), []).failed).toBe(1);
  });

  it('names the twenty slowest files, the slowest first', () => {
    const results = Array.from({ length: 25 }, (_, n) => ({
      file: `${n}.spec.ts`,
      passed: 1,
      failed: 0,
      ms: n * 1_000,
    }));
    const { lines } = summaryOf({ ...nothingRun, results }, []);
    expect(lines.slice(1, -1)).toHaveLength(20);
    expect(lines[1]).toBe('   24.0 s  24.spec.ts');
  });
});

describe('the slowest spec files', () => {
  it('are the twenty slowest, after the totals', () => {
    const results = Array.from({ length: 30 }, (_, at) => ({ file: `${at}.spec.ts`, ms: at * 1_000 }));
    const lines = slowestLines(results, ['7.spec.ts']);
    expect(lines[0]).toBe('30 spec files took 435.0 s together; 1 of them start a service of their own. The slowest:');
    expect(lines.slice(1)).toHaveLength(20);
    expect([lines[1], lines.at(-1)]).toEqual(['   29.0 s  29.spec.ts', '   10.0 s  10.spec.ts']);
  });
});

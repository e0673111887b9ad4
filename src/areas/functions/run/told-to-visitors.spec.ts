import { describe, expect, it } from '@jest/globals';
import { refusalOf } from '../../../kernel/refusals/refusal.js';
import { toldToVisitors } from './told-to-visitors.js';

const failed = { ok: false, runId: 'run_1', logs: [] } as const;

describe('what a visitor is told of a run', () => {
  it.each([
    ['Sold out. (line 1)', 'Sold out.'],
    ['Row 7 (line 3) is wrong (line 12)', 'Row 7 (line 3) is wrong'],
    ['The function ran longer than its timeout.', 'The function ran longer than its timeout.'],
  ])('of %p is %p', (error, told) => {
    expect(toldToVisitors({ ...failed, error })).toEqual({ ...failed, error: told });
  });

  it('never names the fields of a table', () => {
    const refusal = refusalOf('unknown-field', { names: "'salary'" }, { at: 'filter.salary', fields: ['wage'] });
    const told = toldToVisitors({ ...failed, error: refusal.message, refusal });
    expect(JSON.stringify(told)).not.toMatch(/salary|wage/);
    expect(told).not.toHaveProperty('refusal');
  });

  it('is the refusal where the data is there', () => {
    const refusal = refusalOf('several-rows');
    const report = { ...failed, error: refusal.message, refusal };
    expect(toldToVisitors(report)).toBe(report);
  });
});

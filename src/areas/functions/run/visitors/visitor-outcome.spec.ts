import { describe, expect, it } from '@jest/globals';
import { refusalOf } from '../../functions.refusals.js';
import { visitorLogs, visitorReport } from './visitor-outcome.js';

const failed = { ok: false, runId: 'run_1', logs: [] } as const;

describe("a run's outcome for a visitor", () => {
  it.each([
    ['Sold out. (line 1)', 'Sold out.'],
    ['Row 7 (line 3) is wrong (line 12)', 'Row 7 (line 3) is wrong'],
    ['The function ran longer than its timeout.', 'The function ran longer than its timeout.'],
  ])('a visitor whose run ended with %p gets %p', (error, told) => {
    expect(visitorReport({ ...failed, error })).toEqual({ ...failed, error: told });
  });

  it('never names the fields of a table', () => {
    const refusal = refusalOf('unknown-field', { names: "'salary'" }, { at: 'filter.salary', fields: ['wage'] });
    const told = visitorReport({ ...failed, error: refusal.message, refusal });
    expect(JSON.stringify(told)).not.toMatch(/salary|wage/);
    expect(told).not.toHaveProperty('refusal');
  });

  it('is the refusal if the table exists', () => {
    const refusal = refusalOf('several-rows');
    const report = { ...failed, error: refusal.message, refusal };
    expect(visitorReport(report)).toBe(report);
  });
});

const line = (text: string) => ({ at: '2026-01-01T00:00:00.000Z', level: 'info', text }) as const;

describe("the stored log of a visitor's run", () => {
  it('is complete up to 4,096 characters', () => {
    const logs = [line('a'.repeat(4_000)), line('b'.repeat(96)), line('')];
    expect(visitorLogs(logs)).toEqual(logs);
    expect(visitorLogs([])).toEqual([]);
  });

  it('is the beginning of a longer one, with a notice', () => {
    const logs = visitorLogs([line('a'.repeat(4_000)), line('b'.repeat(1_000)), line('c')]);
    expect(logs.map(({ text }) => text.slice(0, 20))).toEqual(['a'.repeat(20), 'b'.repeat(20), 'The rest is omitted:']);
    expect(logs[1]?.text).toHaveLength(96);
    expect(logs[2]?.level).toBe('warn');
  });

  it('does not end within a surrogate pair', () => {
    const [cut] = visitorLogs([line(`${'a'.repeat(4_095)}😀`)]);
    expect(cut?.text).toBe('a'.repeat(4_095));
  });
});

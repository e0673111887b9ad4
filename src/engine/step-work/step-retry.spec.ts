import { describe, expect, it } from '@jest/globals';
import { specAt } from '../../../test/support/given/given.js';
import { nextAttemptAt } from './step-retry.js';
import type { StepRecord } from './step-run.record.js';

const hourMs = 3_600_000;
const weekMs = 7 * 24 * hourMs;
const now = Date.parse(specAt);
const failed = { done: false, error: 'It failed.' } as const;
const limited = { ...failed, limited: true } as const;

/** A step in its last attempt. `limit` is an attempt that a limit stopped, and `fault` is any other one. */
function stepAfter(attempts: readonly ('limit' | 'fault')[], begunAt = now): StepRecord {
  const startedAt = new Date(begunAt).toISOString();
  const earlier = attempts.map((what, index) => ({
    ...{ number: index + 1, starts: 1, startedAt, finishedAt: startedAt, error: 'It failed.' },
    ...(what === 'limit' ? { limited: true as const } : {}),
  }));
  const last = { number: attempts.length + 1, starts: 1, startedAt, finishedAt: null, error: null };
  return { number: 1, id: 's1', name: 'Step', status: 'running', attempts: [...earlier, last], note: {} };
}

const pauseOf = (at: number | null) => at && at - now;

describe('a step with three attempts that fails', () => {
  it.each([
    ['its first attempt', [], 1_000],
    ['its second attempt', ['fault'], 2_000],
    ['its third attempt', ['fault', 'fault'], null],
    ['its first attempt after five that a limit stopped', ['limit', 'limit', 'limit', 'limit', 'limit'], 1_000],
    ['its second attempt, with limits before and between', ['limit', 'fault', 'limit'], 2_000],
    ['its third attempt, with limits between', ['fault', 'limit', 'fault', 'limit'], null],
  ] as const)('in %s', (_, before, pause) => {
    expect(pauseOf(nextAttemptAt(stepAfter(before), failed, 3, now))).toBe(pause);
  });

  it('pauses as long as the failure demands', () => {
    expect(pauseOf(nextAttemptAt(stepAfter(['fault']), { ...failed, retryAfterMs: 50 }, 3, now))).toBe(50);
  });

  it('for good has no other attempt', () => {
    expect(nextAttemptAt(stepAfter([]), { ...failed, final: true }, 3, now)).toBeNull();
  });
});

describe('a step with three attempts that a limit stops', () => {
  it.each([
    ['for the first time after two faults', ['fault', 'fault'], 1_000],
    ['for the third time', ['limit', 'limit'], 4_000],
    ['for the twentieth time', Array.from({ length: 19 }, () => 'limit' as const), hourMs],
  ] as const)('%s pauses for its attempts at the limit only', (_, before, pause) => {
    expect(pauseOf(nextAttemptAt(stepAfter(before), limited, 3, now))).toBe(pause);
  });

  it('pauses until the limit has room', () => {
    expect(pauseOf(nextAttemptAt(stepAfter(['limit']), { ...limited, retryAfterMs: 5 * hourMs }, 3, now))).toBe(
      5 * hourMs,
    );
  });

  it.each([
    ['within a week of its first attempt', weekMs - hourMs, ['limit', 'limit', 'limit'], hourMs],
    ['beyond the week', weekMs - hourMs + 1, ['limit', 'limit', 'limit'], null],
    ['beyond the week, but it had fewer than three', weekMs, ['limit', 'fault'], hourMs],
  ] as const)('has another attempt %s', (_, age, before, pause) => {
    const at = nextAttemptAt(stepAfter(before, now - age), { ...limited, retryAfterMs: hourMs }, 3, now);
    expect(pauseOf(at)).toBe(pause);
  });
});

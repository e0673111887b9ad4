import type { StepOutcome } from './step-kind.js';
import type { StepRecord } from './step-run.record.js';

/** How long after its first attempt, in milliseconds, a step that only a limit stops may be attempted again. */
const longestLimitMs = 7 * 24 * 3_600_000;
/**
 * Longest pause between two attempts, in milliseconds, unless the failed attempt demands a longer one (`retryAfterMs`).
 */
const longestPauseMs = 3_600_000;

/**
 * Returns when the step, whose last attempt has just failed, is attempted again, in milliseconds since 1970. Returns
 * null if the run fails. Attempts that a limit stopped do not count towards `allowed`, nor do they lengthen the pauses
 * after other failures.
 */
export function nextAttemptAt(
  { attempts }: StepRecord,
  { final = false, limited = false, retryAfterMs }: Extract<StepOutcome<object>, { done: false }>,
  allowed: number,
  now: number,
): number | null {
  if (final) return null;
  const alike = 1 + attempts.slice(0, -1).filter((earlier) => (earlier.limited ?? false) === limited).length;
  const pauseMs = Math.min(1_000 * 2 ** (alike - 1), longestPauseMs);
  const at = now + (limited ? Math.max(retryAfterMs ?? 0, pauseMs) : (retryAfterMs ?? pauseMs));
  const begunAt = Date.parse(attempts[0]?.startedAt ?? '');
  const waitsForLimit = limited && at - begunAt <= longestLimitMs;
  return alike < allowed || waitsForLimit ? at : null;
}

import type { FiredEvent, Skipped, TriggerRunEvent, TriggerSkipReason } from './trigger-run.record.js';

/** Maximum number of triggers in a chain (settled questions Q-E27 and Q-L05). */
const deepestRun = 8;

export interface MatchedTrigger {
  readonly id: string;
  readonly availability: 'ready' | TriggerSkipReason;
}

export const depthAfter = (eventDepth: number): number => eventDepth + 1;

export interface ChainPosition {
  readonly depth: number;
  readonly cause: string | null;
  readonly root: string;
}

/**
 * If the chain is too deep, no trigger starts a run. If more than `mostRuns` could start one, the rest are skipped with
 * the reason `rate`.
 */
export function fire(
  event: FiredEvent,
  { depth, cause, root }: ChainPosition,
  matched: readonly MatchedTrigger[],
  mostRuns: number,
): Extract<TriggerRunEvent, { type: 'TriggersFired' }> {
  const isLoop = depthAfter(depth) > deepestRun;
  const ready = isLoop ? [] : matched.filter(({ availability }) => availability === 'ready');
  const started = new Set(ready.slice(0, mostRuns).map(({ id }) => id));
  const reasonOf = ({ availability }: MatchedTrigger): TriggerSkipReason => {
    if (isLoop) return 'loop';
    return availability === 'ready' ? 'rate' : availability;
  };
  const byReason = Map.groupBy(
    matched.filter(({ id }) => !started.has(id)),
    reasonOf,
  );
  const skipped: readonly Skipped[] = [...byReason].map(([reason, triggers]) => ({
    reason,
    triggerIds: triggers.map(({ id }) => id),
  }));
  return { type: 'TriggersFired', data: { event, cause, root, started: [...started], skipped } };
}

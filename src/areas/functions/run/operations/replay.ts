import type { CallerKind } from '../../../../kernel/callers/caller.js';
import { type FunctionDocument, hasFullDataAccess } from '../../function/function.record.js';
import { refuse } from '../../functions.refusals.js';
import { inputKeptMs } from '../run.js';
import type { Run } from '../run.record.js';

type Replayable = Pick<Run, 'id' | 'accepted' | 'status' | 'inputDropped' | 'createdAt'>;

/**
 * @throws Refusal run-not-replayable if the run was not accepted or has not failed; run-input-gone if its input was
 * deleted
 */
export function checkReplay(run: Replayable, now: number): void {
  const because = (why: string) => refuse('run-not-replayable', { runId: run.id, why });
  if (!run.accepted) because('its caller waited for it, so its input was never kept');
  if (run.status === 'success') because('it succeeded');
  if (run.status !== 'error') because('it is not over yet');
  if (replayableUntil(run, now) === null) refuse('run-input-gone', { runId: run.id });
}

/** Returns the time until which a failed run's input is retained for a replay, or null if it cannot be replayed. */
export function replayableUntil(run: Omit<Replayable, 'id'>, now: number): string | null {
  const until = Date.parse(run.createdAt) + inputKeptMs;
  const isRetained = run.accepted && run.status === 'error' && !run.inputDropped && until > now;
  return isRetained ? new Date(until).toISOString() : null;
}

/**
 * Whether a version that is not live may be replayed. The requester must be able to make it live at once: a person, and
 * never with Full data access, which needs a card.
 * @throws Refusal replay-live-only, replay-with-full-data-access
 */
export function checkVersion(fn: FunctionDocument, versionId: string, asker: CallerKind | undefined): void {
  if (fn.liveVersionId === versionId) return;
  if (!isPersons(asker)) refuse('replay-live-only');
  if (hasFullDataAccess(fn)) refuse('replay-with-full-data-access', { name: fn.name });
}

/** The service's own operator is treated as a person. */
function isPersons(asker: CallerKind | undefined): boolean {
  switch (asker) {
    case 'agent':
    case 'automation':
    case 'flow':
      return false;
    case 'person':
    case 'connection':
    case undefined:
      return true;
  }
}

import type { CallerKind } from '../../../../kernel/callers/caller.js';
import type { Settings } from '../../../workspace/workspace/workspace.record.js';
import { codeWaits } from '../../function/cards/code-notice.api.js';
import { type FunctionDocument, hasFullDataAccess } from '../../function/function.record.js';
import { refuse } from '../../functions.refusals.js';
import { inputRetainedMs } from '../run.js';
import type { Run } from '../run.record.js';

type Replayable = Pick<Run, 'id' | 'accepted' | 'status' | 'inputDropped' | 'createdAt'>;

/**
 * @throws Refusal run-not-replayable if a caller waited for the run's result, or if the run has not failed;
 * run-input-gone if its input was deleted or has expired
 */
export function checkReplay(run: Replayable, now: number): void {
  const because = (why: string) => refuse('run-not-replayable', { runId: run.id, why });
  if (!run.accepted) because('its caller waited for the result, so its input was never stored');
  if (run.status === 'success') because('it succeeded');
  if (run.status !== 'error') because('it has not finished yet');
  if (replayableUntil(run, now) === null) refuse('run-input-gone', { runId: run.id });
}

export function replayableUntil(run: Omit<Replayable, 'id'>, now: number): string | null {
  const until = Date.parse(run.createdAt) + inputRetainedMs;
  const isRetained = run.accepted && run.status === 'error' && !run.inputDropped && until > now;
  return isRetained ? new Date(until).toISOString() : null;
}

/**
 * Only a person may replay with a version that is not live, because a person could also make the version live. If
 * making it live would need approval, the replay is refused.
 * @throws Refusal replay-live-only, replay-with-full-data-access, replay-needs-approval
 */
export function checkVersion(
  fn: FunctionDocument,
  versionId: string,
  asker: CallerKind | undefined,
  settings: Pick<Settings, 'codeCards'>,
): void {
  if (fn.liveVersionId === versionId) return;
  if (!isPersons(asker)) refuse('replay-live-only');
  if (hasFullDataAccess(fn)) refuse('replay-with-full-data-access', { name: fn.name });
  if (codeWaits(fn, settings)) refuse('replay-needs-approval', { name: fn.name });
}

/** The operator of the service, who has no caller kind, is treated as a person. */
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

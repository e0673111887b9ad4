import { visitorActor } from '../../../kernel/actors/visitor-actor.js';
import { ownedBy, ownerOf } from '../../../kernel/callers/function-owner.js';
import { inWords, isTrigger, type Starter } from '../../../kernel/callers/starter.js';
import type { Actor } from '../../../kernel/event/event.js';
import type { FunctionDocument } from '../function/function.record.js';
import type { Run, RunEvent } from './run.record.js';
import type { RunOrigin } from './run-journal.js';
import type { RunRequest } from './run-request.api.js';

export function attemptAtHand({ status, attempts }: Run): number {
  return status === 'running' ? attempts.length : attempts.length + 1;
}

export type RunEnd = Extract<RunEvent, { type: 'RunEnded' }>;

interface EndedRun {
  readonly accepted: boolean;
  readonly keepInput?: boolean;
  readonly hasFiles?: boolean;
}

/**
 * After the last attempt, the input of a queued (accepted) run is dropped, unless the run failed and may be replayed.
 * Other runs have no stored input, but their stored files are dropped.
 */
export function runEndEvents(end: RunEnd, { accepted, keepInput, hasFiles = false }: EndedRun): RunEvent[] {
  const { runId, retryAt, error } = end.data;
  const drops = retryAt === null && (accepted ? error === null || keepInput === false : hasFiles);
  const data = hasFiles ? ({ runId, hasFiles } as const) : { runId };
  return drops ? [end, { type: 'RunInputDropped', data }] : [end];
}

export function ended(runId: string, attempt: number, error: string, retryAt: string | null): RunEnd {
  return { type: 'RunEnded', data: { runId, attempt, error, durationMs: 0, retryAt, logs: [] } };
}

export function runFacts({ runId, source, starter, hasFiles, draftId }: RunRequest, fn: FunctionDocument) {
  const files = hasFiles ? ({ hasFiles } as const) : {};
  return {
    ...ownedBy(ownerOf(fn)),
    runId,
    functionName: fn.name,
    version: fn.liveVersionId,
    source,
    starter,
    ...files,
    ...(draftId === undefined ? {} : ({ draft: true } as const)),
  };
}

export const depthOf = ({ eventDepth = 0 }: RunRequest) => (eventDepth === 0 ? {} : { eventDepth });

export function particularsOf(request: RunRequest) {
  const { keepInput = true, keepsResult, replayOf, pinnedVersion, neverDeletes } = request;
  return {
    ...depthOf(request),
    ...(keepInput ? {} : ({ keepInput } as const)),
    ...(keepsResult ? ({ keepsResult } as const) : {}),
    ...(replayOf ? { replayOf } : {}),
    ...(pinnedVersion ? ({ pinned: true } as const) : {}),
    ...(neverDeletes ? ({ neverDeletes } as const) : {}),
  };
}

export function runOriginOf({ workspaceId, functionId, id, starter, correlationId, causationId }: Run): RunOrigin {
  return { workspaceId, functionId, runId: id, actor: actorOf(starter), starter, correlationId, causationId };
}

function actorOf(starter: Starter): Actor {
  if (isTrigger(starter)) {
    return { kind: starter.kind, id: starter.id, name: 'name' in starter ? starter.name : inWords(starter) };
  }
  switch (starter.kind) {
    case 'member':
      return { kind: 'person', id: starter.id, name: starter.name };
    case 'agent':
      return { kind: 'agent', id: starter.id, name: starter.name, personBehind: starter.person };
    case 'user':
    case 'visitor':
      return visitorActor(starter);
    case 'automation':
    case 'flow':
    case 'function':
      return { kind: starter.kind, id: starter.id, name: starter.name };
  }
}

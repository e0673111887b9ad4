import type { Caller } from '../../kernel/callers/caller.js';
import type { PendingChangeCard } from '../approvals/pending-changes.js';
import type { DryRun } from '../dry-run/dry-run.js';
import type { ShownEvents } from '../dry-run/shown-events.js';
import { type RegisteredOperation } from '../operation/operation.js';
import { withoutShownOnce } from '../operation/shown-once.js';

export interface TriedAnswer {
  readonly body: unknown;
  readonly waiting: boolean;
}

const notMade = 'A dry run creates nothing, so there is nothing to show; the real call creates it and shows it once.';

/** `answered` is undefined if the call reached an effect that cannot be simulated. */
export function trialAnswer(
  trial: DryRun,
  {
    answered,
    caller,
    operation,
    shown,
  }: {
    readonly answered: TriedAnswer | undefined;
    readonly caller: Caller;
    readonly operation: RegisteredOperation;
    readonly shown: ShownEvents;
  },
): object {
  const own = trial.events.filter(({ metadata }) => metadata.workspaceId === caller.workspaceId);
  const events = own.map((event) => ({ type: event.type, stream: event.stream, data: shown.dataOf(caller, event) }));
  return {
    dryRun: true,
    events,
    card: answered?.waiting ? cardOf(answered.body) : null,
    answer: answered === undefined ? null : withoutShownOnce(operation.answers, answered.body ?? null, notMade),
    outside: outsideOf(trial, answered, operation),
  };
}

function cardOf(body: unknown): object | null {
  const { pendingChange = cardOfPart(body) } = body as Waiting;
  if (pendingChange === undefined) return null;
  const { kind, approver, summary, changes } = pendingChange;
  return { kind, approver, summary, changes };
}

interface Waiting {
  readonly pendingChange?: PendingChangeCard;
  readonly waits?: readonly Waiting[];
}

const cardOfPart = (body: unknown): PendingChangeCard | undefined =>
  (body as Waiting).waits?.find(({ pendingChange }) => pendingChange !== undefined)?.pendingChange;

function outsideOf(
  { endsAt, events }: DryRun,
  answered: TriedAnswer | undefined,
  { outside = [] }: RegisteredOperation,
): readonly string[] {
  if (endsAt !== undefined) return [endsAt];
  return answered?.waiting || events.length === 0 ? [] : outside;
}

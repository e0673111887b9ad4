import { Injectable } from '@nestjs/common';
import { derivedId } from '../../kernel/event/derived-id.js';
import { mayHoldSealed } from '../../kernel/event/personal-data.js';
import { Ids } from '../../ports/ids.port.js';
import { DryRun } from '../dry-run/dry-run.js';
import { ShownEvents, type TriedChange } from '../dry-run/shown-events.js';
import { Calls } from '../operation/calls.js';
import type { RegisteredOperation } from '../operation/operation.js';
import { bindContext, type OperationContext, type Weighing } from '../operation/operation-context.js';
import { PendingApproval } from '../operation/pending-approval.js';
import { inputOf } from '../operation/validation.js';
import { approverOf, mayNeedApproval } from './asked-operation.js';
import { PendingChanges, type Proposal, type ProposedDifference } from './pending-changes.js';
import { SealedCalls } from './sealed-calls.js';

const mostRecords = 20;
const mostSentences = 3;
const mostChanges = 50;

@Injectable()
export class AskFirst {
  constructor(
    private readonly calls: Calls,
    private readonly ids: Ids,
    private readonly sealed: SealedCalls,
    private readonly pending: PendingChanges,
    private readonly shown: ShownEvents,
  ) {}

  /**
   * Returns undefined if the call may run without approval, e.g. because it changes nothing, or if the operation itself
   * would only create an approval card.
   * @throws Refusal if the call would be refused
   */
  async cardFor(
    operation: RegisteredOperation,
    input: object,
    call: OperationContext,
    carryOut: (input: object) => Promise<unknown>,
  ): Promise<PendingApproval | undefined> {
    const { caller } = call;
    if (caller === undefined || !mayNeedApproval(operation, call)) return undefined;
    const cardId = call.repeatable ? derivedId('change', `${call.commandId}/asks`) : this.ids.newId('change');
    const { workspaceId, actor, correlationId, starter } = call;
    // The input is serialised first, because the dry run's handler may modify the copy that it gets.
    const sent = JSON.stringify(input);
    const copy = inputOf(operation.input, JSON.parse(sent));
    const command = askedCommand(this.calls, { workspaceId, cardId, operation: operation.name, actor, correlationId });
    const weighing: Weighing = { isRisky: operation.takesAway === true || operation.risky === true };
    bindContext({ ...command, firstTime: true, caller, weighing, ...(starter && { starter }) }, copy);
    const trial = new DryRun();
    const answer = await trial.run(() => carryOut(copy));
    const changes = namedFirst(await this.shown.changesOf(workspaceId, trial.events), input);
    if (answer instanceof PendingApproval && changes.length === 0) return undefined;
    const changesNothing = trial.endsAt === undefined && trial.events.length === 0;
    if (changesNothing || (caller.asks === 'risky' && !weighing.isRisky)) return undefined;
    const sealedInput = await this.sealed.seal(workspaceId, cardId, sent);
    const proposal = proposalOf(operation, cardId, changes, trial.endsAt, { ...sealedInput, keyId: caller.keyId });
    return new PendingApproval(await this.pending.propose(call, proposal, cardId));
  }
}

/**
 * Returns the context for the dry run and for the approved call. All ids derive from the card's id, so both create the
 * same ids.
 */
export function askedCommand(
  calls: Calls,
  {
    cardId,
    notBefore = -1,
    ...call
  }: Pick<OperationContext, 'workspaceId' | 'actor' | 'operation' | 'correlationId'> & {
    readonly cardId: string;
    /** Log position of the event that recorded the card. */
    readonly notBefore?: number;
  },
): OperationContext {
  return calls.derived({ ...call, from: `${cardId}/call`, causationId: null, notBefore });
}

function proposalOf(
  { name: kind, permission }: RegisteredOperation,
  cardId: string,
  records: readonly NamedChange[],
  outside: string | undefined,
  sealedInput: { readonly digest: string; readonly keyId: string },
): Proposal {
  const [first] = records;
  const sentences = records.flatMap((record) => record.sentences);
  const parts = [...sentences.slice(0, mostSentences), ...(outside === undefined ? [] : [`the service ${outside}`])];
  const more = sentences.length - mostSentences;
  const named = records.filter((record, at) => at === 0 || record.isNamed);
  const bases = named.filter(({ base }) => base >= 0).map(({ stream, base }) => ({ stream, revision: base }));
  return {
    kind,
    summary: `${parts.join('; ')}${more > 0 ? `; ${more} more` : ''}`,
    target: first === undefined ? { kind: 'call', id: cardId, name: kind } : targetOf(first),
    changes: records.slice(0, mostRecords).flatMap(differencesOf).slice(0, mostChanges),
    approver: approverOf(permission),
    base: sealedInput.digest,
    input: { ...sealedInput, bases },
  };
}

interface NamedChange extends TriedChange {
  readonly isNamed: boolean;
}

function namedFirst(changes: readonly TriedChange[], input: object): readonly NamedChange[] {
  const inputTexts = new Set(textsIn(input));
  const all = changes.map((change) => ({ ...change, isNamed: inputTexts.has(change.id) }));
  return [...all.filter(({ isNamed }) => isNamed), ...all.filter(({ isNamed }) => !isNamed)];
}

const textsIn = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];

const targetOf = ({ kind, id, name }: TriedChange) => ({ kind, id, name });

function differencesOf({ kind, name, id, changes }: TriedChange, at: number): readonly ProposedDifference[] {
  const place = at === 0 ? '' : `${kind} ${name || id}: `;
  return changes.map(({ path, from, to }) => ({
    path: `${place}${path}`,
    from: withoutPersonal(from),
    to: withoutPersonal(to),
  }));
}

/** Personal values are masked, because some callers who can list cards may not read personal data. */
function withoutPersonal(value: unknown): ProposedDifference['from'] {
  const json = JSON.stringify(value ?? null);
  return mayHoldSealed(json) ? '(personal data)' : JSON.parse(json);
}

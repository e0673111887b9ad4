import { Injectable } from '@nestjs/common';
import { derivedId } from '../../kernel/event/derived-id.js';
import { mayHoldSealed } from '../../kernel/event/personal-data.js';
import { Ids } from '../../ports/ids.port.js';
import { ShownEvents, type TriedChange } from '../dry-run/shown-events.js';
import { Trial } from '../dry-run/trial.js';
import { bindCall, type Call, type Weighing } from '../operation/call.js';
import { Calls } from '../operation/calls.js';
import type { RegisteredOperation } from '../operation/operation.js';
import { PendingApproval } from '../operation/pending-approval.js';
import { inputOf } from '../operation/validation.js';
import { approverOf, mayHaveToAsk } from './asked-operation.js';
import { PendingChanges, type Proposal, type ProposedDifference } from './pending-changes.js';
import { SealedCalls } from './sealed-calls.js';

/** A card shows the differences of so many records, so many of them, and so many sentences; other sentences are counted. */
const mostRecords = 20;
const mostSentences = 3;
const mostChanges = 50;

/** Turns a call that its caller has to ask for into a card. The call is tried first, so that refusals come first. */
@Injectable()
export class AskFirst {
  constructor(
    private readonly calls: Calls,
    private readonly ids: Ids,
    private readonly sealed: SealedCalls,
    private readonly pending: PendingChanges,
    private readonly shown: ShownEvents,
  ) {}

  /** Undefined when the call may be carried out at once. @throws Refusal of the call itself */
  async asked(
    operation: RegisteredOperation,
    input: object,
    call: Call,
    carryOut: (input: object) => Promise<unknown>,
  ): Promise<PendingApproval | undefined> {
    const { caller } = call;
    if (caller === undefined || !mayHaveToAsk(operation, call)) return undefined;
    const cardId = call.repeatable ? derivedId('change', `${call.commandId}/asks`) : this.ids.newId('change');
    const { workspaceId, actor, correlationId, starter } = call;
    // Before the trial, whose handler has a copy of its own.
    const sent = JSON.stringify(input);
    const copy = inputOf(operation.input, JSON.parse(sent));
    const command = askedCommand(this.calls, { workspaceId, cardId, operation: operation.name, actor, correlationId });
    const weighing: Weighing = { isRisky: operation.takesAway === true || operation.risky === true };
    bindCall({ ...command, firstTime: true, caller, weighing, ...(starter && { starter }) }, copy);
    const trial = new Trial();
    const answer = await trial.run(() => carryOut(copy));
    const changes = namedFirst(await this.shown.changesOf(workspaceId, trial.events), input);
    // A card of the operation's own makes it wait anyway.
    if (answer instanceof PendingApproval && changes.length === 0) return undefined;
    const changesNothing = trial.endsAt === undefined && trial.events.length === 0;
    if (changesNothing || (caller.asks === 'risky' && !weighing.isRisky)) return undefined;
    const held = await this.sealed.seal(workspaceId, cardId, sent);
    const proposal = proposalOf(operation, cardId, changes, trial.endsAt, { ...held, keyId: caller.keyId });
    return new PendingApproval(await this.pending.propose(call, proposal, cardId));
  }
}

/** The command of a card's call. Tried and carried out, it is the same one, and makes the same ids. */
export function askedCommand(
  calls: Calls,
  {
    cardId,
    notBefore = -1,
    ...call
  }: Pick<Call, 'workspaceId' | 'actor' | 'operation' | 'correlationId'> & {
    readonly cardId: string;
    /** Position of the card in the log. Left out: it is not recorded yet. */
    readonly notBefore?: number;
  },
): Call {
  return calls.derived({ ...call, from: `${cardId}/call`, causationId: null, notBefore });
}

function proposalOf(
  { name: kind, permission }: RegisteredOperation,
  cardId: string,
  records: readonly NamedChange[],
  outside: string | undefined,
  held: { readonly digest: string; readonly keyId: string },
): Proposal {
  const [first] = records;
  const sentences = records.flatMap((record) => record.sentences);
  const said = [...sentences.slice(0, mostSentences), ...(outside === undefined ? [] : [`the service ${outside}`])];
  const more = sentences.length - mostSentences;
  const named = records.filter((record, at) => at === 0 || record.isNamed);
  const bases = named.filter(({ base }) => base >= 0).map(({ stream, base }) => ({ stream, revision: base }));
  return {
    kind,
    summary: `${said.join('; ')}${more > 0 ? `; ${more} more` : ''}`,
    target: first === undefined ? { kind: 'call', id: cardId, name: kind } : targetOf(first),
    changes: records.slice(0, mostRecords).flatMap(differencesOf).slice(0, mostChanges),
    approver: approverOf(permission),
    base: held.digest,
    input: { ...held, bases },
  };
}

interface NamedChange extends TriedChange {
  readonly isNamed: boolean;
}

/**
 * Records that the input names come first: the first is the target. Others, such as the base that holds a deleted table,
 * may change meanwhile.
 */
function namedFirst(changes: readonly TriedChange[], input: object): readonly NamedChange[] {
  const said = new Set(textsIn(input));
  const all = changes.map((change) => ({ ...change, isNamed: said.has(change.id) }));
  return [...all.filter(({ isNamed }) => isNamed), ...all.filter(({ isNamed }) => !isNamed)];
}

const textsIn = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];

const targetOf = ({ kind, id, name }: TriedChange) => ({ kind, id, name });

/** Of the target the plain path; of every other record with the record in front. */
function differencesOf({ kind, name, id, changes }: TriedChange, at: number): readonly ProposedDifference[] {
  const place = at === 0 ? '' : `${kind} ${name || id}: `;
  return changes.map(({ path, from, to }) => ({
    path: `${place}${path}`,
    from: withoutPersonal(from),
    to: withoutPersonal(to),
  }));
}

/** Cards are listed to more people than may read personal data; who may carry the call out sees its input instead. */
function withoutPersonal(value: unknown): ProposedDifference['from'] {
  const json = JSON.stringify(value ?? null);
  return mayHoldSealed(json) ? '(personal data)' : JSON.parse(json);
}

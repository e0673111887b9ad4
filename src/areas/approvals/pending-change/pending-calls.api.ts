import { Injectable } from '@nestjs/common';
import { askedCommand } from '../../../engine/approvals/ask-first.js';
import { movedSomehow, movedWords } from '../../../engine/approvals/pending-changes.js';
import { SealedCalls } from '../../../engine/approvals/sealed-calls.js';
import { Authenticator } from '../../../engine/authorisation/authenticator.js';
import { failedCheck } from '../../../engine/authorisation/authorisation.js';
import { DryRun } from '../../../engine/dry-run/dry-run.js';
import { Calls } from '../../../engine/operation/calls.js';
import type { ExpectedState } from '../../../engine/operation/operation-context.js';
import { inputWithoutPasswords } from '../../../engine/operation/without-passwords.js';
import { Pipeline } from '../../../engine/pipeline/pipeline.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { typeWords } from '../../../kernel/record/event-words.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { refuse } from '../approvals.refusals.js';
import { askedOperation } from './card.js';
import { reasonFor } from './pending-change.js';
import type { PendingChange } from './pending-change.record.js';

interface CallInput {
  /** Keyed digest of the operation's input. `SealedCalls` stores the input itself. */
  readonly digest: string;
  /** Empty if the service itself ran the agent that made the call. */
  readonly keyId: string;
  readonly bases: readonly { readonly stream: string; readonly revision: number }[];
}

const callInputOf = ({ input }: Pick<PendingChange, 'input'>) => input as unknown as CallInput;

@Injectable()
export class PendingCalls {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly calls: Calls,
    private readonly callers: Authenticator,
    private readonly sealed: SealedCalls,
    private readonly store: EventStore,
  ) {}

  /**
   * Returns the call without passwords. Returns undefined if the caller may not make the same call, the card calls no
   * operation, or the call no longer waits for approval.
   */
  async contextOf(
    change: PendingChange,
    caller: Caller | undefined,
  ): Promise<{ readonly operation: string; readonly input: JsonObject } | undefined> {
    const operation = askedOperation(change);
    if (operation === undefined || caller === undefined || failedCheck(operation, caller) !== undefined)
      return undefined;
    const input = await this.sealed.open(change.workspaceId, change.id, callInputOf(change).digest);
    return input && { operation: operation.name, input: inputWithoutPasswords(operation.input, input) };
  }

  async moved(change: PendingChange): Promise<string | undefined> {
    const { commandId } = this.commandOf(change);
    for (const { stream, revision } of callInputOf(change).bases) {
      const [next] = await this.store.readStream(stream, { from: revision + 1, limit: 1 });
      if (next === undefined || next.metadata.commandId === commandId) continue;
      const { id } = parseStream(stream);
      return movedWords(id === change.target.id ? change.target.name : id, typeWords(next.type), next);
    }
    return undefined;
  }

  /**
   * Makes the call in a dry run, as if the requester's key were not allowed to delete, because for some calls only the
   * effects show whether they delete. If the dry run cannot reach the end of the call, refuses the call if its
   * operation can delete.
   * @throws Refusal key-never-deletes
   */
  async mustTakeNothing(change: PendingChange): Promise<void> {
    const operation = askedOperation(change);
    if (operation === undefined) return;
    const trial = new DryRun();
    const refusal = await trial.run(() => this.carryOut(change, { neverDeletes: true })).catch(refusalOrThrow);
    const isUnknown = trial.endsAt !== undefined && operation.takesAway !== undefined;
    if (isUnknown || refusal?.code === 'key-never-deletes') refuse('key-never-deletes', { operation: operation.name });
  }

  /**
   * Executes the call as the requester. The call takes effect only once, even if this is called again.
   * @throws Refusal
   */
  async carryOut(change: PendingChange, { neverDeletes = false } = {}): Promise<void> {
    const operation = askedOperation(change);
    const { digest, bases } = callInputOf(change);
    if (operation === undefined) return refuse('pending-change-moved', { reason: movedSomehow, isCall: true });
    const caller = await this.callerOf(change);
    const input = await this.sealed.open(change.workspaceId, change.id, digest);
    if (input === undefined) return refuse('asked-call-gone');
    const moved = () => refuse('pending-change-moved', { reason: movedSomehow, isCall: true });
    const expects = bases.map((one): ExpectedState => ({ ...one, moved }));
    const limited = { ...caller, neverDeletes: neverDeletes || caller.neverDeletes };
    const call = { ...this.commandOf(change), caller: limited, expects, ...reasonFor(change) };
    await this.pipeline.within(operation, input, { ...call, approvedBy: change.decidedBy ?? change.requestedBy });
  }

  forget({ workspaceId, id }: Pick<PendingChange, 'workspaceId' | 'id'>): Promise<void> {
    return this.sealed.destroy(workspaceId, id);
  }

  /**
   * Returns the requester with current rights.
   * @throws Refusal asker-gone
   */
  private async callerOf(change: PendingChange): Promise<Caller> {
    const { workspaceId, requestedBy } = change;
    const { keyId } = callInputOf(change);
    const caller =
      keyId === ''
        ? await this.callers.callerAsAgent(workspaceId, requestedBy.id)
        : await this.callers.callerOfKey(keyId);
    return caller?.workspaceId === workspaceId ? caller : refuse('asker-gone', { name: requestedBy.name });
  }

  private commandOf({ workspaceId, id, kind, requestedBy, correlationId, position }: PendingChange) {
    const about = { workspaceId, cardId: id, operation: kind, actor: requestedBy, correlationId };
    return askedCommand(this.calls, { ...about, notBefore: position });
  }
}

/** Refusals of the kind `unavailable` are thrown too, because the call could succeed later. */
function refusalOrThrow(error: unknown): Refusal {
  if (error instanceof Refusal && error.kind !== 'unavailable') return error;
  throw error;
}

import { Injectable } from '@nestjs/common';
import { authorise } from '../../../engine/authorisation/authorisation.js';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { currentDryRun, DryRun } from '../../../engine/dry-run/dry-run.js';
import { findOperation, type RegisteredOperation } from '../../../engine/operation/operation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Pipeline } from '../../../engine/pipeline/pipeline.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { recordKind } from '../../../kernel/record/record.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { EventStore } from '../../../ports/event-store.port.js';
import type { AuditEntry } from '../../audit/reading/audit-reading.record.js';
import { neededToUndo } from '../../audit/undo/undone-again.api.js';
import { refuse } from '../approvals.refusals.js';
import type { Notice, NoticedChange } from './notice.record.js';

type DeletionNotice = Notice & { readonly taking: NoticedChange };

type WhyNot = string | undefined;
type CallerCall = OperationContext & { readonly caller: Caller };

const tooMany = 'too many records were affected together; undo them one by one in the audit';
const changedSince = 'It was undone, or has changed since.';

export const isTaken = (notice: Notice): notice is DeletionNotice => notice.taking !== undefined;

const mostRecords = 200;
const mostEvents = 1_000;

interface EndedRecord {
  readonly kind: string;
  readonly stream: string;
  readonly position: number;
}

/** Undoes the deletions of a notice through `audit/undoChange`, which decides what can be restored and by whom. */
@Injectable()
export class TakenAway {
  constructor(
    private readonly reads: Reads,
    private readonly pipeline: Pipeline,
    private readonly loader: AggregateLoader,
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Even if this returns undefined, the undo can be refused, for example because another record now has the deleted
   * record's name.
   */
  async whyNot(notice: DeletionNotice, caller: Caller): Promise<WhyNot> {
    if (Date.parse(notice.expiresAt) <= this.clock.now())
      return 'The notice has expired; the audit may still be able to undo the change.';
    const ended = await this.endedRecords(notice);
    if (ended === undefined) return `It cannot be undone here: ${tooMany}.`;
    const one = await this.firstUnchanged(ended);
    if (one === undefined) return changedSince;
    try {
      authorise(undoOperation(), caller);
      const kind = recordKind(one.kind);
      const isGone = kind !== undefined && (await this.loader.load(kind, one.stream)).state === undefined;
      const needed = neededToUndo(one.kind, isGone);
      if (needed !== undefined) authorise(needed, caller);
      return undefined;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return error.message;
    }
  }

  /**
   * Restores the deleted records, the last deleted first. If there are several, omits those that have changed since,
   * and checks in a dry run that all others can be restored.
   * @throws Refusal undo-unavailable, undo-conflict, and the refusals of `audit/undoChange`
   */
  async undo(call: CallerCall, notice: DeletionNotice): Promise<void> {
    const ended = await this.endedRecords(notice);
    if (ended === undefined) return refuse('undo-unavailable', { why: tooMany });
    const unchanged = ended.length > 1 ? await this.allUnchanged(call, ended) : ended;
    if (unchanged.length === 0) return refuse('undo-conflict');
    const back = () => this.restore(call, unchanged.toReversed(), ended.length > 1);
    if (unchanged.length > 1 && currentDryRun() === undefined) await new DryRun().run(back);
    await back();
  }

  private async restore(call: CallerCall, all: readonly EndedRecord[], ofSeveral: boolean): Promise<void> {
    for (const { position } of all) {
      // Each undo needs its own command id. With the same id, all but the first would be treated as repetitions.
      const own = ofSeveral ? { commandId: restoreId(call, position) } : {};
      await this.pipeline.within(undoOperation(), { position }, { ...call, ...own });
    }
  }

  private async endedRecords({
    workspaceId,
    target,
    taking,
  }: DeletionNotice): Promise<readonly EndedRecord[] | undefined> {
    const { position, stream, by, operation, count, among } = taking;
    if (count === 1) return [{ kind: target.kind, stream, position }];
    if (among === undefined || count > mostRecords) return undefined;
    const [gte, lte] = among;
    const about = target.kind === 'row' ? { kind: target.kind } : { listed: true };
    const found = await this.reads.find<AuditEntry>(workspaceId, 'audit', {
      where: { actorId: by.id, ...about, position: { gte, lte } },
      sort: [['position', 'asc']],
      limit: mostEvents,
    });
    if (found.length === mostEvents) return undefined;
    const own = found.filter(({ command }) => command === operation);
    return [...new Map(own.map(({ kind, stream, position }) => [stream, { kind, stream, position }])).values()];
  }

  private async firstUnchanged(records: readonly EndedRecord[]): Promise<EndedRecord | undefined> {
    for (const one of records) if (await this.isUnchanged(one)) return one;
    return undefined;
  }

  /** Includes the records that an earlier attempt of the call has restored. */
  private async allUnchanged(call: CallerCall, records: readonly EndedRecord[]): Promise<readonly EndedRecord[]> {
    const unchanged: EndedRecord[] = [];
    for (const one of records)
      if ((await this.isUnchanged(one)) || (await this.wasRestored(call, one))) unchanged.push(one);
    return unchanged;
  }

  private async wasRestored(call: CallerCall, { stream, position }: EndedRecord): Promise<boolean> {
    if (!call.repeatable || call.firstTime) return false;
    return this.loader.recordedBy(stream, restoreId(call, position), position);
  }

  private async isUnchanged({ stream, position }: EndedRecord): Promise<boolean> {
    const [last] = await this.store.readStream(stream, { direction: 'backward', limit: 1 });
    return last?.position === position;
  }
}

const restoreId = ({ commandId }: OperationContext, position: number) => `${commandId}/${position}`;

/** Returns a sentence about effects that cannot be undone, such as destroyed secrets. */
export function lostWith({ taking }: DeletionNotice): string {
  const { outside = [] } = findOperation(taking.operation) ?? {};
  const lost = outside.filter((one) => one.startsWith('destroys '));
  return lost.length === 0 ? '' : ` It ${lost.join(' and ')}, which an Undo cannot reverse.`;
}

function undoOperation(): RegisteredOperation {
  const found = findOperation('audit/undoChange');
  if (found === undefined) throw new Error('There is no operation that undoes changes.');
  return found;
}

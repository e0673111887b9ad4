import { Injectable } from '@nestjs/common';
import { authorise } from '../../../engine/authorisation/authorisation.js';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { currentTrial, Trial } from '../../../engine/dry-run/trial.js';
import type { Call } from '../../../engine/operation/call.js';
import { findOperation, type RegisteredOperation } from '../../../engine/operation/operation.js';
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
import type { Notice, Taking } from './notice.record.js';

type Taken = Notice & { readonly taking: Taking };

/** Undefined: it can be undone. Otherwise why not, and what to do, in a sentence. */
type WhyNot = string | undefined;
type Calling = Call & { readonly caller: Caller };

const tooMany = 'too many were taken away together; undo them one by one in the audit';
const changedSince = 'It was undone, or has changed since.';

export const isTaken = (notice: Notice): notice is Taken => notice.taking !== undefined;

/** So many records are given back by one Undo. */
const mostTogether = 200;
/** So many events are looked through for them. */
const mostRead = 1_000;

/** A record as it was left, and the position of the event that undoing it begins with. */
interface Left {
  readonly kind: string;
  readonly stream: string;
  readonly position: number;
}

/** What a caller took away is undone by `audit/undoChange`, which knows what can come back and who may bring it. */
@Injectable()
export class TakenAway {
  constructor(
    private readonly reads: Reads,
    private readonly pipeline: Pipeline,
    private readonly loader: AggregateLoader,
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  /** As the declaration of its kind and the caller's rights tell it. A name taken meanwhile shows when it is undone. */
  async whyNot(notice: Taken, caller: Caller): Promise<WhyNot> {
    if (Date.parse(notice.expiresAt) <= this.clock.now())
      return 'Its time is over; the audit can still undo what it has kept.';
    const left = await this.left(notice);
    if (left === undefined) return `It is not undone here: ${tooMany}.`;
    const one = await this.firstStanding(left);
    if (one === undefined) return changedSince;
    try {
      authorise(undoing(), caller);
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
   * Of several, all that are as they were left, the last first; where one cannot be undone, none is.
   * @throws Refusal undo-unavailable, and those of what undoes it
   */
  async undo(call: Calling, notice: Taken): Promise<void> {
    const left = await this.left(notice);
    if (left === undefined) return refuse('undo-unavailable', { why: tooMany });
    const standing = left.length > 1 ? await this.standing(left) : left;
    if (standing.length === 0) return refuse('undo-conflict');
    const back = () => this.giveBack(call, standing.toReversed());
    if (standing.length > 1 && currentTrial() === undefined) await new Trial().run(back);
    await back();
  }

  private async giveBack(call: Calling, all: readonly Left[]): Promise<void> {
    for (const { position } of all) {
      // Another command for each: otherwise the second would be taken for the first that comes again.
      const own = all.length > 1 ? { commandId: `${call.commandId}/${position}` } : {};
      await this.pipeline.within(undoing(), { position }, { ...call, ...own });
    }
  }

  /** The records that it is about, in recorded order; undefined: more than one Undo gives back. */
  private async left({ workspaceId, target, taking }: Taken): Promise<readonly Left[] | undefined> {
    const { position, stream, by, operation, count, among } = taking;
    if (count === 1) return [{ kind: target.kind, stream, position }];
    if (among === undefined || count > mostTogether) return undefined;
    const [gte, lte] = among;
    const about = target.kind === 'row' ? { kind: target.kind } : { listed: true };
    const found = await this.reads.find<AuditEntry>(workspaceId, 'audit', {
      where: { actorId: by.id, ...about, position: { gte, lte } },
      sort: [['position', 'asc']],
      limit: mostRead,
    });
    if (found.length === mostRead) return undefined;
    const own = found.filter(({ command }) => command === operation);
    return [...new Map(own.map(({ kind, stream, position }) => [stream, { kind, stream, position }])).values()];
  }

  private async firstStanding(left: readonly Left[]): Promise<Left | undefined> {
    for (const one of left) if (await this.stands(one)) return one;
    return undefined;
  }

  private async standing(left: readonly Left[]): Promise<readonly Left[]> {
    const standing: Left[] = [];
    for (const one of left) if (await this.stands(one)) standing.push(one);
    return standing;
  }

  /** Nothing has happened to it since. */
  private async stands({ stream, position }: Left): Promise<boolean> {
    const [last] = await this.store.readStream(stream, { direction: 'backward', limit: 1 });
    return last?.position === position;
  }
}

/** What went with it and no Undo brings back; empty where nothing did. */
export function lostWith({ taking }: Taken): string {
  const { outside = [] } = findOperation(taking.operation) ?? {};
  const lost = outside.filter((one) => one.startsWith('destroys '));
  return lost.length === 0 ? '' : ` It ${lost.join(' and ')}: an Undo does not bring that back.`;
}

function undoing(): RegisteredOperation {
  const found = findOperation('audit/undoChange');
  if (found === undefined) throw new Error('There is no operation that undoes changes.');
  return found;
}

import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/aggregate-loader.js';
import { authorise } from '../../../engine/authorisation.js';
import type { Call } from '../../../engine/operation/call.js';
import { findOperation, type RegisteredOperation } from '../../../engine/operation/operation.js';
import { Pipeline } from '../../../engine/pipeline.js';
import type { Caller } from '../../../kernel/caller.js';
import { recordKind } from '../../../kernel/record.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { neededToUndo } from '../../audit/undo/undone-again.api.js';
import type { Notice, Taking } from './notice.record.js';

type Taken = Notice & { readonly taking: Taking };

/** Undefined: it can be undone. Otherwise why not, and what to do, in a sentence. */
type WhyNot = string | undefined;

const severalWere = 'Several were taken away together; undo them one by one in the audit.';
const changedSince = 'It was undone, or has changed since.';

export const isTaken = (notice: Notice): notice is Taken => notice.taking !== undefined;

/** What a caller took away is undone by `audit/undoChange`, which knows what can come back and who may bring it. */
@Injectable()
export class TakenAway {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly loader: AggregateLoader,
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  /** As the declaration of its kind and the caller's rights tell it. A name taken meanwhile shows when it is undone. */
  async whyNot({ taking, target, expiresAt }: Taken, caller: Caller): Promise<WhyNot> {
    if (Date.parse(expiresAt) <= this.clock.now())
      return 'Its time is over; the audit can still undo what it has kept.';
    if (taking.count > 1) return severalWere;
    const [last] = await this.store.readStream(taking.stream, { direction: 'backward', limit: 1 });
    if (last?.position !== taking.position) return changedSince;
    try {
      authorise(undoing(), caller);
      const kind = recordKind(target.kind);
      const isGone = kind !== undefined && (await this.loader.load(kind, taking.stream)).state === undefined;
      const needed = neededToUndo(target.kind, isGone);
      if (needed !== undefined) authorise(needed, caller);
      return undefined;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return error.message;
    }
  }

  /** @throws Refusal undo-unavailable, and those of what undoes it */
  async undo(call: Call, { taking }: Taken): Promise<void> {
    const { caller } = call;
    if (caller === undefined || taking.count > 1) return refuse('undo-unavailable', { why: severalWere });
    await this.pipeline.within(undoing(), { position: taking.position }, { ...call, caller });
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

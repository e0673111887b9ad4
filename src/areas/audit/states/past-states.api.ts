import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { RecordScopes, type Resource } from '../../../engine/scopes/record-scopes.js';
import { instantOf } from '../../../kernel/condition/instant.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { KeyedMutex } from '../../../kernel/keyed-mutex.js';
import { type Difference, differences } from '../../../kernel/record/difference.js';
import type { Document } from '../../../kernel/record/projection.js';
import { type RecordAggregate, recordKind } from '../../../kernel/record/record.js';
import { Clock } from '../../../ports/clock.port.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { refuse } from '../audit.refusals.js';
import { maySee } from '../audit-visibility.api.js';
import { AuditReading } from '../reading/audit-reading.api.js';
import { StateAt, type Until } from './state-at.api.js';
import { type StateDifferences, StateView } from './state-view.api.js';

type PathsOfThen = { readonly [Key in keyof Then]-?: string };

const pathsOfThen: PathsOfThen = { at: 'at', position: 'position' };
const pathsOf = (path: string): PathsOfThen => ({ at: path, position: path });

/** Exactly one of `at` (ISO 8601) and `position` must be set. */
export interface Then {
  readonly at?: string | undefined;
  readonly position?: number | undefined;
}

export interface PastState {
  /**
   * Personal data is decrypted. `null` if the record did not exist or if operations do not return this kind of record.
   */
  readonly state: object | null;
  /** Position of the record's last event up to that point; null if there was none. */
  readonly position: number | null;
  readonly at: string | null;
}

/**
 * Checks the caller's rights and records the reading. The answers of one workspace are computed one after the other, so
 * that its long histories do not delay other workspaces.
 */
@Injectable()
export class PastStates {
  private readonly turns = new KeyedMutex();

  constructor(
    private readonly store: EventStore,
    private readonly folds: StateAt,
    private readonly view: StateView,
    private readonly reading: AuditReading,
    private readonly clock: Clock,
    private readonly scopes: RecordScopes,
  ) {}

  /** @throws Refusal resource-not-found, audit-time-wrong, audit-time-in-future, audit-position-beyond-log */
  async at(call: OperationContext, { kind, id, ...then }: Resource & Then): Promise<PastState> {
    const until = await this.untilOf(then, pathsOfThen);
    const aggregate = await this.begin(call, { kind, id }, then);
    return this.turns.run(call.workspaceId, async () => {
      const { state, position, at } = await this.fold(call, aggregate, id, until);
      const shown = state === undefined ? null : await this.view.viewOf(aggregate, state);
      return { state: shown && this.view.leavingOut(shown), position, at };
    });
  }

  /**
   * If `from` is later than `to`, the differences are reversed.
   * @throws Refusal as `at`
   */
  async between(
    call: OperationContext,
    { kind, id, from, to }: Resource & { readonly from: string | number; readonly to: string | number },
  ): Promise<readonly Difference[]> {
    return (await this.compared(call, { kind, id, from, to })).changes;
  }

  /** Limits the answer and includes the number of omitted differences. */
  async compared(
    call: OperationContext,
    { kind, id, from, to }: Resource & { readonly from: string | number; readonly to: string | number },
  ): Promise<StateDifferences> {
    const untils = [
      await this.untilOf(thenOf(from), pathsOf('from')),
      await this.untilOf(thenOf(to), pathsOf('to')),
    ] as const;
    const aggregate = await this.begin(call, { kind, id }, { from, to });
    return this.turns.run(call.workspaceId, async () => {
      const states: object[] = [];
      for (const until of untils) {
        const { state } = await this.fold(call, aggregate, id, until);
        states.push((state && (await this.view.viewOf(aggregate, state))) ?? {});
      }
      return this.view.differencesLeavingOut(differences(states[0], states[1]));
    });
  }

  private async begin(call: OperationContext, { kind, id }: Resource, times: object) {
    const aggregate = recordKind(kind);
    if (aggregate === undefined || !maySee(call.caller, kind)) return refuse('resource-not-found');
    const [any] = await this.store.readStream(streamOf(kind, call.workspaceId, id), { limit: 1 });
    if (any === undefined) return refuse('resource-not-found');
    await this.scopes.mustBeOpen(call, { kind, id });
    await this.reading.record(call, { kind, id }, times);
    return aggregate;
  }

  private fold(
    { workspaceId }: OperationContext,
    aggregate: RecordAggregate<Document, DomainEvent>,
    id: string,
    until: Until,
  ) {
    return this.folds.at(aggregate, streamOf(aggregate.category, workspaceId, id), until);
  }

  private async untilOf({ at, position }: Then, paths: PathsOfThen): Promise<Until> {
    if (at !== undefined && position === undefined) {
      const instant = instantOf(at);
      if (instant === undefined) return refuse('audit-time-wrong', undefined, { at: paths.at });
      if (instant > this.clock.now()) return refuse('audit-time-in-future', { at }, { at: paths.at });
      return { instant };
    }
    if (position === undefined || at !== undefined) {
      return refuse('audit-time-wrong', undefined, { at: [...new Set(Object.values(paths))] });
    }
    const head = await this.store.head();
    return position > head ? refuse('audit-position-beyond-log', { position }, { at: paths.position }) : { position };
  }
}

const thenOf = (time: string | number): Then => (typeof time === 'number' ? { position: time } : { at: time });

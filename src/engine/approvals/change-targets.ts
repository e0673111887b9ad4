import { Injectable, type Provider } from '@nestjs/common';
import type { DomainEvent, Recorded } from '../../kernel/event/event.js';
import { streamOf } from '../../kernel/event/stream-name.js';
import type { JsonObject } from '../../kernel/json/json.js';
import { eventSentence } from '../../kernel/record/event-words.js';
import type { Undo } from '../../kernel/record/undo.js';
import { Clock } from '../../ports/clock.port.js';
import { AggregateLoader } from '../commands/aggregate-loader.js';
import { CommandRunner } from '../commands/command-runner.js';
import { RecordTexts } from '../commands/record-texts.js';
import type { OperationContext } from '../operation/operation-context.js';
import { showsAs } from '../records/record-views.js';
import { refuse } from '../refusals/engine.refusals.js';
import { Reads } from '../scopes/reads.js';
import type { ApprovedChange, AskingCall, CardRequest, GatedDocument, GatedKind } from './gated-kind.js';
import { movedSomehow, movedWords } from './pending-changes.js';

type AnyKind = GatedKind<GatedDocument, DomainEvent>;

export interface ChangeTarget {
  readonly kind: string;
  readonly id: string;
}

/** Applies approved changes to records, and undoes deletions, for every registered kind of record. */
@Injectable()
export class ChangeTargets {
  private readonly kinds = new Map<string, AnyKind>();

  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly clock: Clock,
    private readonly texts: RecordTexts,
    private readonly loader: AggregateLoader,
  ) {}

  register<Doc extends GatedDocument, Event extends DomainEvent>(kind: GatedKind<Doc, Event>): GatedKind<Doc, Event> {
    this.kinds.set(kind.aggregate.category, kind as unknown as AnyKind);
    return kind;
  }

  /**
   * Returns undefined if the record is still in the state for which the change was proposed. Otherwise returns a
   * sentence about the event that changed the state.
   */
  async moved(
    workspaceId: string,
    target: ChangeTarget & { readonly name: string },
    change: Pick<ApprovedChange, 'kind' | 'base' | 'input'>,
  ): Promise<string | undefined> {
    const kind = this.kindOf(target);
    const { aggregate } = kind;
    const id = kind.recordId?.(change.input) ?? target.id;
    if (matchesBase(kind, await this.runner.find(aggregate, workspaceId, id), change)) return undefined;
    let reason = movedSomehow;
    let before = aggregate.initial;
    let matched = matchesBase(kind, before, change);
    for await (const event of this.loader.history(streamOf(aggregate.category, workspaceId, id))) {
      const after = aggregate.evolve(before, event as unknown as Recorded<DomainEvent>);
      const matches = matchesBase(kind, after, change);
      if (matched && !matches) reason = movedWords(target.name, eventSentence(aggregate, event, before, after), event);
      [before, matched] = [after, matches];
    }
    return reason;
  }

  /** @throws Refusal if the target no longer exists */
  async asking(workspaceId: string, target: ChangeTarget, card: CardRequest): Promise<AskingCall> {
    const { aggregate, askingOf, recordId } = this.kindOf(target);
    const found = await this.runner.find(aggregate, workspaceId, recordId?.(card.input) ?? target.id);
    return askingOf(found ?? aggregate.missing(), card);
  }

  /**
   * Returns the values at `paths`, with null for a path without a value. Returns undefined if the target no longer
   * exists.
   */
  async currentValues(
    workspaceId: string,
    target: ChangeTarget,
    input: JsonObject,
    paths: readonly string[],
  ): Promise<JsonObject | undefined> {
    const kind = this.kindOf(target);
    const found = await this.runner.find(kind.aggregate, workspaceId, kind.recordId?.(input) ?? target.id);
    if (found === undefined) return undefined;
    const read = await this.texts.readAll(kind.aggregate, workspaceId, found);
    const current = { ...(kind.named?.(found, input) ?? kind.shown(found, read)) } as JsonObject;
    return Object.fromEntries(paths.map((path) => [path, current[path] ?? null]));
  }

  /**
   * Idempotent, because the call's ids are derived from the id of the pending change.
   * @throws Refusal
   */
  async apply(call: OperationContext, target: ChangeTarget, change: Omit<ApprovedChange, 'targetId'>): Promise<void> {
    const kind = this.kindOf(target);
    const { aggregate, application } = kind;
    const id = kind.recordId?.(change.input) ?? target.id;
    const record = (await this.runner.find(aggregate, call.workspaceId, id)) ?? aggregate.missing();
    const { decide, reads, reserves } = await application(call, { ...change, targetId: target.id }, this.reads, record);
    await this.runner.change(call, {
      aggregate,
      id,
      ...(reads === undefined
        ? {}
        : { reads: (found: GatedDocument | undefined) => (found === undefined ? [] : reads(found)) }),
      decide: (found, read) => {
        if (found === undefined || !matchesBase(kind, found, change))
          return refuse('pending-change-moved', { reason: movedSomehow });
        return decide(found, read);
      },
      ...(reserves === undefined ? {} : { reserves: () => reserves }),
    });
  }

  async isAvailable(workspaceId: string, target: ChangeTarget, undo: string): Promise<boolean> {
    const kind = this.kinds.get(target.kind);
    if (kind === undefined) return false;
    const found = await this.reads.get<GatedDocument>(workspaceId, kind.collection, target.id);
    if (found?.undo?.id !== undo || isExpired(found.undo, this.clock.now())) return false;
    return (await kind.whyNotUndone?.(this.loader, found)) === undefined;
  }

  /**
   * Undoes the target's last deletion. `undo` must be the id of that deletion.
   * @throws Refusal undo-unavailable
   */
  async undo(call: OperationContext, target: ChangeTarget, undo: string): Promise<void> {
    const kind = this.kinds.get(target.kind);
    const undone = kind?.undone;
    if (kind === undefined || undone === undefined) {
      return refuse('undo-unavailable', { why: 'changes of this kind cannot be undone' });
    }
    const { aggregate, noun } = kind;
    const now = this.clock.now();
    const record = await this.runner.find(aggregate, call.workspaceId, target.id);
    const why = record?.undo?.id === undo ? await kind.whyNotUndone?.(this.loader, record) : undefined;
    if (why !== undefined) refuse('undo-unavailable', { why });
    await this.runner.change(call, {
      aggregate,
      id: target.id,
      decide: (found) => {
        if (found?.undo?.id !== undo) return refuse('undo-unavailable', { why: `the ${noun} has changed since` });
        if (isExpired(found.undo, now)) refuse('undo-unavailable', { why: 'it has expired' });
        return [undone(undo)];
      },
    });
  }

  private kindOf({ kind }: ChangeTarget): AnyKind {
    const found = this.kinds.get(kind);
    if (found === undefined)
      throw new Error(
        `Changes of a ${kind} cannot be applied or undone, because gates() was not called for this kind.`,
      );
    return found;
  }
}

const isExpired = ({ expiresAt }: Pick<Undo, 'expiresAt'>, now: number) => Date.parse(expiresAt) <= now;

function matchesBase(
  { baseOf, formerBaseOf }: AnyKind,
  record: GatedDocument | undefined,
  { kind, base, input }: Pick<ApprovedChange, 'kind' | 'base' | 'input'>,
): boolean {
  if (record === undefined) return false;
  return baseOf(record, kind, input) === base || formerBaseOf?.(record, kind, input) === base;
}

export function gates<Doc extends GatedDocument, Event extends DomainEvent>(kind: GatedKind<Doc, Event>) {
  showsAs(kind.aggregate, kind.shown);
  return {
    provide: Symbol(`Gates ${kind.aggregate.category}`),
    inject: [ChangeTargets],
    useFactory: (targets: ChangeTargets) => targets.register(kind),
  } satisfies Provider;
}

import { Injectable, type Provider } from '@nestjs/common';
import type { DomainEvent } from '../kernel/event.js';
import type { JsonObject } from '../kernel/json.js';
import { refuse } from '../kernel/refusal.js';
import { Clock } from '../ports/clock.port.js';
import { CommandRunner } from './command-runner.js';
import type { ApprovedChange, GatedDocument, GatedKind } from './gated-kind.js';
import type { Call } from './operation/call.js';
import { Reads } from './reads.js';
import { RecordTexts } from './record-texts.js';
import { showsAs } from './record-views.js';

type AnyKind = GatedKind<GatedDocument, DomainEvent>;

/** A record that cards and notices are about. */
export interface ChangeTarget {
  /** The category of its kind. */
  readonly kind: string;
  readonly id: string;
}

/** Applies approved changes and undoes what was taken away, for every kind that entered itself. */
@Injectable()
export class ChangeTargets {
  private readonly kinds = new Map<string, AnyKind>();

  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly clock: Clock,
    private readonly texts: RecordTexts,
  ) {}

  register<Doc extends GatedDocument, Event extends DomainEvent>(kind: GatedKind<Doc, Event>): GatedKind<Doc, Event> {
    this.kinds.set(kind.aggregate.category, kind as unknown as AnyKind);
    return kind;
  }

  /** Digest of what a change stands on now; undefined when the target is gone. */
  async base(
    workspaceId: string,
    target: ChangeTarget,
    { kind: cardKind, input }: Pick<ApprovedChange, 'kind' | 'input'>,
  ): Promise<string | undefined> {
    const kind = this.kindOf(target);
    const found = await this.runner.find(kind.aggregate, workspaceId, kind.recordId?.(input) ?? target.id);
    return found && kind.baseOf(found, cardKind, input);
  }

  /** What stands at each of these paths now; undefined when the target is gone. */
  async standing(
    workspaceId: string,
    target: ChangeTarget,
    input: JsonObject,
    paths: readonly string[],
  ): Promise<JsonObject | undefined> {
    const kind = this.kindOf(target);
    const found = await this.runner.find(kind.aggregate, workspaceId, kind.recordId?.(input) ?? target.id);
    if (found === undefined) return undefined;
    const read = await this.texts.of(kind.aggregate, workspaceId, found);
    const held = { ...(kind.named?.(found, input) ?? kind.shown(found, read)) } as JsonObject;
    return Object.fromEntries(paths.map((path) => [path, held[path] ?? null]));
  }

  /** Does it. The call is the same each time, so that done twice it is done once. @throws Refusal */
  async apply(call: Call, target: ChangeTarget, change: Omit<ApprovedChange, 'targetId'>): Promise<void> {
    const { aggregate, application, baseOf, recordId } = this.kindOf(target);
    const id = recordId?.(change.input) ?? target.id;
    const record = (await this.runner.find(aggregate, call.workspaceId, id)) ?? aggregate.missing();
    const { decide, reads, reserves } = await application(call, { ...change, targetId: target.id }, this.reads, record);
    await this.runner.change(call, {
      aggregate,
      id,
      ...(reads === undefined
        ? {}
        : { reads: (found: GatedDocument | undefined) => (found === undefined ? [] : reads(found)) }),
      decide: (found, read) => {
        const base = found && baseOf(found, change.kind, change.input);
        if (found === undefined || base !== change.base) return refuse('pending-change-moved');
        return decide(found, read);
      },
      ...(reserves === undefined ? {} : { reserves: () => reserves }),
    });
  }

  /** Whether what was done at once can still be undone. */
  async isAvailable(workspaceId: string, target: ChangeTarget, undo: string): Promise<boolean> {
    const kind = this.kinds.get(target.kind);
    if (kind === undefined) return false;
    const found = await this.reads.get<GatedDocument>(workspaceId, kind.collection, target.id);
    return found?.undo?.id === undo;
  }

  /** @throws Refusal undo-unavailable */
  async undo(call: Call, target: ChangeTarget, undo: string): Promise<void> {
    const kind = this.kinds.get(target.kind);
    const undone = kind?.undone;
    if (kind === undefined || undone === undefined) {
      return refuse('undo-unavailable', { why: 'nothing of it can be undone' });
    }
    const { aggregate, noun } = kind;
    const now = this.clock.now();
    await this.runner.change(call, {
      aggregate,
      id: target.id,
      decide: (found) => {
        if (found?.undo?.id !== undo) refuse('undo-unavailable', { why: `the ${noun} has changed since` });
        if (Date.parse(found?.undo?.expiresAt ?? '') <= now) refuse('undo-unavailable', { why: 'its time is over' });
        return [undone(undo)];
      },
    });
  }

  private kindOf({ kind }: ChangeTarget): AnyKind {
    const found = this.kinds.get(kind);
    if (found === undefined) throw new Error(`Nobody applies or undoes changes of a ${kind}.`);
    return found;
  }
}

/** Enters a kind with those that apply cards and undo notices: one line in the slices of its area. */
export function gates<Doc extends GatedDocument, Event extends DomainEvent>(kind: GatedKind<Doc, Event>) {
  showsAs(kind.aggregate, kind.shown);
  return {
    provide: Symbol(`Gates ${kind.aggregate.category}`),
    inject: [ChangeTargets],
    useFactory: (targets: ChangeTargets) => targets.register(kind),
  } satisfies Provider;
}

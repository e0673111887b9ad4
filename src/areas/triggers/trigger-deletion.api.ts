import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../engine/commands/aggregate-loader.js';
import { CommandRunner } from '../../engine/commands/command-runner.js';
import { Returns } from '../../engine/commands/returns.js';
import type { Call } from '../../engine/operation/call.js';
import { Reads } from '../../engine/scopes/reads.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { PlainRecord } from '../../kernel/record/plain-record.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import type { AuditEntry } from '../audit/reading/audit-reading.record.js';

export type GoneReason = 'function-deleted' | 'target-gone';

type Trigger = Document & { readonly targetRef: string; readonly createdAt: string };

/** How triggers of one kind go with their target. */
export interface TriggerEnding<Doc extends Trigger, Event extends DomainEvent> {
  readonly kind: PlainRecord<Doc, Event>;
  delete(trigger: Doc, reason: GoneReason): readonly Event[];
  /** Stays listed without its target. Left out: none does. */
  stays?(trigger: Doc): boolean;
  /** What is destroyed first, because a trigger that is deleted is not found when this is repeated. */
  before?(trigger: Doc): Promise<void>;
}

/** Deletes the triggers of deleted targets. Every kind of trigger enters itself at start. */
@Injectable()
export class TriggerDeletion {
  private readonly endings: TriggerEnding<Trigger, DomainEvent>[] = [];

  constructor(
    private readonly reads: Reads,
    private readonly runner: CommandRunner,
    private readonly loader: AggregateLoader,
    private readonly returns: Returns,
  ) {}

  register<Doc extends Trigger, Event extends DomainEvent>(ending: TriggerEnding<Doc, Event>): void {
    this.endings.push(ending as unknown as TriggerEnding<Trigger, DomainEvent>);
  }

  /**
   * Brings back the triggers that went with a target's end, since the target is back. `ended`: the event that ended it;
   * `callFor` gives the call for each id. May be repeated.
   */
  async backWithTarget(workspaceId: string, ended: string, callFor: (id: string) => Call): Promise<void> {
    for (const { kind } of this.endings) {
      const gone = { kind: kind.category, causationId: ended };
      const entries = await this.reads.find<AuditEntry>(workspaceId, 'audit', { where: gone });
      for (const { resourceId, position, id } of entries) {
        const record = kind as unknown as RecordAggregate<Document, DomainEvent>;
        for await (const former of this.loader.at(record, workspaceId, [resourceId], position - 1)) {
          await this.returns.bringBack(callFor(resourceId), record, former, id);
        }
      }
    }
  }

  /** `callFor` gives the call for each id. May be repeated. */
  async ofTarget(
    workspaceId: string,
    targetRef: string,
    reason: GoneReason,
    callFor: (id: string) => Call,
  ): Promise<void> {
    for (const ending of this.endings) {
      const { kind } = ending;
      const found = await this.reads.find<Trigger>(workspaceId, kind.collection.name, { where: { targetRef } });
      for (const trigger of found.filter((one) => ending.stays?.(one) !== true)) {
        await ending.before?.(trigger);
        await this.runner.change(callFor(trigger.id), {
          aggregate: kind,
          id: trigger.id,
          begins: 'perhaps',
          decide: (now) => (now === undefined ? [] : ending.delete(now, reason)),
        });
      }
    }
  }
}

/** Enters a kind of trigger. A provider of its slice. */
export const endsWithTarget = <Doc extends Trigger, Event extends DomainEvent>(ending: TriggerEnding<Doc, Event>) => ({
  provide: Symbol(`End with their targets: ${ending.kind.category}`),
  inject: [TriggerDeletion],
  useFactory: (deletion: TriggerDeletion) => deletion.register(ending),
});

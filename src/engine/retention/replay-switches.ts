import { Inject, Injectable, type Type } from '@nestjs/common';
import { isTrigger, type Starter, type TriggerKind } from '../../kernel/callers/starter.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import { CommandRunner } from '../commands/command-runner.js';
import type { OperationContext } from '../operation/operation-context.js';
import { refuse } from '../refusals/engine.refusals.js';

/** Decides for triggers of one kind whether the inputs of failed runs are stored, so that the runs can be replayed. */
export interface ReplaySwitch {
  keepsInput(workspaceId: string, id: string): Promise<boolean | undefined>;
  setKeepsInput(call: OperationContext, id: string, keepInput: boolean): Promise<void>;
}

@Injectable()
export class ReplaySwitches {
  private readonly kinds = new Map<TriggerKind, ReplaySwitch>();

  register(kind: TriggerKind, of: ReplaySwitch): void {
    this.kinds.set(kind, of);
  }

  /** @throws Refusal trigger-not-found */
  async set(call: OperationContext, id: string, keepInput: boolean): Promise<void> {
    for (const kind of this.kinds.values()) {
      if ((await kind.keepsInput(call.workspaceId, id)) !== undefined) return kind.setKeepsInput(call, id, keepInput);
    }
    refuse('trigger-not-found');
  }

  /**
   * Returns the setting of the trigger that is the starter. Returns true for a trigger that no longer exists, and for
   * all other starters.
   */
  async allows(workspaceId: string, starter: Starter): Promise<boolean> {
    if (!isTrigger(starter)) return true;
    return (await this.kinds.get(starter.kind)?.keepsInput(workspaceId, starter.id)) ?? true;
  }
}

interface Keeper extends Document {
  readonly keepInput: boolean;
}

/**
 * Returns a provider that implements `ReplaySwitch` with the field `keepInput` of the record. A change applies to later
 * deliveries. Setting the current value again records nothing.
 */
export function keepsInputs<Doc extends Keeper, Event extends DomainEvent>(
  kind: TriggerKind,
  record: RecordAggregate<Doc, Event>,
  switched: (keepInput: boolean) => NoInfer<Event>,
): Type<object> {
  class KeepsInputs implements ReplaySwitch {
    constructor(
      readonly runner: CommandRunner,
      switches: ReplaySwitches,
    ) {
      switches.register(kind, this);
    }

    async keepsInput(workspaceId: string, id: string): Promise<boolean | undefined> {
      return (await this.runner.find(record, workspaceId, id))?.keepInput;
    }

    async setKeepsInput(call: OperationContext, id: string, keepInput: boolean): Promise<void> {
      await this.runner.change<Doc | undefined, Event>(call, {
        aggregate: record,
        id,
        decide: (trigger) => (trigger === undefined || trigger.keepInput === keepInput ? [] : [switched(keepInput)]),
      });
    }
  }
  Inject(CommandRunner)(KeepsInputs, undefined, 0);
  Inject(ReplaySwitches)(KeepsInputs, undefined, 1);
  return Object.defineProperty(KeepsInputs, 'name', { value: `KeepsInputsOf-${kind}` });
}

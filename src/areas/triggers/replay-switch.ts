import { Inject, type Type } from '@nestjs/common';
import { CommandRunner } from '../../engine/command-runner.js';
import type { Call } from '../../engine/operation/call.js';
import { type ReplaySwitch, ReplaySwitches } from '../../engine/replay-switches.js';
import type { DomainEvent } from '../../kernel/event.js';
import type { Document } from '../../kernel/projection.js';
import type { RecordAggregate } from '../../kernel/record.js';

interface Keeper extends Document {
  readonly keepInput: boolean;
}

/**
 * Declares the switch for keeping the inputs of failed runs, for one kind of trigger. The switch applies to later
 * deliveries. Sending its current value does nothing.
 */
export function keepsInputs<Doc extends Keeper, Event extends DomainEvent>(
  kind: 'webhook' | 'schedule' | 'mailhook',
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

    async setKeepsInput(call: Call, id: string, keepInput: boolean): Promise<void> {
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

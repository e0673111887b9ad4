import { Inject, type Type } from '@nestjs/common';
import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../engine/commands/command-runner.js';
import { callOf } from '../../engine/operation/call.js';
import { StartableTargets } from '../../engine/scopes/startable-targets.js';
import type { TargetKind } from '../../kernel/callers/target.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';

interface SwitchInput {
  readonly id: string;
  readonly isActive: boolean;
}

interface Trigger extends Document {
  readonly targetKind: TargetKind;
  readonly targetRef: string;
}

/**
 * Declares the handler that switches a trigger on or off. An active trigger starts its target, so only somebody who may
 * start the target may switch it on.
 */
export function switchesTrigger<Input extends SwitchInput, Doc extends Trigger, Event extends DomainEvent>(
  input: Type<Input>,
  record: RecordAggregate<Doc, Event>,
  decide: (trigger: Doc, isActive: boolean) => readonly NoInfer<Event>[],
): Type<object> {
  class SwitchesTrigger {
    constructor(
      readonly runner: CommandRunner,
      readonly targets: StartableTargets,
    ) {}

    async execute(command: Input): Promise<{ success: true }> {
      const call = callOf(command);
      const { id, isActive } = command;
      const found = (await this.runner.find(record, call.workspaceId, id)) ?? record.missing();
      const judge = await this.targets.judge(call, { kind: found.targetKind, ref: found.targetRef });
      await this.runner.change(call, {
        aggregate: record,
        id,
        decide: (trigger) => {
          const events = trigger ? decide(trigger, isActive) : [];
          if (isActive && events.length > 0) judge();
          return events;
        },
      });
      return { success: true };
    }
  }
  Inject(CommandRunner)(SwitchesTrigger, undefined, 0);
  Inject(StartableTargets)(SwitchesTrigger, undefined, 1);
  CommandHandler(input)(SwitchesTrigger);
  return Object.defineProperty(SwitchesTrigger, 'name', { value: `Switches${input.name}` });
}

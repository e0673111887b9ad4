import type { Type } from '@nestjs/common';
import { CommandRunner } from '../../engine/commands/command-runner.js';
import { type OperationName, type OperationSpec, success } from '../../engine/operation/operation.js';
import { recordCommand } from '../../engine/records/record-command.js';
import { StartableTargets } from '../../engine/scopes/startable-targets.js';
import type { TargetKind } from '../../kernel/callers/target.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import { idField } from '../../kernel/field/plain-text.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';

interface Trigger extends Document {
  readonly targetKind: TargetKind;
  readonly targetRef: string;
}

/** An active trigger starts its target, so a caller who switches it on must be allowed to start the target. */
export function switchesTrigger<Doc extends Trigger, Event extends DomainEvent>(
  name: OperationName,
  spec: Omit<OperationSpec, 'effect' | 'answers'>,
  record: RecordAggregate<Doc, Event>,
  decide: (trigger: Doc, isActive: boolean) => readonly NoInfer<Event>[],
): Type<object> {
  return recordCommand(name, {
    ...spec,
    answers: success,
    input: { id: idField, isActive: { type: 'boolean' } },
    record,
    id: ({ id }) => id,
    inject: [CommandRunner, StartableTargets],
    prepare: async ({ id }, call, runner, targets) => {
      const { targetKind: kind, targetRef: ref } =
        (await runner.find(record, call.workspaceId, id)) ?? record.missing();
      return targets.judge(call, { kind, ref });
    },
    decide: (trigger, { isActive }, _, judge) => {
      const events = decide(trigger, isActive);
      if (isActive && events.length > 0) judge();
      return events;
    },
  });
}

import type { Type } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import type { Change } from '../commands/change.js';
import { CommandRunner } from '../commands/command-runner.js';
import type { ExclusiveSlot, RelatedChange } from '../commands/related-changes.js';
import { command, type InputOf, type InputSpec, type Provided, type Tokens } from '../operation/bound-operation.js';
import type { OperationName, OperationSpec } from '../operation/operation.js';
import type { OperationContext } from '../operation/operation-context.js';

type Begins = true | 'perhaps' | false;

export type Before<Doc, Begin extends Begins> = Begin extends true
  ? undefined
  : Begin extends 'perhaps'
    ? Doc | undefined
    : Doc;

/** `prepare` is declared before `decide`, so that TypeScript infers the type of its result first. */
export interface RecordCommand<
  Input extends InputSpec,
  Doc extends Document,
  Event extends DomainEvent,
  Asked extends Tokens,
  Begin extends Begins,
  Prepared,
> extends Omit<OperationSpec, 'effect'> {
  readonly input: Input;
  readonly record: RecordAggregate<Doc, Event>;
  id(input: InputOf<Input>, call: OperationContext): string;
  /** `perhaps` means that the record may already exist. If omitted, the record must exist. */
  readonly begins?: Begin;
  readonly inject?: Asked;
  /** @throws Refusal */
  prepare?(input: InputOf<Input>, call: OperationContext, ...provided: Provided<Asked>): Promise<Prepared>;
  /**
   * Returns the events to record. Must be pure, because it is called again if the stream has changed before the append.
   * @throws Refusal
   */
  decide(
    before: Before<Doc, Begin>,
    input: InputOf<Input>,
    call: OperationContext,
    prepared: Prepared,
    id: string,
  ): readonly NoInfer<Event>[];
  reserves?(
    before: Doc | undefined,
    input: InputOf<Input>,
    call: OperationContext,
    id: string,
  ): ReturnType<NonNullable<Change<Doc | undefined, Event>['reserves']>>;
  alongside?(
    before: Doc | undefined,
    input: InputOf<Input>,
    call: OperationContext,
    prepared: Prepared,
  ): readonly RelatedChange[];
  slots?(
    before: Doc | undefined,
    decided: readonly NoInfer<Event>[],
    call: OperationContext,
    id: string,
    prepared: Prepared,
  ): readonly ExclusiveSlot[];
  /** Default: `{ success: true }` if the operation declares that response, otherwise the record. */
  answer?(after: Doc | undefined, prepared: Prepared, call: OperationContext): unknown;
}

export function recordCommand<
  const Input extends InputSpec,
  Doc extends Document,
  Event extends DomainEvent,
  const Asked extends Tokens = readonly [],
  const Begin extends Begins = false,
  Prepared = undefined,
>(name: OperationName, declared: RecordCommand<Input, Doc, Event, Asked, Begin, Prepared>): Type<object> {
  const {
    input,
    record,
    id: idOf,
    begins,
    inject,
    prepare,
    decide,
    reserves,
    alongside,
    slots,
    answer,
    ...spec
  } = declared;
  const answersSuccess = 'fields' in spec.answers && 'success' in spec.answers.fields;
  return command<Input, Tokens>(name, {
    ...spec,
    input,
    inject: [CommandRunner, ...(inject ?? [])],
    handle: async (sent, call, ...provided) => {
      const [runner, ...asked] = provided as [CommandRunner, ...Provided<Asked>];
      const prepared = (await prepare?.(sent, call, ...(asked as Provided<Asked>))) as Prepared;
      const id = idOf(sent, call);
      const after = await runner.change<Doc | undefined, Event>(call, {
        aggregate: record,
        id,
        begins: begins ?? false,
        decide: (before) => {
          const given = begins ? before : (before ?? record.missing());
          return decide(given as Before<Doc, Begin>, sent, call, prepared, id);
        },
        ...(reserves && { reserves: (before) => reserves(before, sent, call, id) }),
        ...(alongside && { alongside: (before) => alongside(before, sent, call, prepared) }),
        ...(slots && { slots: (before, decided) => slots(before, decided, call, id, prepared) }),
      });
      if (answer !== undefined) return answer(after, prepared, call);
      return answersSuccess ? { success: true } : (after ?? record.missing());
    },
  });
}

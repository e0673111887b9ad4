import type { FactoryProvider, Type } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { Where } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import { CommandRunner } from '../commands/command-runner.js';
import { Calls, systemActor } from '../operation/calls.js';
import type { OperationContext } from '../operation/operation-context.js';
import type { Timed } from './due-sweep.js';
import { DueSweeps } from './due-sweeps.js';

interface Due<Doc extends Timed<Field>, Event extends DomainEvent, Field extends string> {
  /** Used in log lines, and recorded as the actor of the changes. */
  readonly name: string;
  readonly record: RecordAggregate<Doc, Event>;
  /**
   * Field with the due time, in ISO 8601. If null, the record is never due. An index of the collection must end with
   * this field.
   */
  readonly field: Field;
  /** Only matching records are due. The index must begin with these fields. Default: all records. */
  readonly where?: Where;
  readonly everyMs: number;
  readonly atOnce?: number;
  /** Makes the command context of one change. Default: a new context. */
  call?(calls: Calls, record: Doc): OperationContext;
}

interface Decided<Doc extends Timed<Field>, Event extends DomainEvent, Field extends string>
  extends Due<Doc, Event, Field> {
  /** Returns the events for a due record, or none if it is not or no longer due. Pure. */
  decide(before: Doc, now: number): readonly NoInfer<Event>[];
}

interface Changed<Doc extends Timed<Field>, Event extends DomainEvent, Field extends string, Service>
  extends Due<Doc, Event, Field> {
  /** Service that changes the record. For kinds that have to consult something outside first. */
  readonly through: Type<Service>;
  change(service: Service, call: OperationContext, record: Doc): Promise<unknown>;
}

/** Changes each record of a kind soon after it is due, in one process. Returns a provider for the record's slice. */
export function due<Doc extends Timed<Field>, Event extends DomainEvent, Field extends string, Service = CommandRunner>(
  declared: Decided<Doc, Event, Field> | Changed<Doc, Event, Field, Service>,
): FactoryProvider<void> {
  const { name, record, field, where, everyMs, atOnce } = declared;
  const collection = collectionWithIndex(declared);
  return {
    provide: Symbol(`Due: ${name}`),
    inject: [DueSweeps, Calls, 'decide' in declared ? CommandRunner : declared.through],
    useFactory: (work: DueSweeps, calls: Calls, service: Service & CommandRunner) => {
      const contextOf = (one: Doc) =>
        declared.call?.(calls, one) ?? calls.once(one.workspaceId, systemActor(name), name);
      const change = (one: Doc, now: number): Promise<unknown> =>
        'decide' in declared
          ? service.change(contextOf(one), {
              aggregate: record,
              id: one.id,
              decide: (before) => (before === undefined ? [] : declared.decide(before, now)),
            })
          : declared.change(service, contextOf(one), one);
      work.add({ name, collection, field, where, atOnce, change }, everyMs);
    },
  };
}

/** @throws Error if finding due records would scan the whole collection */
function collectionWithIndex<Doc extends Timed<Field>, Event extends DomainEvent, Field extends string>({
  name,
  record: { collection },
  field,
  where = {},
}: Due<Doc, Event, Field>): string {
  const expected = [...Object.keys(where), field].join();
  if (collection?.indexes.some(({ fields }) => fields.join() === expected)) return collection.name;
  throw new Error(`${name} looks for records that are due, and their collection has no index of ${expected}.`);
}

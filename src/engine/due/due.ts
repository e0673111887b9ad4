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
  /** In log lines, and recorded as the actor that changes the records. */
  readonly name: string;
  readonly record: RecordAggregate<Doc, Event>;
  /** The field with the due time, ISO 8601; null: never. An index of its collection must end with it. */
  readonly field: Field;
  /** Only records that match are due. The index begins with these fields. Default: all. */
  readonly where?: Where;
  readonly everyMs: number;
  readonly atOnce?: number;
  /** The command context of one change. Default: a new one. */
  call?(calls: Calls, record: Doc): OperationContext;
}

interface Decided<Doc extends Timed<Field>, Event extends DomainEvent, Field extends string>
  extends Due<Doc, Event, Field> {
  /** Pure: what happens to a record that is due. No events: it is not due, or no longer. */
  decide(before: Doc, now: number): readonly NoInfer<Event>[];
}

interface Changed<Doc extends Timed<Field>, Event extends DomainEvent, Field extends string, Service>
  extends Due<Doc, Event, Field> {
  /** Changes the record through a service, because something outside has to be consulted first. */
  readonly through: Type<Service>;
  change(service: Service, call: OperationContext, record: Doc): Promise<unknown>;
}

/** Changes each record of a kind soon after it is due, in one process. A provider of the record's slice. */
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

/** @throws Error where the lookup of due records would scan the whole collection */
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

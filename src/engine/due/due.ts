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
  readonly name: string;
  readonly record: RecordAggregate<Doc, Event>;
  /**
   * Field with the due time in ISO 8601. A record with null is never due. An index of the collection must end with this
   * field.
   */
  readonly field: Field;
  /** Only records that match this condition are due. The index must begin with the fields of the condition. */
  readonly where?: Where;
  readonly everyMs: number;
  readonly atOnce?: number;
  /** Returns the context in which the record is changed. Default: a context with the system as actor. */
  call?(calls: Calls, record: Doc): OperationContext;
}

interface Decided<Doc extends Timed<Field>, Event extends DomainEvent, Field extends string>
  extends Due<Doc, Event, Field> {
  /** Returns no events if the record is no longer due. Must be pure. */
  decide(before: Doc, now: number): readonly NoInfer<Event>[];
}

interface Changed<Doc extends Timed<Field>, Event extends DomainEvent, Field extends string, Service>
  extends Due<Doc, Event, Field> {
  readonly through: Type<Service>;
  change(service: Service, call: OperationContext, record: Doc): Promise<unknown>;
}

/**
 * Returns a provider that adds the due change to `DueSweeps`. It must be among the providers of the record (see
 * `slice`).
 */
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

/** @throws Error if finding due records would scan the whole collection, for lack of an index */
function collectionWithIndex<Doc extends Timed<Field>, Event extends DomainEvent, Field extends string>({
  name,
  record: { collection },
  field,
  where = {},
}: Due<Doc, Event, Field>): string {
  const expected = [...Object.keys(where), field].join();
  if (collection?.indexes.some(({ fields }) => fields.join() === expected)) return collection.name;
  throw new Error(`${name} searches for due records, but their collection has no index of ${expected}.`);
}

import type { DomainEvent } from '../../kernel/event/event.js';
import { streamOf } from '../../kernel/event/stream-name.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import { inProject, type Reservation } from '../commands/reservation.js';
import type { RequestedName } from '../commands/reservation-requests.js';
import type { OperationContext } from '../operation/operation-context.js';

/** The value is unique in the workspace or, with `in`, in the project. */
export interface UniqueField<Doc> {
  readonly name: (name: string, holder: string) => Reservation;
  readonly field: keyof Doc & string;
  /**
   * `project` if the value is unique only in the record's project. Names are then reserved in the form that `inProject`
   * returns.
   */
  readonly in?: Doc extends { readonly projectId: string } ? 'project' : never;
  taken(name: string): never;
}

/** A value is reserved only if it was sent and differs from the current one. */
export function reserving<Doc extends Document, Event extends DomainEvent>(
  record: RecordAggregate<Doc, Event>,
  unique: UniqueField<Doc> | undefined,
) {
  if (unique === undefined) return {};
  return {
    reserves: (
      before: Doc | undefined,
      input: object,
      { workspaceId }: OperationContext,
      id: string,
    ): readonly RequestedName[] => {
      const value = (input as Readonly<Record<string, unknown>>)[unique.field];
      if (typeof value !== 'string' || value === before?.[unique.field]) return [];
      return [uniqueNameRequest(record, unique, { workspaceId, id }, value, before ?? input)];
    },
  };
}

export function uniqueNameRequest<Doc extends Document, Event extends DomainEvent>(
  { category }: RecordAggregate<Doc, Event>,
  unique: UniqueField<Doc>,
  { workspaceId, id }: Document,
  value: string,
  projectSource: object,
): RequestedName {
  const name = unique.in === 'project' ? inProject(projectOf(projectSource), value) : value;
  return { reservation: unique.name(name, streamOf(category, workspaceId, id)), taken: () => unique.taken(value) };
}

const projectOf = (record: object) => String((record as { readonly projectId?: string }).projectId);

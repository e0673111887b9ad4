import type { DomainEvent } from '../../kernel/event/event.js';
import { streamOf } from '../../kernel/event/stream-name.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import { inProject, type Reservation } from '../commands/reservation.js';
import type { WantedName } from '../commands/reservation-requests.js';
import type { Call } from '../operation/call.js';

/** A field by which a record is unique in its workspace or, where it says so, in its project. */
export interface UniqueField<Doc> {
  /** Made by `uniqueName`. */
  readonly name: (name: string, holder: string) => Reservation;
  readonly field: keyof Doc & string;
  /** What `uniqueName` makes the name of is `inProject`. */
  readonly in?: Doc extends { readonly projectId: string } ? 'project' : never;
  /** Refuses a name that another record goes by. */
  taken(name: string): never;
}

/** The part of a record command that takes the name, where it is sent and not the record's own. */
export function reserving<Doc extends Document, Event extends DomainEvent>(
  record: RecordAggregate<Doc, Event>,
  unique: UniqueField<Doc> | undefined,
) {
  if (unique === undefined) return {};
  return {
    reserves: (before: Doc | undefined, input: object, { workspaceId }: Call, id: string): readonly WantedName[] => {
      const wanted = (input as Readonly<Record<string, unknown>>)[unique.field];
      if (typeof wanted !== 'string' || wanted === before?.[unique.field]) return [];
      return [wantedName(record, unique, { workspaceId, id }, wanted, before ?? input)];
    },
  };
}

export function wantedName<Doc extends Document, Event extends DomainEvent>(
  { category }: RecordAggregate<Doc, Event>,
  unique: UniqueField<Doc>,
  { workspaceId, id }: Document,
  wanted: string,
  inWhich: object,
): WantedName {
  const name = unique.in === 'project' ? inProject(projectOf(inWhich), wanted) : wanted;
  return { reservation: unique.name(name, streamOf(category, workspaceId, id)), taken: () => unique.taken(wanted) };
}

const projectOf = (record: object) => String((record as { readonly projectId?: string }).projectId);

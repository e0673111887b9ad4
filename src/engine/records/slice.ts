import type { Provider } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/event/event.js';
import { type OwnedKind, ownersOf } from '../../kernel/record/owners.js';
import type { Document, Projection } from '../../kernel/record/projection.js';
import { type RecordAggregate, recordsProjection } from '../../kernel/record/record.js';
import { type Dependent, endsWithOwners } from '../ownership/dependents.js';

/** A noun: the record it is kept as, and what answers its operations. */
interface Noun {
  readonly record?: OwnedKind;
  readonly projections: readonly Projection[];
  readonly providers: readonly Provider[];
}

/** A line of an area's table of contents: a noun, or something else that the area provides. */
export type Slice = Noun | Provider;

/**
 * A noun that is kept as a record: its read model follows from the record's declaration. `end`: what ends one with its owners.
 * Left out, the noun's own deletion does, or `endsWithOwners(…)` among the providers of a record that is no noun.
 */
export function slice<Doc extends Document, Event extends DomainEvent>(
  record: RecordAggregate<Doc, Event> & { deleted?(before: Doc): readonly Event[] },
  providers: readonly Provider[] = [],
  // What a deletion takes beside the record are remarks, and not the owner.
  end: Dependent<Doc, Event>['end'] | undefined = record.deleted && ((before) => record.deleted?.(before) ?? []),
): Noun {
  const { category, collection } = record;
  if (collection === undefined) throw new Error(`The record ${category} says nothing of its collection.`);
  const ending = end === undefined || ownersOf(record).length === 0 ? [] : [endsWithOwners(record, end)];
  return { record, projections: [recordsProjection(record, collection)], providers: [...providers, ...ending] };
}

export function providersOf(slices: readonly Slice[]): readonly Provider[] {
  return slices.flatMap((one) => (isNoun(one) ? one.providers : [one]));
}

/** The read models of an area's records. */
export function projectionsOf(area: string, slices: readonly Slice[]): readonly Projection[] {
  return slices.flatMap((one) => (isNoun(one) ? one.projections : [])).map((one) => ({ ...one, area }));
}

/** The kinds of records of these areas. */
export const recordsOf = (slices: readonly Slice[]): readonly OwnedKind[] =>
  slices.flatMap((one) => (isNoun(one) && one.record !== undefined ? [one.record] : []));

const isNoun = (one: Slice): one is Noun => 'projections' in one;

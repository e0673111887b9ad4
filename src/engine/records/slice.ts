import type { Provider } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { OwnedKind } from '../../kernel/record/owners.js';
import type { Document, Projection } from '../../kernel/record/projection.js';
import { type RecordAggregate, recordsProjection } from '../../kernel/record/record.js';

/** A noun: the record it is kept as, and what answers its operations. */
interface Noun {
  readonly record?: OwnedKind;
  readonly projections: readonly Projection[];
  readonly providers: readonly Provider[];
}

/** A line of an area's table of contents: a noun, or something else that the area provides. */
export type Slice = Noun | Provider;

/** A noun that is kept as a record: its read model follows from the record's declaration. */
export function slice<Doc extends Document, Event extends DomainEvent>(
  record: RecordAggregate<Doc, Event>,
  providers: readonly Provider[] = [],
): Noun {
  const { category, collection } = record;
  if (collection === undefined) throw new Error(`The record ${category} says nothing of its collection.`);
  return { record, projections: [recordsProjection(record, collection)], providers };
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

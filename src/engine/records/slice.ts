import type { Provider } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/event/event.js';
import { type OwnedKind, ownersOf } from '../../kernel/record/owners.js';
import type { Document, Projection } from '../../kernel/record/projection.js';
import { type RecordAggregate, recordsProjection } from '../../kernel/record/record.js';
import { type Dependent, endsWithOwners } from '../ownership/dependents.js';

interface Noun {
  readonly record?: OwnedKind;
  readonly projections: readonly Projection[];
  readonly providers: readonly Provider[];
}

export type Slice = Noun | Provider;

/**
 * @param end returns the events that delete the record when its owner is deleted. Default: `record.deleted`. A record
 * without `deleted` can have `endsWithOwners(…)` among its `providers` instead.
 */
export function slice<Doc extends Document, Event extends DomainEvent>(
  record: RecordAggregate<Doc, Event> & { deleted?(before: Doc): readonly Event[] },
  providers: readonly Provider[] = [],
  // Passes only `before`. The second argument of `end` is the owner, but the second parameter of `deleted` is not.
  end: Dependent<Doc, Event>['endEvents'] | undefined = record.deleted && ((before) => record.deleted?.(before) ?? []),
): Noun {
  const { category, collection } = record;
  if (collection === undefined) throw new Error(`The record ${category} declares no collection.`);
  const ending = end === undefined || ownersOf(record).length === 0 ? [] : [endsWithOwners(record, end)];
  return { record, projections: [recordsProjection(record, collection)], providers: [...providers, ...ending] };
}

export function providersOf(slices: readonly Slice[]): readonly Provider[] {
  return slices.flatMap((one) => (isNoun(one) ? one.providers : [one]));
}

export function projectionsOf(area: string, slices: readonly Slice[]): readonly Projection[] {
  return slices.flatMap((one) => (isNoun(one) ? one.projections : [])).map((one) => ({ ...one, area }));
}

export const recordsOf = (slices: readonly Slice[]): readonly OwnedKind[] =>
  slices.flatMap((one) => (isNoun(one) && one.record !== undefined ? [one.record] : []));

const isNoun = (one: Slice): one is Noun => 'projections' in one;

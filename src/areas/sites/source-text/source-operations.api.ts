import type { Type } from '@nestjs/common';
import { shown } from '../../../engine/operation/shown.js';
import { showsFields } from '../../../engine/records/record-views.js';
import { asks, does } from '../../../engine/records/rule.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { RecordAggregate } from '../../../kernel/record/record.js';
import type { EditSource, ReadSource, SearchSource } from './source-shapes.api.js';
import { type EditedSource, type SourceRecord, Sources } from './sources.api.js';

type Kind<Doc extends SourceRecord, Event extends DomainEvent> = RecordAggregate<Doc, Event>;

/** A query for one page, component or template, with its content. */
export function getsSource<
  Input extends { readonly id: string },
  Doc extends SourceRecord,
  Event extends DomainEvent,
  Answer extends object,
>(
  input: Type<Input>,
  kind: Kind<Doc, Event>,
  shows: new () => Answer,
  beside: (record: Doc) => Partial<Answer> = () => ({}),
): Type<object> {
  showsFields(kind, shows, 'get', beside);
  return asks(input, Sources, async (sources, { id }, call) => {
    const record = await sources.whole(call, kind, id);
    return shown(shows, { ...record, ...beside(record) });
  });
}

/** A query for numbered lines. */
export function readsSource<Input extends ReadSource, Doc extends SourceRecord, Event extends DomainEvent>(
  input: Type<Input>,
  kind: Kind<Doc, Event>,
): Type<object> {
  return asks(input, Sources, (sources, sent, call) => sources.numbered(call, kind, sent));
}

/** A query for matching lines. */
export function searchesSource<Input extends SearchSource, Doc extends SourceRecord, Event extends DomainEvent>(
  input: Type<Input>,
  kind: Kind<Doc, Event>,
): Type<object> {
  return asks(input, Sources, (sources, sent, call) => sources.matches(call, kind, sent));
}

/** A command that replaces an exact text. `edited`: the events that record the new content. */
export function editsSource<Input extends EditSource, Doc extends SourceRecord, Event extends DomainEvent>(
  input: Type<Input>,
  kind: Kind<Doc, Event>,
  edited: EditedSource<Doc, Event>,
): Type<object> {
  return does(input, Sources, (sources, sent, call) => sources.edit(call, kind, sent, edited));
}

import type { DomainEvent } from '../../kernel/event/event.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import { mapTexts, type ReadText } from '../../kernel/text/text.js';
import { shown } from '../operation/shown.js';

/** A record as its answers show it, made of its state alone; null: to answers it is not there. `read` gives its texts. Must be pure. */
export type RecordView<Doc extends Document> = (record: Doc, read: ReadText) => object | null;

/** Where a kind's view is known from; the last of them counts. A `view` is declared for the kind itself. */
const strengths = ['list', 'command', 'get', 'view'] as const;
type Strength = (typeof strengths)[number];

interface Known {
  readonly strength: number;
  readonly view: RecordView<Document>;
}

const known = new Map<string, Known>();

/**
 * Declares how answers show a kind of record, for whatever shows records of other times than now. Fields of the answer
 * that are no fields of the record, such as counts of other records, are not part of it: they are left out.
 */
export function showsAs<Doc extends Document, Event extends DomainEvent>(
  kind: RecordAggregate<Doc, Event>,
  view: RecordView<NoInfer<Doc>>,
): void {
  enter(kind.category, 'view', view as unknown as RecordView<Document>);
}

/** The fields of this answer that the record has, with its texts. */
export function showsFields<Doc extends Document, Event extends DomainEvent>(
  kind: RecordAggregate<Doc, Event>,
  shows: new () => object,
  from: Strength = 'view',
  beside?: (record: NoInfer<Doc>) => object,
): void {
  enter(kind.category, from, (record, read) =>
    shown(shows, { ...mapTexts(kind.texts ?? [], record, read), ...beside?.(record as Doc) }),
  );
}

/** A kind that no answer shows: its fields, without those that it says are inner. */
export function recordShown<Doc extends Document, Event extends DomainEvent>(
  kind: RecordAggregate<Doc, Event>,
  record: Doc,
  read: ReadText,
): object | null {
  const declared = known.get(kind.category);
  if (declared !== undefined) return declared.view(record, read);
  const { workspaceId: _, ...fields } = mapTexts(kind.texts ?? [], record, read);
  return kind.inner === undefined ? fields : (without(kind.inner, fields) as object);
}

function without(inner: readonly string[], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => without(inner, item));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !inner.includes(name));
  return Object.fromEntries(members.map(([name, member]) => [name, without(inner, member)]));
}

function enter(category: string, from: Strength, view: RecordView<Document>): void {
  const strength = strengths.indexOf(from);
  const before = known.get(category);
  if (before === undefined || before.strength <= strength) known.set(category, { strength, view });
}

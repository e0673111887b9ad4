import type { DomainEvent } from '../../kernel/event/event.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import { mapTexts, type ReadText } from '../../kernel/text/text.js';
import { shown } from '../operation/shown.js';

/**
 * Must be pure. Returns null if responses treat a record in this state as missing. `read` returns the record's texts.
 */
export type RecordView<Doc extends Document> = (record: Doc, read: ReadText) => object | null;

const strengths = ['list', 'command', 'get', 'view'] as const;
type Strength = (typeof strengths)[number];

interface DeclaredView {
  readonly strength: number;
  readonly view: RecordView<Document>;
}

const known = new Map<string, DeclaredView>();

/**
 * Declares the form in which the audit shows earlier states of such a record. Members of a response that are not in the
 * record, such as counts of other records, are left out.
 */
export function showsAs<Doc extends Document, Event extends DomainEvent>(
  kind: RecordAggregate<Doc, Event>,
  view: RecordView<NoInfer<Doc>>,
): void {
  register(kind.category, 'view', view as unknown as RecordView<Document>);
}

export function showsFields<Doc extends Document, Event extends DomainEvent>(
  kind: RecordAggregate<Doc, Event>,
  shows: new () => object,
  from: Strength = 'view',
  beside?: (record: NoInfer<Doc>) => object,
): void {
  register(kind.category, from, (record, read) =>
    shown(shows, { ...mapTexts(kind.texts ?? [], record, read), ...beside?.(record as Doc) }),
  );
}

/**
 * Returns null if the declared view treats the record as missing. If the kind has no view, shows all fields except
 * internal ones.
 */
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

function register(category: string, from: Strength, view: RecordView<Document>): void {
  const strength = strengths.indexOf(from);
  const before = known.get(category);
  if (before === undefined || before.strength <= strength) known.set(category, { strength, view });
}

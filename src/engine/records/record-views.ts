import type { DomainEvent } from '../../kernel/event/event.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import { mapTexts, type ReadText } from '../../kernel/text/text.js';
import { shown } from '../operation/shown.js';

/**
 * Shows a state of a record as responses do. Returns null if responses treat a record in this state as missing. `read`
 * returns the record's texts. Must be pure.
 */
export type RecordView<Doc extends Document> = (record: Doc, read: ReadText) => object | null;

/**
 * Declarations that determine how a kind of record is shown, from the weakest to the strongest: the responses of a
 * list, a command and a get operation, and an explicit view.
 */
const strengths = ['list', 'command', 'get', 'view'] as const;
type Strength = (typeof strengths)[number];

interface DeclaredView {
  readonly strength: number;
  readonly view: RecordView<Document>;
}

const known = new Map<string, DeclaredView>();

/**
 * Declares how responses show a kind of record. The audit can then show the record's earlier states in the same form.
 * Members of a response that are not in the record, such as counts of other records, are left out.
 */
export function showsAs<Doc extends Document, Event extends DomainEvent>(
  kind: RecordAggregate<Doc, Event>,
  view: RecordView<NoInfer<Doc>>,
): void {
  register(kind.category, 'view', view as unknown as RecordView<Document>);
}

/** Declares a view that consists of the record's fields that this response has, including large texts. */
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
 * Shows a state of a record in its declared view, or returns null if that view treats the record as missing. If its
 * kind has no view, shows all fields except internal ones.
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

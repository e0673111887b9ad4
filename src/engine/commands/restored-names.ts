import type { DomainEvent } from '../../kernel/event/event.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import type { OperationContext } from '../operation/operation-context.js';
import type { RequestedName } from './reservation-requests.js';

type NamesOf<Doc extends Document> = (record: Doc, call: OperationContext) => readonly RequestedName[];

const known = new Map<string, NamesOf<Document>>();

export function reservesOnRestore<Doc extends Document, Event extends DomainEvent>(
  { category }: RecordAggregate<Doc, Event>,
  names: NamesOf<NoInfer<Doc>>,
): void {
  known.set(category, names as unknown as NamesOf<Document>);
}

export function restoredNames(category: string, record: Document, call: OperationContext): readonly RequestedName[] {
  return known.get(category)?.(record, call) ?? [];
}

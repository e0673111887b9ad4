import { command, query } from '../../../engine/operation/bound-operation.js';
import type { OperationName, OperationSpec } from '../../../engine/operation/operation.js';
import { showsFields } from '../../../engine/records/record-views.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { RecordAggregate } from '../../../kernel/record/record.js';
import {
  DeletedInUse,
  deleteSource,
  editSource,
  NumberedSource,
  Replaced,
  readSourceFields,
  SourceMatches,
  searchSource,
} from './source-shapes.api.js';
import { SourceUses } from './source-uses.api.js';
import { type EditedSource, type SourceRecord, Sources } from './sources.api.js';

interface Common<Doc extends SourceRecord, Event extends DomainEvent> extends Pick<OperationSpec, 'source' | 'group'> {
  /** The noun with its article: `a page`. */
  readonly one: string;
  readonly edited: EditedSource<Doc, Event>;
}

export function sourceOperations<Doc extends SourceRecord & { readonly projectId: string }, Event extends DomainEvent>(
  kind: RecordAggregate<Doc, Event>,
  { one, edited, source, group }: Common<Doc, Event>,
) {
  const reads = { source, group, tools: 'granted', permission: 'site.read', inject: [Sources] } as const;
  const edits = { source, group, tools: 'granted', permission: 'site.edit' } as const;
  return {
    /** `shape` also determines which fields of the record the audit shows. */
    get(name: OperationName, shape: new () => object, beside: (record: Doc) => object = () => ({})) {
      showsFields(kind, shape, 'view', beside);
      return query(name, {
        ...reads,
        summary: `Returns ${one} with its content.`,
        answers: { record: shape },
        input: { id: idField },
        handle: async ({ id }, call, sources) => {
          const record = await sources.whole(call, kind, id);
          return { ...record, ...beside(record) };
        },
      });
    },

    read: (name: OperationName) =>
      query(name, {
        ...reads,
        summary: `Returns lines of ${one}, each with its line number.`,
        answers: { record: NumberedSource },
        input: readSourceFields,
        handle: (sent, call, sources) => sources.numbered(call, kind, sent),
      }),

    search: (name: OperationName) =>
      query(name, {
        ...reads,
        summary: `Finds the lines of ${one} that match a regular expression or contain a text.`,
        answers: { record: SourceMatches },
        input: searchSource,
        handle: (sent, call, sources) => sources.matches(call, kind, sent),
      }),

    edit: (name: OperationName) =>
      command(name, {
        ...edits,
        summary: `Replaces an exact text in ${one}.`,
        body: 'large',
        answers: { record: Replaced },
        input: editSource,
        inject: [Sources],
        handle: (sent, call, sources) => sources.edit(call, kind, sent, edited),
      }),

    /** The response lists the sources whose code still names the deleted record. */
    remove: (
      name: OperationName,
      {
        decide,
        mentionedIn,
      }: {
        decide(record: Doc, message?: string): readonly NoInfer<Event>[];
        mentionedIn(record: Doc): (code: string) => number | undefined;
      },
    ) =>
      command(name, {
        ...edits,
        summary: `Deletes ${one}. It can be restored by an undo or from a snapshot.`,
        takesAway: true,
        answers: { record: DeletedInUse },
        input: deleteSource,
        inject: [SourceUses],
        handle: ({ id, commitMessage }, call, uses) =>
          uses.delete(call, kind, id, { decide: (record) => decide(record, commitMessage), mentionedIn }),
      }),
  };
}

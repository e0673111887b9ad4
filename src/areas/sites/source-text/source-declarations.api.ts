import { type OperationSpec, success } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { messageField, NumberedSource, Replaced, SourceMatches } from './source-shapes.api.js';

interface Words {
  /** The section of the contract. */
  readonly source: string;
  readonly group: string;
  /** `a page` */
  readonly one: string;
  /** `pages` */
  readonly several: string;
}

type Row = new () => object;

/** What the operations of pages, components and templates say alike of themselves. */
export function sourceDeclarations({ source, group, one, several }: Words) {
  const asks = { source, group, tools: 'granted', effect: 'query', permission: 'site.read' } as const;
  const changes = { source, group, tools: 'granted', effect: 'command', permission: 'site.edit' } as const;
  return {
    lists: (row: Row, order = ', the oldest first'): OperationSpec => ({
      ...asks,
      summary: `Lists the ${several} of a project${order}, without their content.`,
      within: 'project',
      answers: { list: row },
    }),
    gets: (record: Row): OperationSpec => ({
      ...asks,
      summary: `Returns ${one} with its content.`,
      answers: { record },
    }),
    creates: (record: Row, summary: string): OperationSpec => ({
      ...changes,
      summary,
      within: 'project',
      body: 'large',
      answers: { record },
    }),
    updates: (record: Row): OperationSpec => ({
      ...changes,
      summary: `Updates ${one}.`,
      body: 'large',
      answers: { record },
    }),
    deletes: (answers: OperationSpec['answers'] = success): OperationSpec => ({
      ...changes,
      summary: `Deletes ${one}; an undo or a snapshot brings it back.`,
      takesAway: true,
      answers,
    }),
    reads: {
      ...asks,
      summary: `Returns lines of ${one}, each after its number.`,
      answers: { record: NumberedSource },
    },
    edits: {
      ...changes,
      summary: `Replaces a text that stands in ${one} exactly as sent.`,
      body: 'large',
      answers: { record: Replaced },
    },
    searches: {
      ...asks,
      summary: `Finds the lines of ${one} that a text or a regular expression matches.`,
      answers: { record: SourceMatches },
    },
  } as const;
}

/** What listPages and its like take. */
export class SourcesOfProject {
  @Field(idField) projectId!: string;
}

/** What getPage and its like take. */
export class OneSource {
  @Field(idField) id!: string;
}

/** What deletePage and its like take. */
export class DeletedSource {
  @Field(idField) id!: string;
  @Field(messageField) commitMessage?: string;
}

import { Operation, success } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import { TableRecord } from '../table/table-shapes.api.js';

const source = 'Supplementary, bases';
const group = 'bases';
const asks = { source, group, tools: 'granted', effect: 'query', permission: 'site.read' } as const;
const changes = { source, group, tools: 'granted', effect: 'command', permission: 'site.edit' } as const;
const description = { type: 'string', maxLength: 2_000, optional: true } as const;

export class BaseRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', nullable: true }) description!: string | null;
  @Field({ type: 'string', nullable: true, description: 'The project that the base belongs to; null: none.' })
  projectId!: string | null;
  @Field({ type: 'string' }) createdAt!: string;
  @Field({ type: 'array', items: () => TableRecord }) tables!: readonly TableRecord[];
}

@Operation('bases/listBases', {
  ...asks,
  summary: 'Lists the bases of the workspace with their tables, the oldest first.',
  answers: { list: BaseRecord },
})
export class ListBases {}

@Operation('bases/getBase', { ...asks, summary: 'Returns a base with its tables.', answers: { record: BaseRecord } })
export class GetBase {
  @Field(idField) id!: string;
}

@Operation('bases/createBase', {
  ...changes,
  summary: 'Creates a base that belongs to no project. A project gets its own when it is created.',
  answers: { record: BaseRecord },
})
export class CreateBase {
  @Field(nameField) name!: string;
  @Field(description) description?: string;
}

@Operation('bases/updateBase', {
  ...changes,
  summary: 'Updates a base.',
  answers: { record: BaseRecord },
})
export class UpdateBase {
  @Field(idField) id!: string;
  @Field({ ...nameField, optional: true }) name?: string;
  @Field(description) description?: string;
}

@Operation('bases/deleteBase', {
  ...changes,
  summary: "Deletes a base with its tables and rows, for good. A project's base is deleted with the project alone.",
  takesAway: true,
  outside: ['destroys rows for good'],
  answers: success,
})
export class DeleteBase {
  @Field(idField) id!: string;
}

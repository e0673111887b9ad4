import { Operation } from '../../../engine/operation/operation.js';
import { creates, lists, updates } from '../../../engine/records/record-operations.js';
import { does } from '../../../engine/records/rule.js';
import { Field } from '../../../kernel/field/field.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import {
  DeletedSource,
  OneSource,
  SourcesOfProject,
  sourceDeclarations,
} from '../source-text/source-declarations.api.js';
import { editsSource, getsSource, readsSource, searchesSource } from '../source-text/source-operations.api.js';
import { contentField, EditSource, messageField, ReadSource, SearchSource } from '../source-text/source-shapes.api.js';
import { DeletedInUse, SourceUses } from '../source-text/source-uses.api.js';
import { componentUpdated, createComponent, deleteComponent, nameWarning, updateComponent } from './component.js';
import { type Component, type ComponentType, componentName, components, componentTypes } from './component.record.js';
import { importsOf } from './imports-of.js';

const declares = sourceDeclarations({
  source: 'Sites API, Pages and components',
  group: 'components',
  one: 'a component',
  several: 'components',
});
const description = { type: 'string', maxLength: 2_000, optional: true } as const;
const type = { type: 'string', enum: componentTypes, optional: true } as const;
const flag = { type: 'boolean', optional: true } as const;

export class ComponentRow {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string', description: 'Unique in the project: `import Hero from "@/components/Hero"`.' })
  name!: string;
  @Field({ type: 'string', nullable: true }) description!: string | null;
  @Field({ type: 'string', enum: componentTypes }) type!: ComponentType;
  @Field({ type: 'boolean' }) isGlobal!: boolean;
  @Field({ type: 'string' }) createdAt!: string;
  @Field({ type: 'string' }) updatedAt!: string;
}

export class ComponentRecord extends ComponentRow {
  @Field({ type: 'string' }) content!: string;
}

/** The answer of `createComponent` and `updateComponent`. */
export class KeptComponent extends ComponentRow {
  @Field({ type: 'string', optional: true, description: 'There is one when the name is not in PascalCase.' })
  warning?: string;
}

@Operation('site/listComponents', declares.lists(ComponentRow))
export class ListComponents extends SourcesOfProject {}

@Operation('site/getComponent', declares.gets(ComponentRecord))
export class GetComponent extends OneSource {}

@Operation(
  'site/createComponent',
  declares.creates(KeptComponent, 'Creates a component, which pages import by its name.'),
)
export class CreateComponent {
  @Field(idField) projectId!: string;
  @Field({ ...nameField, description: 'In PascalCase.' }) name!: string;
  @Field(description) description?: string;
  @Field({ ...type, default: 'custom' }) type?: ComponentType;
  @Field({ ...contentField, optional: true }) content?: string;
  @Field(flag) isGlobal?: boolean;
  @Field(messageField) commitMessage?: string;
}

@Operation('site/updateComponent', declares.updates(KeptComponent))
export class UpdateComponent {
  @Field(idField) id!: string;
  @Field({ ...nameField, optional: true }) name?: string;
  @Field(description) description?: string;
  @Field({ ...contentField, optional: true }) content?: string;
  @Field(type) type?: ComponentType;
  @Field(messageField) commitMessage?: string;
  @Field(flag) isGlobal?: boolean;
}

@Operation('site/deleteComponent', declares.deletes({ record: DeletedInUse }))
export class DeleteComponent extends DeletedSource {}

@Operation('site/readComponent', declares.reads)
export class ReadComponent extends ReadSource {}

@Operation('site/editComponent', declares.edits)
export class EditComponent extends EditSource {}

@Operation('site/searchComponent', declares.searches)
export class SearchComponent extends SearchSource {}

const unique = {
  name: componentName,
  field: 'name',
  in: 'project',
  taken: (name: string) => refuse('component-name-taken', { name }),
} as const;
const answer = {
  shows: KeptComponent,
  beside: ({ name }: Component) => {
    const warning = nameWarning(name);
    return warning === undefined ? {} : { warning };
  },
};

export const componentHandlers = [
  lists(ListComponents, components, { where: ({ projectId }) => ({ projectId }), shows: ComponentRow }),
  getsSource(GetComponent, components, ComponentRecord),
  creates(CreateComponent, components, { prefix: 'comp', unique, decide: createComponent, ...answer }),
  updates(UpdateComponent, components, {
    unique,
    decide: (component, { id: _, ...sent }) => updateComponent(component, sent),
    ...answer,
  }),
  does(DeleteComponent, SourceUses, (uses, { id, commitMessage }, call) =>
    uses.delete(call, components, id, {
      decide: (component) => deleteComponent(component, commitMessage),
      mentionedIn:
        ({ name }) =>
        (source) =>
          importsOf(source).get(name),
    }),
  ),
  readsSource(ReadComponent, components),
  editsSource(EditComponent, components, componentUpdated),
  searchesSource(SearchComponent, components),
];

import { resource } from '../../../engine/records/resource.js';
import { refuse } from '../sites.refusals.js';
import { sourceOperations } from '../source-text/source-operations.api.js';
import { messageField } from '../source-text/source-shapes.api.js';
import { createComponent, deleteComponent, nameWarning, updateComponent } from './component.js';
import { componentName, components } from './component.record.js';
import { importsOf } from './imports-of.js';

const declared = { source: 'Sites API, Pages and components', group: 'components', tools: 'granted' } as const;
const saved = { body: 'large', input: { commitMessage: messageField } } as const;

const component = resource(components, {
  ...declared,
  reads: 'site.read',
  edits: 'site.edit',
  id: 'comp',
  answer: { called: 'ComponentRow', also: { createdAt: { type: 'string' }, updatedAt: { type: 'string' } }, dates: [] },
  unique: {
    name: componentName,
    field: 'name',
    in: 'project',
    taken: (name) => refuse('component-name-taken', { name }),
  },
});
const source = sourceOperations(components, { ...declared, one: 'a component', edited: updateComponent });

const withWarning = {
  answers: {
    record: component.shapeWith('KeptComponent', {
      warning: { type: 'string', optional: true, description: 'Present if the name is not in PascalCase.' },
    }),
  },
  answer: ({ name }: { readonly name: string }) => {
    const warning = nameWarning(name);
    return warning === undefined ? {} : { warning };
  },
} as const;

export const componentOperations = [
  component.list('site/listComponents', {
    summary: 'Lists the components of a project, oldest first, without their content.',
  }),
  source.get('site/getComponent', component.shapeWith('ComponentRecord', { content: { type: 'string' } })),
  component.create('site/createComponent', {
    ...withWarning,
    summary: 'Creates a component, which pages can import by its name.',
    ...saved,
    decide: createComponent,
  }),
  component.update('site/updateComponent', {
    ...withWarning,
    summary: 'Updates a component.',
    ...saved,
    order: ['id', 'name', 'description', 'content', 'type', 'commitMessage', 'isGlobal'],
    decide: updateComponent,
  }),
  source.remove('site/deleteComponent', {
    decide: deleteComponent,
    mentionedIn:
      ({ name }) =>
      (code) =>
        importsOf(code).get(name),
  }),
  source.read('site/readComponent'),
  source.edit('site/editComponent'),
  source.search('site/searchComponent'),
];

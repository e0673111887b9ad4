import { inProject, uniqueName } from '../../../engine/commands/reservation.js';
import { boolean, id, largeText, name, oneOf, text } from '../../../kernel/noun/fields.js';
import { noun } from '../../../kernel/noun/noun.js';
import type { CreateInput, NounEvents, RecordOf, UpdateInput } from '../../../kernel/noun/noun-types.js';
import { refuse } from '../sites.refusals.js';
import { contentLimit } from '../snapshot/snapshot.record.js';

export const componentTypes = ['custom', 'layout', 'ui', 'data'] as const;
export type ComponentType = (typeof componentTypes)[number];

const fields = {
  projectId: id().key(),
  name: name().describe({
    create: 'In PascalCase. Unique in the project.',
    answer: 'Unique in the project. Imported as in `import Hero from "@/components/Hero"`.',
  }),
  description: text({ maxLength: 2_000 }).nullable(),
  type: oneOf(...componentTypes).default('custom'),
  content: largeText(contentLimit).initially('').internal(),
  isGlobal: boolean().initially(false),
  message: text().remark(),
};

const events = { created: 'ComponentCreated', changed: 'ComponentUpdated', deleted: 'ComponentDeleted' } as const;

export type ComponentEvent = NounEvents<typeof fields, typeof events>;
export type NewComponent = CreateInput<typeof fields>;
export type ComponentInput = UpdateInput<typeof fields>;
export interface Component extends RecordOf<typeof fields> {
  readonly updatedAt: string;
}

export const components = noun<Component, ComponentEvent>()({
  kind: 'component',
  fields,
  events,
  auditedFor: 'site.read',
  shownBy: 'site/getComponent',
  of: { project: 'projectId' },
  undoing: {
    sets: ['site/updateComponent'],
    makes: 'site/createComponent',
    ends: 'site/deleteComponent',
    returns: { type: 'ComponentRestored' },
  },
  missing: () => refuse('component-not-found'),
  collection: { name: 'components', version: 1, indexes: [{ fields: ['workspaceId', 'projectId', 'createdAt'] }] },
  updatedAt: true,
});

export const componentName = uniqueName('componentName', components, ({ projectId, name }: Component) =>
  inProject(projectId, name),
);

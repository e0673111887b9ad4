import { inProject, uniqueName } from '../../../engine/commands/reservation.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import type { Text } from '../../../kernel/text/text.js';

export const componentTypes = ['custom', 'layout', 'ui', 'data'] as const;
export type ComponentType = (typeof componentTypes)[number];

export interface ComponentFacts {
  readonly projectId: string;
  /** Unique in the project; pages import it by this name. */
  readonly name: string;
  readonly description: string | null;
  readonly type: ComponentType;
  /** TSX; empty: nothing yet. */
  readonly content: Text;
  readonly isGlobal: boolean;
}

/** `message`: what the caller said of the change; the snapshot that it makes is labelled with it. */
interface Said {
  readonly message: string | null;
}

export type ComponentEvent =
  | DomainEvent<'ComponentCreated', ComponentFacts & Said>
  | DomainEvent<'ComponentUpdated', Partial<ComponentFacts> & Pick<ComponentFacts, 'projectId'> & Said>
  | DomainEvent<'ComponentDeleted', { readonly projectId: string } & Said>;

export interface Component extends Document, ComponentFacts {
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const components = plainRecord<Component, ComponentEvent>()({
  category: 'component',
  auditedFor: 'site.read',
  shownBy: 'site/getComponent',
  within: 'project',
  of: { project: 'projectId' },
  texts: ['content'],
  undoing: {
    sets: ['site/updateComponent'],
    makes: 'site/createComponent',
    ends: 'site/deleteComponent',
    returns: { type: 'ComponentRestored' },
  },
  missing: () => refuse('component-not-found'),
  collection: { name: 'components', version: 1, indexes: [{ fields: ['workspaceId', 'projectId', 'createdAt'] }] },
  updatedAt: true,
  begins: { ComponentCreated: ({ data: { message: _, ...facts } }) => facts },
  ends: ['ComponentDeleted'],
  also: { ComponentUpdated: (_, { data: { message: __, ...changed } }) => changed },
});

export const componentName = uniqueName('componentName', components, ({ projectId, name }: Component) =>
  inProject(projectId, name),
);

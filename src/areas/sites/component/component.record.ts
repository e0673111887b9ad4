import { uniqueName } from '../../../engine/reservation.js';
import type { DomainEvent } from '../../../kernel/event.js';
import { plainRecord } from '../../../kernel/plain-record.js';
import type { Document } from '../../../kernel/projection.js';
import { refuse } from '../../../kernel/refusal.js';

export const componentTypes = ['custom', 'layout', 'ui', 'data'] as const;
export type ComponentType = (typeof componentTypes)[number];

interface ComponentFacts {
  readonly projectId: string;
  /** Unique in the project; pages import it by this name. */
  readonly name: string;
  readonly description: string | null;
  readonly type: ComponentType;
  /** TSX; null: nothing yet. */
  readonly content: string | null;
  readonly isGlobal: boolean;
}

export type ComponentEvent =
  | DomainEvent<'ComponentCreated', ComponentFacts>
  | DomainEvent<'ComponentUpdated', Partial<ComponentFacts>>
  | DomainEvent<'ComponentDeleted', { readonly projectId: string }>;

export interface Component extends Document, ComponentFacts {
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const components = plainRecord<Component, ComponentEvent>()({
  category: 'component',
  auditedFor: 'site.read',
  within: 'project',
  missing: () => refuse('component-not-found'),
  collection: { name: 'components', version: 1, indexes: [{ fields: ['workspaceId', 'projectId', 'createdAt'] }] },
  updatedAt: true,
  begins: { ComponentCreated: {} },
  merges: ['ComponentUpdated'],
  ends: ['ComponentDeleted'],
  also: {},
});

export const componentName = uniqueName(
  'componentName',
  components,
  (component: Component) => `${component.projectId} ${component.name}`,
);

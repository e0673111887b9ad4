import { differingSource } from '../source-text/differing-source.api.js';
import type { Component, ComponentEvent, ComponentFacts, ComponentType } from './component.record.js';

/** What a caller may send of a component. */
export interface ComponentInput {
  readonly name?: string;
  readonly description?: string;
  readonly type?: ComponentType;
  readonly content?: string;
  readonly isGlobal?: boolean;
  readonly commitMessage?: string;
}

export function createComponent(
  input: ComponentInput & { readonly projectId: string; readonly name: string },
): readonly ComponentEvent[] {
  const facts: ComponentFacts = {
    projectId: input.projectId,
    name: input.name,
    description: input.description ?? null,
    type: input.type ?? 'custom',
    content: input.content ?? '',
    isGlobal: input.isGlobal ?? false,
  };
  return [{ type: 'ComponentCreated', data: { ...facts, message: input.commitMessage ?? null } }];
}

export function updateComponent(
  component: Component,
  { commitMessage, ...sent }: ComponentInput,
): readonly ComponentEvent[] {
  const changed = differingSource<ComponentFacts>(component, sent);
  return changed === undefined ? [] : componentUpdated(component, changed, commitMessage);
}

export function componentUpdated(
  { projectId }: Pick<Component, 'projectId'>,
  changed: Partial<Omit<ComponentFacts, 'projectId'>>,
  message?: string,
): readonly ComponentEvent[] {
  return [{ type: 'ComponentUpdated', data: { projectId, ...changed, message: message ?? null } }];
}

export function deleteComponent({ projectId }: Component, message?: string): readonly ComponentEvent[] {
  return [{ type: 'ComponentDeleted', data: { projectId, message: message ?? null } }];
}

const pascalCase = /^[A-Z][A-Za-z0-9]*$/;

/** Such a name is kept as it is, but a site with it cannot be published (settled question Q-S79). */
export function nameWarning(name: string): string | undefined {
  if (pascalCase.test(name)) return undefined;
  return `The name '${name}' is not in PascalCase, such as HeroCard: a site with it cannot be published. Rename it with updateComponent.`;
}

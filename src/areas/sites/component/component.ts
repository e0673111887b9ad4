import type { CommitMessage } from '../source-text/source-shapes.api.js';
import {
  type Component,
  type ComponentEvent,
  type ComponentInput,
  components,
  type NewComponent,
} from './component.record.js';

export const createComponent = ({ commitMessage, ...sent }: NewComponent & CommitMessage): readonly ComponentEvent[] =>
  components.created({ ...sent, message: commitMessage ?? null });

export const updateComponent = (
  component: Component,
  { commitMessage, ...sent }: ComponentInput & CommitMessage,
): readonly ComponentEvent[] => components.changed(component, { ...sent, message: commitMessage });

export const deleteComponent = (component: Component, message?: string): readonly ComponentEvent[] =>
  components.deleted(component, { message: message ?? null });

const pascalCase = /^[A-Z][A-Za-z0-9]*$/;

/** A component whose name is not in PascalCase can be saved, but its site cannot be published (Q-S79). */
export function nameWarning(name: string): string | undefined {
  if (pascalCase.test(name)) return undefined;
  return `The name '${name}' is not in PascalCase, such as HeroCard, so the site cannot be published. Rename the component with updateComponent.`;
}

import { differing } from '../../../kernel/record/differing.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import type { Base, BaseEvent, BaseFacts } from './base.record.js';

export interface BaseInput {
  readonly name?: string;
  readonly description?: string;
}

export const createBase = (input: BaseInput & { readonly name: string }): readonly BaseEvent[] => [
  { type: 'BaseCreated', data: { name: input.name, description: input.description || null, projectId: null } },
];

/** An empty description takes it away. */
export function updateBase(base: Base, { name, description }: BaseInput): readonly BaseEvent[] {
  const described = description === undefined ? undefined : description || null;
  const data = differing<Pick<BaseFacts, 'name' | 'description'>>(base, { name, description: described });
  return data === undefined ? [] : [{ type: 'BaseUpdated', data }];
}

/** @throws Refusal base-linked */
export function deleteBase({ projectId }: Base): readonly BaseEvent[] {
  if (projectId !== null) refuse('base-linked');
  return endBase();
}

/** With its project. Its tables end by themselves. */
export const endBase = (): readonly BaseEvent[] => [{ type: 'BaseDeleted', data: {} }];

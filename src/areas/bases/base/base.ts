import { refuse } from '../../../kernel/refusal.js';
import type { Base, BaseEvent } from './base.record.js';

export interface BaseInput {
  readonly name?: string;
  readonly description?: string | null;
}

export const createBase = (input: BaseInput & { readonly name: string }): readonly BaseEvent[] => [
  { type: 'BaseCreated', data: { name: input.name, description: input.description ?? null, projectId: null } },
];

export function updateBase(base: Base, { name, description }: BaseInput): readonly BaseEvent[] {
  const data = {
    ...(name === undefined || name === base.name ? {} : { name }),
    ...(description === undefined || description === base.description ? {} : { description }),
  };
  return Object.keys(data).length === 0 ? [] : [{ type: 'BaseUpdated', data }];
}

/** @throws Refusal base-linked */
export function deleteBase({ projectId }: Base): readonly BaseEvent[] {
  if (projectId !== null) refuse('base-linked');
  return [{ type: 'BaseDeleted', data: {} }];
}

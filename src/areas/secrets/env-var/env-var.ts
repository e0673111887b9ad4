import { refuse } from '../secrets.refusals.js';
import { checkValue, mustNotBeSetting } from './checked-value.api.js';
import type { EnvVar, EnvVarEvent } from './env-var.record.js';

export interface EnvVarInput {
  readonly name: string;
  readonly description?: string;
  readonly overwrite?: boolean;
  readonly allowedHosts?: readonly string[];
  readonly guessable?: boolean;
}

/**
 * Returns the input with hosts in stored form.
 * @throws Refusal
 */
export function checkEnvVar<Input extends EnvVarInput & { readonly value: string }>(input: Input): Input {
  mustNotBeSetting(input.name);
  return checkValue(input);
}

/**
 * The value must already be sealed under `valueId`. If the name exists, `overwrite` is required and omitted fields do
 * not change (Automations API, Global env vars; settled question Q-A33).
 */
export function setEnvVar(before: EnvVar | undefined, input: EnvVarInput, valueId: string): readonly EnvVarEvent[] {
  if (before !== undefined && input.overwrite !== true) refuse('env-var-exists', { name: input.name });
  const data = {
    description: input.description ?? before?.description ?? '',
    allowedHosts: input.allowedHosts ?? before?.allowedHosts ?? [],
    valueId,
    replaces: before?.valueId ?? null,
    ...(input.guessable === true ? { guessable: true as const } : {}),
  };
  return [{ type: 'EnvVarSet', data }];
}

/** @param readers functions with Full data access that read the secret; if there are any, the deletion is refused */
export function deleteEnvVar(
  { name, valueId }: EnvVar,
  readers: readonly { readonly id: string; readonly name: string }[],
): readonly EnvVarEvent[] {
  if (readers.length > 0) {
    const functions = readers.map((fn) => ({ id: fn.id, name: fn.name }));
    refuse('env-var-in-use', { name, functions: functions.map((fn) => fn.name) }, { functions });
  }
  return [{ type: 'EnvVarDeleted', data: { valueId } }];
}

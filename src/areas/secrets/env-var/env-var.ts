import { refuse } from '../secrets.refusals.js';
import { checkValue, mustNotBeSetting } from './checked-value.api.js';
import type { EnvVar, EnvVarEvent } from './env-var.record.js';

/** A secret as sent, without its value. */
export interface EnvVarInput {
  readonly name: string;
  readonly description?: string;
  readonly overwrite?: boolean;
  readonly allowedHosts?: readonly string[];
  readonly guessable?: boolean;
}

/**
 * Rules that the schema cannot express: reserved names, text that UTF-8 cannot encode, and hosts, which are returned in
 * their stored form. @throws Refusal
 */
export function checkEnvVar<Input extends EnvVarInput & { readonly value: string }>(input: Input): Input {
  mustNotBeSetting(input.name);
  return checkValue(input);
}

/**
 * Automations API, Global env vars: an existing name is set again only with overwrite, and fields left out then stay
 * (settled question Q-A33). The value must already be sealed under `valueId`.
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

/** Nobody may delete it while functions with Full data access read it; `readers` are those functions. */
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

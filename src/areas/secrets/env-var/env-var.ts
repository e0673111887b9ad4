import { refuseInput } from '../../../engine/operation/validation.js';
import { type InvalidField, refuse } from '../../../kernel/refusal.js';
import { checkHostPattern, type HostPattern } from '../../../secret-text/host-pattern.js';
import type { EnvVar, EnvVarEvent } from './env-var.record.js';

/** A secret as it is sent, without its value. */
export interface EnvVarInput {
  readonly name: string;
  readonly description?: string;
  readonly overwrite?: boolean;
  readonly allowedHosts?: readonly string[];
  readonly guessable?: boolean;
}

/** Names of settings that code writes by ctx.env.set: a secret beside one would be read for it. */
const settingPrefix = 'APP_';

/**
 * What the schema has no words for: reserved names, text that UTF-8 cannot carry, and hosts, which come back as they are
 * kept. @throws Refusal
 */
export function checkEnvVar<Input extends EnvVarInput & { readonly value: string }>(input: Input): Input {
  if (input.name.startsWith(settingPrefix)) {
    const errors = [{ path: 'name', message: `must not begin with ${settingPrefix}` }];
    refuse('env-var-name-reserved', { name: input.name }, { errors });
  }
  if (!input.value.isWellFormed()) refuseInput([{ path: 'value', message: 'must not hold half a character' }]);
  return input.allowedHosts === undefined ? input : { ...input, allowedHosts: checkHosts(input.allowedHosts) };
}

function checkHosts(hosts: readonly string[]): readonly HostPattern[] {
  const invalid: InvalidField[] = [];
  const patterns = hosts.flatMap((host, index) => {
    const checked = checkHostPattern(host);
    if (checked.ok) return [checked.pattern];
    invalid.push({ path: `allowedHosts[${index}]`, message: checked.wrong });
    return [];
  });
  if (invalid.length > 0) refuseInput(invalid);
  return [...new Set(patterns)];
}

/**
 * Automations API, Global env vars: a name that is there is set again only with overwrite, and then what was left out
 * stays (settled question Q-A33). The value is sealed under `valueId` by now.
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

/** Refused to everybody while functions with Full data access read it: `readers` are those. */
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

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const composePath = join(import.meta.dirname, '../../docker/compose.yml');

export interface ComposeService {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly container_name?: string;
  readonly hostname?: string;
  readonly user?: string;
  readonly restart?: string;
  readonly read_only?: boolean;
  readonly privileged?: boolean;
  readonly network_mode?: string;
  readonly pid?: string;
  readonly cap_add?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly logging?: { readonly options: Readonly<Record<string, string>> };
  readonly deploy?: { readonly resources: { readonly limits: Readonly<Record<string, string | number>> } };
  readonly pull_policy?: string;
  readonly stop_grace_period?: string;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** The file with merged anchors. Variables such as ${…} are not substituted. */
export const compose: ComposeFile = parse(readFileSync(composePath, 'utf8'), { merge: true });

export const services = Object.entries(compose.services);

export function serviceNamed(name: string): ComposeService {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`There is no service ${name} in ${composePath}.`);
  return found;
}

/** The settings of a service after the substitution of ${…} with the given variables, as Compose does it. */
export function settingsOf(name: string, given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const settings = Object.entries(serviceNamed(name).environment ?? {});
  return Object.fromEntries(settings.map(([key, text]) => [key, interpolated(text, given)]));
}

function interpolated(text: string, given: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_all, name: string, kind: string, words: string) => {
    const value = given[name];
    if (value) return value;
    if (kind === '?') throw new Error(`required variable ${name} is missing a value: ${words}`);
    return words;
  });
}

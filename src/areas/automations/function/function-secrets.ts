import { isDeepStrictEqual } from 'node:util';
import { refuseInput } from '../../../engine/operation/validation.js';
import type { JsonObject } from '../../../kernel/json.js';
import { checkHostPattern, hostsBeyond } from '../../../sandbox/secrets/host-pattern.js';
import type { AccountFunction, FunctionSecret } from './function.events.js';
import { type Outcome, type Taking, undoOf } from './function-changes.js';

export interface SecretInput {
  readonly name: string;
  readonly hosts?: readonly string[];
  readonly keyFormat?: FunctionSecret['keyFormat'];
}

/** The hosts that each of the workspace's secrets may ever be sent to. */
export type SecretHosts = ReadonlyMap<string, readonly string[]>;

/** The list as it would be kept: names of nobody's secrets are left out and told. @throws Refusal invalid-input */
export function checkedSecrets(
  sent: readonly SecretInput[],
  known: SecretHosts,
): { readonly secrets: readonly FunctionSecret[]; readonly ignored: readonly string[] } {
  const secrets: FunctionSecret[] = [];
  const ignored: string[] = [];
  for (const [at, { name, hosts = [], keyFormat }] of sent.entries()) {
    if (sent.findIndex((other) => other.name === name) < at) wrong(at, 'name', `names ${name} a second time`);
    const limit = known.get(name);
    const checked = hosts.map((host, index) => patternOf(host, `secrets[${at}].hosts[${index}]`));
    if (limit === undefined) {
      ignored.push(name);
      continue;
    }
    const [beyond] = hostsBeyond(checked, limit);
    if (beyond !== undefined)
      wrong(at, 'hosts', `must stay within the secret's own allowedHosts, and ${beyond} does not`);
    secrets.push({ name, hosts: [...new Set(checked)].sort(), ...(keyFormat === undefined ? {} : { keyFormat }) });
  }
  return { secrets, ignored };
}

/** What goes, goes at once, with a notice; a new secret, host or key format waits for a person. */
export function setSecrets(fn: AccountFunction, wanted: readonly FunctionSecret[], taking: Taking): Outcome {
  const left = fn.secrets.flatMap((held) =>
    reduced(
      held,
      wanted.find(({ name }) => name === held.name),
    ),
  );
  const gone = isDeepStrictEqual(left, fn.secrets) ? [] : [taken(fn, left, taking)];
  if (isDeepStrictEqual(sorted(left), sorted(wanted))) return { events: gone };
  return {
    events: gone,
    proposal: {
      kind: 'function-secrets',
      summary: `Let the function '${fn.name}' use ${namesOf(wanted, left)}.`,
      changes: [{ path: 'secrets', from: json(left), to: json(wanted) }],
      approver: 'editor',
      input: { secrets: json(wanted) },
    },
  };
}

/** What is left of an entry at once: the hosts and the key format that both lists have. */
function reduced(held: FunctionSecret, wanted: FunctionSecret | undefined): readonly FunctionSecret[] {
  if (wanted === undefined) return [];
  const hosts = held.hosts.filter((host) => wanted.hosts.includes(host));
  const { keyFormat } = held;
  const keeps = keyFormat !== undefined && wanted.keyFormat !== undefined;
  return [{ name: held.name, hosts, ...(keeps ? { keyFormat } : {}) }];
}

function taken(fn: AccountFunction, left: readonly FunctionSecret[], taking: Taking) {
  const names = fn.secrets
    .filter(
      (held) =>
        !isDeepStrictEqual(
          left.find(({ name }) => name === held.name),
          held,
        ),
    )
    .map(({ name }) => name);
  const undo = undoOf(fn, `The function '${fn.name}' lost what it had of ${names.join(', ')}.`, taking);
  return { type: 'FunctionSecretsTaken', data: { secrets: left, undo } } as const;
}

function namesOf(wanted: readonly FunctionSecret[], left: readonly FunctionSecret[]): string {
  return wanted
    .filter(
      (one) =>
        !isDeepStrictEqual(
          left.find(({ name }) => name === one.name),
          one,
        ),
    )
    .map(({ name, hosts }) => (hosts.length === 0 ? `${name} for signatures` : `${name} for ${hosts.join(', ')}`))
    .join(' and ');
}

const sorted = (secrets: readonly FunctionSecret[]) => [...secrets].sort((a, b) => (a.name < b.name ? -1 : 1));
const json = (secrets: readonly FunctionSecret[]) => secrets as unknown as readonly JsonObject[];

function patternOf(host: string, path: string): string {
  const checked = checkHostPattern(host);
  return checked.ok ? checked.pattern : refuseInput([{ path, message: checked.wrong }]);
}

function wrong(at: number, field: string, message: string): never {
  return refuseInput([{ path: `secrets[${at}].${field}`, message }]);
}

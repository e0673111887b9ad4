import { isDeepStrictEqual } from 'node:util';
import { refuse } from '../kernel/refusals/kernel.refusals.js';
import { type InvalidField } from '../kernel/refusals/refusal.js';
import { isPaymentVariable, type KeyFormat } from './granted-secret.js';
import { checkHostPattern, type HostLimit, hostsBeyond } from './host-pattern.js';

export interface ListedSecret {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly keyFormat?: KeyFormat;
  /**
   * Set if the secret itself does not limit its hosts, so an admin had to approve `hosts`. Omitted if `hosts` is empty
   * or within the secret's own limit.
   */
  readonly opened?: true;
}

export interface SecretInput {
  readonly name: string;
  readonly hosts?: readonly string[];
  readonly keyFormat?: KeyFormat;
}

export type SecretHosts = ReadonlyMap<string, HostLimit>;

export type CheckedSecretList =
  | { readonly ok: true; readonly secrets: readonly ListedSecret[]; readonly ignored: readonly string[] }
  | { readonly ok: false; readonly errors: readonly InvalidField[] };

export function checkSecretList(sent: readonly SecretInput[], known: SecretHosts): CheckedSecretList {
  const secrets: ListedSecret[] = [];
  const ignored: string[] = [];
  for (const [at, { name, hosts = [], keyFormat }] of sent.entries()) {
    const wrong = (field: string, message: string) =>
      ({ ok: false, errors: [{ path: `secrets[${at}].${field}`, message }] }) as const;
    if (sent.findIndex((other) => other.name === name) < at) return wrong('name', `names ${name} a second time`);
    if (isPaymentVariable(name)) {
      return wrong('name', 'must not begin with PAYMENT_: only the payment processor gets such a secret');
    }
    const checked: string[] = [];
    for (const [index, host] of hosts.entries()) {
      const pattern = checkHostPattern(host);
      if (!pattern.ok) return wrong(`hosts[${index}]`, pattern.wrong);
      checked.push(pattern.pattern);
    }
    const limit = known.get(name);
    if (limit === undefined) {
      ignored.push(name);
      continue;
    }
    const [beyond] = hostsBeyond(checked, limit);
    if (beyond !== undefined) {
      return wrong('hosts', `must stay within the secret's own allowedHosts, and ${beyond} does not`);
    }
    const hasOwn = limit !== 'any' || checked.length === 0;
    secrets.push({
      name,
      hosts: [...new Set(checked)].sort(),
      ...(keyFormat === undefined ? {} : { keyFormat }),
      ...(hasOwn ? {} : { opened: true }),
    });
  }
  return { ok: true, secrets, ignored };
}

/**
 * Checks a list that waited for approval. Since then, secrets may have been deleted, or the hosts that a secret itself
 * allows may have been narrowed.
 * @throws Refusal listed-secret-moved
 */
export function stillWithin(waited: unknown, known: SecretHosts): readonly ListedSecret[] {
  const target = waited as readonly ListedSecret[];
  const checked = checkSecretList(target, known);
  if (!checked.ok || checked.secrets.length !== target.length) return refuse('listed-secret-moved');
  // If one of the secrets has lost its own limit since, an admin has to approve its hosts again.
  if (checked.secrets.some(({ opened }, at) => opened && !target[at]?.opened)) return refuse('listed-secret-moved');
  return checked.secrets;
}

/**
 * Returns the list that applies until `target` is approved. Removals need no approval, so it is the part of `current`
 * that `target` contains too. Each entry retains the hosts that are in both lists, its key format if both have one, and
 * `opened` if both have it.
 */
export function remainingAtOnce(
  current: readonly ListedSecret[],
  target: readonly ListedSecret[],
): readonly ListedSecret[] {
  return current.flatMap((entry) => {
    const next = entryOf(target, entry.name);
    if (next === undefined) return [];
    const hosts = entry.hosts.filter((host) => next.hosts.includes(host));
    const { keyFormat } = entry;
    const keepsFormat = keyFormat !== undefined && next.keyFormat !== undefined;
    const opened = entry.opened && next.opened ? { opened: true as const } : {};
    return [{ name: entry.name, hosts, ...(keepsFormat ? { keyFormat } : {}), ...opened }];
  });
}

export function lostSecrets(
  current: readonly ListedSecret[],
  target: readonly ListedSecret[],
): readonly ListedSecret[] {
  return current.flatMap(({ name, hosts }) => {
    const next = entryOf(target, name);
    const lost = hosts.filter((host) => !next?.hosts.includes(host));
    return next === undefined || lost.length > 0 ? [{ name, hosts: lost }] : [];
  });
}

/**
 * Applies to `current` the changes that lead from `from` to `to`. Does not restore hosts that `current` has lost since
 * `from`. The result contains no `opened`.
 */
export function changedAlike(
  current: readonly ListedSecret[],
  from: readonly ListedSecret[],
  to: readonly ListedSecret[],
): readonly ListedSecret[] {
  const isGone = ({ name }: ListedSecret) => entryOf(from, name) !== undefined && entryOf(to, name) === undefined;
  const changed = secretsBeyond(to, from).map(({ name, hosts, keyFormat }): ListedSecret => {
    const [now, before] = [entryOf(current, name), entryOf(from, name)];
    const lost = (before?.hosts ?? []).filter((host) => !hosts.includes(host));
    const remaining = (now?.hosts ?? []).filter((host) => !lost.includes(host));
    const added = hosts.filter((host) => !before?.hosts.includes(host));
    const format = isDeepStrictEqual(keyFormat, before?.keyFormat) ? now?.keyFormat : keyFormat;
    const all = [...new Set([...remaining, ...added])].sort();
    return { name, hosts: all, ...(format === undefined ? {} : { keyFormat: format }) };
  });
  const others = current.filter((entry) => !isGone(entry) && entryOf(changed, entry.name) === undefined);
  return [...others.map(({ opened: _, ...entry }) => entry), ...changed];
}

export function isSameSecretList(one: readonly ListedSecret[], other: readonly ListedSecret[]): boolean {
  return isDeepStrictEqual(sorted(one), sorted(other));
}

export function secretsBeyond(one: readonly ListedSecret[], other: readonly ListedSecret[]): readonly ListedSecret[] {
  return one.filter((entry) => !isDeepStrictEqual(entryOf(other, entry.name), entry));
}

/**
 * Marks the secrets in `guessable`, which are short or simple enough to be found by trying. The people who let code use
 * such a secret could find its value, even though values are hidden in output.
 */
export function secretsInWords(secrets: readonly ListedSecret[], guessable: ReadonlySet<string>): string {
  const named = (name: string) => (guessable.has(name) ? `${name} (which could be found by trying)` : name);
  return secrets
    .map(({ name, hosts, opened }) => {
      const where = hosts.length === 0 ? 'signatures' : hosts.join(', ');
      return `${named(name)} for ${where}${opened ? ' (which the secret itself does not name)' : ''}`;
    })
    .join(' and ');
}

const entryOf = (list: readonly ListedSecret[], name: string) => list.find((entry) => entry.name === name);
const sorted = (secrets: readonly ListedSecret[]) => [...secrets].sort((a, b) => (a.name < b.name ? -1 : 1));

import { type AccountFunction, hasFullDataAccess, type Power } from '../function.record.js';
import { literalsIn } from './secret-readers.js';

type Held = Pick<AccountFunction, 'capabilities' | 'identityMode' | 'secrets'>;

/** What code reaches only with a power, as it is usually written. The lengths are bounded, so that the time is. */
const reaches: readonly (readonly [Power, RegExp, string])[] = [
  ['email', /\bctx\s{0,99}\??\.\s{0,99}email\b/, 'ctx.email'],
  ['env', /\bctx\s{0,99}\??\.\s{0,99}env\b/, 'ctx.env'],
  ['service', /\bctx\s{0,99}\??\.\s{0,99}service\b/, 'ctx.service'],
  ['users', /\bsites\s{0,99}\[[^\]]{1,250}\]\s{0,99}\??\.\s{0,99}users\b/, 'a site’s users'],
  ['entitlements', /\bsites\s{0,99}\[[^\]]{1,250}\]\s{0,99}\??\.\s{0,99}entitlements\b/, 'a site’s entitlements'],
];

/**
 * In sentences: what code names that the function would lack, powers and those of the known secrets. A name that code
 * computes while it runs is not found.
 */
export function lacking(code: string, held: Held, knownSecrets: Iterable<string>): readonly string[] {
  const holds = (power: Power) => (power === 'service' ? hasFullDataAccess(held) : held.capabilities.includes(power));
  const powers = reaches.filter(([power, pattern]) => !holds(power) && pattern.test(code));
  const listed = new Set(held.secrets.map(({ name }) => name));
  const literals = literalsIn(code);
  const secrets = [...knownSecrets].filter((name) => !listed.has(name) && (literals?.has(name) ?? code.includes(name)));
  return [
    ...powers.map(([power, , member]) => `The code names ${member}, which needs the power '${power}'; it is not held.`),
    ...secrets.sort().map((name) => `The code names the secret ${name}, which is not on the function's list.`),
  ];
}

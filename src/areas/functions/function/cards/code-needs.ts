import { type FunctionDocument, hasFullDataAccess, type Power } from '../function.record.js';
import { literalsIn } from './secret-readers.js';

type Holdings = Pick<FunctionDocument, 'capabilities' | 'identityMode' | 'secrets'>;

/** Repetitions in the patterns are bounded to limit the matching time. */
const reaches: readonly (readonly [Power, RegExp, string])[] = [
  ['email', /\bctx\s{0,99}\??\.\s{0,99}email\b/, 'ctx.email'],
  ['env', /\bctx\s{0,99}\??\.\s{0,99}env\b/, 'ctx.env'],
  ['service', /\bctx\s{0,99}\??\.\s{0,99}service\b/, 'ctx.service'],
  ['users', /\bsites\s{0,99}\[[^\]]{1,250}\]\s{0,99}\??\.\s{0,99}users\b/, 'a site’s users'],
  ['entitlements', /\bsites\s{0,99}\[[^\]]{1,250}\]\s{0,99}\??\.\s{0,99}entitlements\b/, 'a site’s entitlements'],
];

/** Finds member and secret names in the code only if they are written out, not if they are computed at run time. */
export function lacking(code: string, holdings: Holdings, knownSecrets: Iterable<string>): readonly string[] {
  const holds = (power: Power) =>
    power === 'service' ? hasFullDataAccess(holdings) : holdings.capabilities.includes(power);
  const powers = reaches.filter(([power, pattern]) => !holds(power) && pattern.test(code));
  const listed = new Set(holdings.secrets.map(({ name }) => name));
  const literals = literalsIn(code);
  const secrets = [...knownSecrets].filter((name) => !listed.has(name) && (literals?.has(name) ?? code.includes(name)));
  return [
    ...powers.map(
      ([power, , member]) =>
        `The code uses ${member}, which needs the power '${power}'; the function does not have it.`,
    ),
    ...secrets.sort().map((name) => `The code uses the secret ${name}, which is not on the function's list.`),
  ];
}

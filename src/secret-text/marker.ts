import type { Json, JsonObject } from '../kernel/json.js';
import { isSecretName } from './granted-secret.js';

/**
 * What `ctx.secrets.ref` gives guest code. Code can build one itself: that opens nothing, since what is filled depends
 * on the function's list and the host alone. The seal is random and new for every attempt of a run, so that data from
 * outside that looks like a marker is not one, and a marker that was kept is none any more (FC-34).
 */
export interface Marker {
  readonly secret: string;
  /** Stand before and after the value, as in `Bearer `. */
  readonly prefix: string;
  readonly suffix: string;
  /** HTTP's Basic credentials: the secret is what is not given here. */
  readonly basic: { readonly user: string } | { readonly password: string } | undefined;
}

export type ReadMarker =
  | { readonly is: 'marker'; readonly marker: Marker }
  | { readonly is: 'other run' }
  | { readonly is: 'malformed' };

const members: readonly string[] = ['$secret', 'seal', 'prefix', 'suffix', 'basic'];

/** Undefined: data, and none of our business. */
export function readMarker(value: Json, seal: string): ReadMarker | undefined {
  if (!isObject(value)) return undefined;
  const { $secret: secret, seal: sealed, prefix = '', suffix = '', basic } = value;
  if (typeof secret !== 'string' || typeof sealed !== 'string') return undefined;
  const wellFormed = Object.keys(value).every((key) => members.includes(key));
  if (sealed !== seal) return wellFormed && sealed.length === seal.length ? { is: 'other run' } : undefined;
  if (!wellFormed || !isSecretName(secret) || typeof prefix !== 'string' || typeof suffix !== 'string')
    return { is: 'malformed' };
  if (basic === undefined) return { is: 'marker', marker: { secret, prefix, suffix, basic: undefined } };
  const credentials = readBasic(basic);
  if (credentials === undefined || prefix !== '' || suffix !== '') return { is: 'malformed' };
  return { is: 'marker', marker: { secret, prefix, suffix, basic: credentials } };
}

export function markerText({ prefix, suffix, basic }: Marker, value: string): string {
  if (basic === undefined) return prefix + value + suffix;
  const pair = 'user' in basic ? `${basic.user}:${value}` : `${value}:${basic.password}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** The texts by which a marker that was put into a text gives itself away: its seal, also after base64. */
export function sealTexts(seal: string): readonly string[] {
  return [seal, ...[0, 1, 2].map((before) => encodedWithin(seal, before))];
}

export function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The part of the base64 of a longer text that depends on `text` alone, `before` bytes after a group's beginning. */
function encodedWithin(text: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
  return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

/** A user name ends at the first colon, so it cannot have one (RFC 7617). */
function readBasic(basic: Json): Marker['basic'] {
  if (!isObject(basic) || Object.keys(basic).length !== 1) return undefined;
  const { user, password } = basic;
  if (typeof user === 'string') return user.includes(':') ? undefined : { user };
  return typeof password === 'string' ? { password } : undefined;
}

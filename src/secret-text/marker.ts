import type { Json, JsonObject } from '../kernel/json/json.js';
import { isSecretName } from './granted-secret.js';

/**
 * The value that `ctx.secrets.ref` returns to guest code. Code gains nothing by building a marker itself, because only
 * the function's list and the host decide what is filled in. The seal is random and new for every attempt of a run, so
 * neither outside data nor a marker saved from an earlier attempt is accepted as a marker (FC-34).
 */
export interface Marker {
  readonly secret: string;
  /** Text before the value, as in `Bearer `. `suffix` is the text after it. */
  readonly prefix: string;
  readonly suffix: string;
  /** For HTTP Basic: the half of the credentials that is not secret. The secret is filled in as the other half. */
  readonly basic: { readonly user: string } | { readonly password: string } | undefined;
}

export type ReadMarker =
  | { readonly is: 'marker'; readonly marker: Marker }
  | { readonly is: 'other run' }
  | { readonly is: 'malformed' };

const members: readonly string[] = ['$secret', 'seal', 'prefix', 'suffix', 'basic'];

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

export function sealTexts(seal: string): readonly string[] {
  return [seal, ...[0, 1, 2].map((before) => encodedWithin(seal, before))];
}

export function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function encodedWithin(text: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
  return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

/** A user name cannot contain a colon, because it ends at the first one (RFC 7617). */
function readBasic(basic: Json): Marker['basic'] {
  if (!isObject(basic) || Object.keys(basic).length !== 1) return undefined;
  const { user, password } = basic;
  if (typeof user === 'string') return user.includes(':') ? undefined : { user };
  return typeof password === 'string' ? { password } : undefined;
}

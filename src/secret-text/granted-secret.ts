import type { HostLimit, HostPattern } from './host-pattern.js';

/** How the stored text of a signing key is read; `prefix` stands before the key and is no part of it. */
export interface KeyFormat {
  readonly encoding: 'utf8' | 'base64' | 'hex';
  readonly prefix?: string;
}

/** A secret as one function may use it in one run: an entry of the function's list beside the secret's own rules. */
export interface GrantedSecret {
  readonly name: string;
  /** Undefined: deleted since it was put on the list. */
  readonly value: string | undefined;
  /** The function's list. */
  readonly hosts: readonly HostPattern[];
  /** The secret's own. */
  readonly allowedHosts: HostLimit;
  readonly keyFormat?: KeyFormat;
}

/** By name; a name that is not here is not this function's. */
export type GrantedSecrets = ReadonlyMap<string, GrantedSecret>;

const namePattern = /^[A-Z][A-Z0-9_]{0,99}$/;

export function isSecretName(value: unknown): value is string {
  return typeof value === 'string' && namePattern.test(value);
}

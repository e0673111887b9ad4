import type { HostLimit, HostPattern } from './host-pattern.js';

/** How to read the stored text of a signing key. `prefix` precedes the key and is not part of it. */
export interface KeyFormat {
  readonly encoding: 'utf8' | 'base64' | 'hex';
  readonly prefix?: string;
}

/** A secret as one function may use it in one run: an entry of the function's list, with the secret's own rules. */
export interface GrantedSecret {
  readonly name: string;
  /** Undefined if the secret was deleted after it was listed. */
  readonly value: string | undefined;
  /** Hosts in the function's list. */
  readonly hosts: readonly HostPattern[];
  /** Limit set by the secret itself. */
  readonly allowedHosts: HostLimit;
  readonly keyFormat?: KeyFormat;
}

/** The secrets that a function may use, by name. */
export type GrantedSecrets = ReadonlyMap<string, GrantedSecret>;

/**
 * Whether the name belongs to a key of the payment processor. Only the service itself uses such keys; they are never
 * available to lists of secrets, placeholders and runs.
 */
export const isPaymentVariable = (name: string): boolean => name.startsWith('PAYMENT_');

const namePattern = /^[A-Z][A-Z0-9_]{0,99}$/;

export function isSecretName(value: unknown): value is string {
  return typeof value === 'string' && namePattern.test(value);
}

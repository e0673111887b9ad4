import type { HostLimit, HostPattern } from './host-pattern.js';

/** How to read the stored text of a signing key. `prefix` precedes the key and is not part of it. */
export interface KeyFormat {
  readonly encoding: 'utf8' | 'base64' | 'hex';
  readonly prefix?: string;
}

/**
 * A secret as one function may use it in one run. It may be sent to a host only if both `hosts` and `allowedHosts`
 * include that host.
 */
export interface GrantedSecret {
  readonly name: string;
  /** Undefined if the secret was deleted after it was listed. */
  readonly value: string | undefined;
  /** Hosts that the function's list of secrets allows for this secret. */
  readonly hosts: readonly HostPattern[];
  /** Hosts that the secret's own settings allow. */
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

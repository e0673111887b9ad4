import type { HostLimit, HostPattern } from './host-pattern.js';

export interface KeyFormat {
  readonly encoding: 'utf8' | 'base64' | 'hex';
  readonly prefix?: string;
}

/** The secret may be sent to a host only if both `hosts` and `allowedHosts` include that host. */
export interface GrantedSecret {
  readonly name: string;
  readonly value: string | undefined;
  readonly hosts: readonly HostPattern[];
  readonly allowedHosts: HostLimit;
  readonly keyFormat?: KeyFormat;
}

export type GrantedSecrets = ReadonlyMap<string, GrantedSecret>;

/**
 * Whether the name is that of a key of the payment processor. Only the service itself uses such keys; they are never
 * available to lists of secrets, placeholders and runs.
 */
export const isPaymentVariable = (name: string): boolean => name.startsWith('PAYMENT_');

const namePattern = /^[A-Z][A-Z0-9_]{0,99}$/;

export function isSecretName(value: unknown): value is string {
  return typeof value === 'string' && namePattern.test(value);
}

import type { GrantedSecret } from './granted-secret.js';
import { type Destination, isHostWithin, isNamedWithoutPort, isNamedWithPort } from './host-pattern.js';

type Lists = Pick<GrantedSecret, 'hosts' | 'allowedHosts'>;

export function destinationOf(url: string): (Destination & { readonly isSecure: boolean }) | undefined {
  const { protocol, hostname: host, port } = URL.parse(url) ?? {};
  if (host === undefined || port === undefined || (protocol !== 'https:' && protocol !== 'http:')) return undefined;
  const isSecure = protocol === 'https:';
  return { host, isSecure, port: port === '' ? (isSecure ? 443 : 80) : Number(port) };
}

/** Returns undefined if the lists name the host, regardless of the port. `whyNotOver` then checks the port. */
export function whyNotToHost(host: string, { hosts, allowedHosts }: Lists, whose: string): string | undefined {
  if (hosts.length === 0) return `the ${whose}'s list gives it no host, so it can only check signatures`;
  if (!isHostWithin(host, hosts)) return `the ${whose}'s list does not name this host for it`;
  return isHostWithin(host, allowedHosts) ? undefined : "the secret's own allowed hosts do not name this host";
}

/**
 * Checks the scheme and port, for a host that `whyNotToHost` allows. If the operator has allowed the host, http is
 * accepted too, and so is every port unless the lists name one.
 */
export async function whyNotOver(
  to: Destination & { readonly isSecure: boolean },
  { hosts, allowedHosts }: Lists,
  allowedByOperator: () => Promise<boolean>,
): Promise<string | undefined> {
  const lists = [hosts, allowedHosts];
  const named = lists.every((list) => isNamedWithPort(to, list));
  if (to.isSecure && named) return undefined;
  const isAllowedHost = lists.every((list) => isNamedWithPort(to, list) || isNamedWithoutPort(to.host, list));
  if (isAllowedHost && (await allowedByOperator())) return undefined;
  if (named || (isAllowedHost && !to.isSecure)) return 'a secret goes over https only; write https:// in the address';
  return (
    `a host without a port means port 443; to send it to port ${to.port}, write ${to.host}:${to.port} on the ` +
    "list of secrets and in the secret's own allowed hosts"
  );
}

import { isIP } from 'node:net';
import { canonicalHost } from '../../../kernel/text/host-name.js';

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export type CheckedDomain =
  | { readonly ok: true; readonly domain: string }
  /** Completes a sentence that begins with the name of the input field, as in `must be a domain`. */
  | { readonly ok: false; readonly wrong: string };

/**
 * Returns lower-case ASCII, without a dot at the end.
 * @param taken the domains of the service itself; they and all their subdomains are rejected
 */
export function checkDomain(text: string, taken: readonly string[]): CheckedDomain {
  if (/[:/@*%?#\\\s]/.test(text)) return refused('must be a bare domain, without scheme, port, path or wildcard');
  const domain = canonicalHost(text);
  if (domain === undefined) return refused('must be a domain of at most 253 characters, such as shop.example.com');
  if (isIP(domain) !== 0) return refused('must be a domain, not an IP address');
  const labels = domain.split('.');
  if (labels.length < 2 || !labels.every((one) => label.test(one))) {
    return refused('must be a domain such as shop.example.com');
  }
  if (taken.some((own) => domain === own || domain.endsWith(`.${own}`))) {
    return refused('must be a domain of your own, not one of this service');
  }
  return { ok: true, domain };
}

const refused = (wrong: string): CheckedDomain => ({ ok: false, wrong });

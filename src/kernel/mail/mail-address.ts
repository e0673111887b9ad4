import { isIP } from 'node:net';
import { canonicalHost } from '../text/host-name.js';
import { isOneLine } from '../text/one-line.js';

export interface MailAddress {
  readonly address: string;
  readonly name?: string;
}

const longestAddress = 254;
/** Excludes characters that break a line, end an address or begin another one. */
const localPart = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/i;
/**
 * A domain before its conversion to ASCII. Percent-encoding is excluded, because the conversion would decode it into
 * other letters.
 */
const writtenDomain = /^[\p{L}\p{M}\p{N}.-]+$/u;
const domain = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const longestName = 200;

/** The domain is converted to lower case and ASCII. Returns undefined unless the text is exactly one address. */
export function canonicalAddress(text: string): string | undefined {
  const at = text.lastIndexOf('@');
  const [local, written] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (!localPart.test(local) || !writtenDomain.test(written)) return undefined;
  const host = canonicalHost(written);
  if (host === undefined || isIP(host) !== 0 || !domain.test(host)) return undefined;
  const address = `${local}@${host}`;
  return address.length > longestAddress ? undefined : address;
}

/** Accepts `ada@example.com` or `Ada <ada@example.com>`. Returns undefined for anything else, including a list. */
export function readMailAddress(text: string): MailAddress | undefined {
  if (!isOneLine(text)) return undefined;
  const named = /^([^<>"]*)<([^<>"]*)>$/.exec(text);
  if (named === null) {
    const address = canonicalAddress(text);
    return address === undefined ? undefined : { address };
  }
  const name = (named[1] ?? '').trim();
  const address = canonicalAddress(named[2] ?? '');
  if (address === undefined || name.length > longestName) return undefined;
  return name === '' ? { address } : { address, name };
}

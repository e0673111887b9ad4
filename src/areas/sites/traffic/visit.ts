import type { Device } from './traffic.record.js';

/** In bytes of UTF-8. */
const longestPath = 500;
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Removes the query and fragment, which may identify a person. Invisible characters are replaced, and a path that is
 * too long is cut. The result is still untrusted.
 */
export function visitedPath(sent: string): string | undefined {
  const [path = ''] = sent.split(/[?#]/, 1);
  if (!path.startsWith('/')) return undefined;
  const shown = path.replace(unseen, '\uFFFD');
  return Buffer.byteLength(shown) <= longestPath ? shown : cut(shown);
}

function cut(text: string): string {
  let bytes = 0;
  let shown = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > longestPath) return shown;
    shown += character;
  }
  return shown;
}

/** Returns `null` if there is no valid address, or if the host is one of the site's own. */
export function referrerOf(sent: string | null | undefined, ownHosts: readonly string[]): string | null {
  const { protocol = '', hostname = '' } = URL.parse(sent ?? '') ?? {};
  if (!/^https?:$/.test(protocol) || ownHosts.includes(hostname)) return null;
  return hostname.length > 253 ? null : hostname;
}

/** Derived from the User-Agent (Q-S101). */
export function deviceOf(agent: string): Device {
  if (/iPad|Tablet|PlayBook|Silk|Kindle|Android(?!.*Mobile)/i.test(agent)) return 'tablet';
  if (/Mobi|iPhone|iPod|Android|Windows Phone/i.test(agent)) return 'mobile';
  return /Windows NT|Macintosh|X11|CrOS/i.test(agent) ? 'desktop' : 'other';
}

/** Cubot is a brand of telephones, so its name must not count as `bot`. */
export const isBot = (agent: string): boolean =>
  /(?<!cu)bot|crawl|spider|slurp|archiver|facebookexternalhit|lighthouse|pingdom/i.test(agent);

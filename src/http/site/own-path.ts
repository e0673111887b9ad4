import { wrongUrlPath } from '../../areas/sites/project/settings/settings-fields.api.js';

/**
 * If this returns true, a redirect to the path is safe, because all browsers interpret it as a path of the same site.
 */
export const isOwnPath = (text: string): boolean => wrongUrlPath(text) === undefined;

/** Headers carry only ASCII, so other letters are escaped, as browsers do. */
export const locationOf = (path: string): string => path.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent);

export function withNext(path: string, next: string): string {
  const [before = '', fragment] = path.split('#', 2);
  const joined = `${before}${before.includes('?') ? '&' : '?'}next=${encodeURIComponent(next)}`;
  return fragment === undefined ? joined : `${joined}#${fragment}`;
}

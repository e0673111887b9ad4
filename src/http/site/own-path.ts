import { wrongUrlPath } from '../../areas/sites/project/settings/settings-fields.api.js';

/**
 * Whether the text is a path of the same site, so that a redirect to it is safe. All browsers interpret such a path in
 * the same way.
 */
export const isOwnPath = (text: string): boolean => wrongUrlPath(text) === undefined;

/** Returns the path with the query parameter `next`: the path to show after signing in. */
export function withNext(path: string, next: string): string {
  const [before = '', fragment] = path.split('#', 2);
  const joined = `${before}${before.includes('?') ? '&' : '?'}next=${encodeURIComponent(next)}`;
  return fragment === undefined ? joined : `${joined}#${fragment}`;
}

import { wrongUrlPath } from '../../areas/sites/project/settings/settings-fields.api.js';

/** Whether a redirect may lead there, which is a path of the same site, however browsers parse it. */
export const isOwnPath = (text: string): boolean => wrongUrlPath(text) === undefined;

/** Returns the path with the parameter `next`, to which a sign-in returns. */
export function withNext(path: string, next: string): string {
  const [before = '', fragment] = path.split('#', 2);
  const joined = `${before}${before.includes('?') ? '&' : '?'}next=${encodeURIComponent(next)}`;
  return fragment === undefined ? joined : `${joined}#${fragment}`;
}

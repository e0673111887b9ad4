import { wrongUrlPath } from '../../areas/sites/project/settings/settings-fields.api.js';

/** Whether a redirect may lead there: to a path of the same site, and nowhere else, however browsers read it. */
export const isOwnPath = (text: string): boolean => wrongUrlPath(text) === undefined;

/** The path with `next`, where a sign-in leads back to. */
export function withNext(path: string, next: string): string {
  const [before = '', fragment] = path.split('#', 2);
  const joined = `${before}${before.includes('?') ? '&' : '?'}next=${encodeURIComponent(next)}`;
  return fragment === undefined ? joined : `${joined}#${fragment}`;
}

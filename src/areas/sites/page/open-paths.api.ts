import type { AuthSettings } from '../project/settings/auth-settings.record.js';
import { normalPath } from './page-path.api.js';

/**
 * Everyone may read the pages of these keys of `authPaths`. Pages of other keys, such as `afterLogin`, have their own
 * rules.
 */
const openSteps = ['login', 'signup', 'forgotPassword', 'resetPassword', 'verifyEmail', 'accessDenied'] as const;

/** The path that browsers send for a path of `authPaths`, which may have a query. */
export const pathnameOf = (path: string): string => new URL(path, 'http://site').pathname;

/** Returns a path of `authPaths` in the form in which the path of a page is stored. */
export function pagePathOf(path: string): string {
  const pathname = pathnameOf(path);
  return normalPath(pathname) ?? pathname;
}

/** Everyone may read the pages at these paths. */
export const openPathsOf = (authPaths: AuthSettings['authPaths']): ReadonlySet<string> =>
  new Set(['/404', ...openSteps.flatMap((step) => authPaths[step] ?? []).map(pagePathOf)]);

import { webhookPath } from '../body.js';

/** Placeholder for the project's id in a path of the visitor API. The id that belongs to the host replaces it. */
export const hostsProject = '@host';
/**
 * All pages and files of sites are served by the route with this path. The path that the client requested is in
 * `originalUrl`.
 */
export const siteRoute = '/@site';

const ofWebhooks = `/${webhookPath.replace(':token', '')}`;
/**
 * Load balancers and metrics scrapers use IP addresses, so these paths are served under any host name (Sites
 * supplement, Where things are served).
 */
const underAnyHost = new Set(['/healthz', '/readyz', '/metrics']);

const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

export const isUnderAnyHost = (url: string): boolean => underAnyHost.has(pathOf(url));

export function routeOf(url: string): string {
  if (!url.startsWith('/api/') || !isDecodable(pathOf(url))) return siteRoute;
  if (url.startsWith(ofWebhooks)) return url;
  const rest = url.slice('/api/'.length);
  if (rest.startsWith('webhook/')) return `${ofWebhooks}${rest.slice('webhook/'.length)}`;
  return `/api/app/${hostsProject}/${rest}`;
}

/**
 * Returns false if an escape is invalid. Such a path gets `siteRoute`, because the router would refuse it before the
 * host is looked up.
 */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

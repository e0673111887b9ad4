import { webhookPath } from '../body.js';

/** Placeholder for the project's id in a path of the visitor API. It is replaced by the id that belongs to the host. */
export const hostsProject = '@host';
/** Route of requests for pages and files of a site. Their path is in `originalUrl`. */
export const siteRoute = '/@site';

const ofWebhooks = `/${webhookPath.replace(':token', '')}`;
/**
 * Paths that are served under any host name, because load balancers and metrics scrapers use IP addresses (Sites
 * supplement, Where things are served).
 */
const underAnyHost = new Set(['/healthz', '/readyz', '/metrics']);

const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

export const isUnderAnyHost = (url: string): boolean => underAnyHost.has(pathOf(url));

/**
 * Returns the path by which a request to a site's host is routed: to the visitor API or a webhook below `/api/`, and to
 * `siteRoute` for every other path.
 */
export function routeOf(url: string): string {
  if (!url.startsWith('/api/') || !isDecodable(pathOf(url))) return siteRoute;
  if (url.startsWith(ofWebhooks)) return url;
  const rest = url.slice('/api/'.length);
  if (rest.startsWith('webhook/')) return `${ofWebhooks}${rest.slice('webhook/'.length)}`;
  return `/api/app/${hostsProject}/${rest}`;
}

/**
 * Whether the path has valid escapes. Invalid ones would be refused by the router itself, before the host is looked up.
 */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

import { webhookPath } from '../body.js';

/** Placeholder for the project's id in paths of the visitor API when the host identifies the project. */
export const hostsProject = '@host';
/** Route for all other requests to hosts other than the service's own. `originalUrl` then contains the path. */
export const siteRoute = '/@site';

const ofWebhooks = `/${webhookPath.replace(':token', '')}`;
/**
 * Paths served under any host, because load balancers and scrapers use addresses (Sites supplement, Where things are
 * served).
 */
const underAnyHost = new Set(['/healthz', '/readyz', '/metrics']);

const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

export const isUnderAnyHost = (url: string): boolean => underAnyHost.has(pathOf(url));

/** Returns the route for a request to a host other than the service's own. */
export function routeOf(url: string): string {
  if (!url.startsWith('/api/') || !isDecodable(pathOf(url))) return siteRoute;
  if (url.startsWith(ofWebhooks)) return url;
  const rest = url.slice('/api/'.length);
  if (rest.startsWith('webhook/')) return `${ofWebhooks}${rest.slice('webhook/'.length)}`;
  return `/api/app/${hostsProject}/${rest}`;
}

/** Whether the path can be decoded. If not, the router itself would respond before the host is looked up. */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

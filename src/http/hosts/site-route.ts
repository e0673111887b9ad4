import { webhookPath } from '../body.js';

/** Stands in the place of a project's id in the paths of its visitors' API, where the host names the project. */
export const hostsProject = '@host';
/** Where everything else of other hosts than the service's own is answered. The path is then in `originalUrl`. */
export const siteRoute = '/@site';

const ofWebhooks = `/${webhookPath.replace(':token', '')}`;
/** Answered under any host, because balancers and scrapers ask by address (Sites supplement, Where things are served). */
const underAnyHost = new Set(['/healthz', '/readyz', '/metrics']);

const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

export const isUnderAnyHost = (url: string): boolean => underAnyHost.has(pathOf(url));

/** The route that answers a request of another host than the service's own. */
export function routeOf(url: string): string {
  if (!url.startsWith('/api/') || !isDecodable(pathOf(url))) return siteRoute;
  if (url.startsWith(ofWebhooks)) return url;
  const rest = url.slice('/api/'.length);
  if (rest.startsWith('webhook/')) return `${ofWebhooks}${rest.slice('webhook/'.length)}`;
  return `/api/app/${hostsProject}/${rest}`;
}

/** The router answers a path that it cannot decode by itself, before the host is looked up. */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

import type { SiteData } from './site-data.js';

/** While `prerendering` is true, the visitor has not opened the page and might never do so. */
type Prepared = Document & { readonly prerendering?: boolean };

/**
 * A prerendered page is reported when it is opened. The report contains nothing that identifies the visitor: no cookie
 * is sent, and nothing is stored.
 */
export function countVisit({ countsVisits }: SiteData, referrer: string): void {
  if (!countsVisits) return;
  const send = () => {
    fetch('/api/traffic', {
      method: 'POST',
      keepalive: true,
      credentials: 'omit',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ path: location.pathname, referrer }),
    }).catch(() => undefined);
  };
  if ((document as Prepared).prerendering === true)
    document.addEventListener('prerenderingchange', send, { once: true });
  else send();
}

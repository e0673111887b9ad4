import type { SiteData } from './site-data.js';

/** Browsers that prepare a page before the visitor opens it, which may never come to be. */
type Prepared = Document & { readonly prerendering?: boolean };

/** Counts that a page shows. Nothing that identifies the visitor goes out with it: no cookie, and nothing is stored. */
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

import type { SiteManifest } from '../../areas/sites/publication/served-deployments.api.js';
import type { AnalyticsSources } from '../../config/settings/analytics-settings.js';
import { inScript } from '../../kernel/text/escaped-html.js';

interface Tracker {
  readonly kind: 'primary' | 'secondary';
  readonly id: string;
  readonly src: string;
}

export interface Trackers {
  readonly scripts: readonly Tracker[];
  readonly asksFirst: boolean;
}

export const noTrackers: Trackers = { scripts: [], asksFirst: true };

export function trackersOf({ analytics }: SiteManifest['site'], sources: AnalyticsSources): Trackers {
  if (analytics === undefined) return noTrackers;
  const { primaryAnalyticsId, secondaryAnalyticsId, consentBanner } = analytics;
  const ids = [
    ['primary', primaryAnalyticsId],
    ['secondary', secondaryAnalyticsId],
  ] as const;
  const scripts = ids.flatMap(([kind, id]) =>
    id === null ? [] : [{ kind, id, src: sources[kind].replaceAll('{id}', encodeURIComponent(id)) }],
  );
  return { scripts, asksFirst: consentBanner };
}

/** The browser stores the visitor's choice for this host, and does not ask again. */
export function analyticsPart({ scripts, asksFirst }: Trackers, nonce: string): string {
  if (scripts.length === 0) return '';
  return `${asksFirst ? banner : ''}<script nonce="${nonce}">(${loading})(${inScript(scripts)}, ${asksFirst})</script>`;
}

const look =
  'position:fixed;left:12px;bottom:12px;max-width:22rem;padding:12px 16px;border-radius:8px;background:#111827;color:#ffffff;font:14px/20px system-ui,sans-serif;z-index:2147483000';
const button =
  'margin:8px 8px 0 0;padding:4px 14px;border:1px solid #ffffff;border-radius:6px;background:#111827;color:#ffffff;font:inherit;cursor:pointer';

const banner = `<section id="site-consent" aria-label="Consent" hidden>
<div style="${look}"><p style="margin:0">May other services measure how you use this site?</p>
<button style="${button}" value="yes">Yes</button><button style="${button}" value="no">No</button></div>
</section>
`;

/**
 * Runs in the browser. If the choice cannot be stored, the function asks on every page. The providers' scripts expect
 * the queues `dataLayer` and `clarity.q`.
 */
const loading = `(scripts, asksFirst) => {
  const storageKey = 'site-consent';
  const load = () => {
    for (const { kind, id, src } of scripts) {
      if (kind === 'primary') {
        window.dataLayer ??= [];
        window.gtag ??= function () { dataLayer.push(arguments); };
        gtag('js', new Date());
        gtag('config', id);
      } else window.clarity ??= function () { (clarity.q ??= []).push(arguments); };
      document.head.append(Object.assign(document.createElement('script'), { src, async: true }));
    }
  };
  let choice = null;
  try { choice = localStorage.getItem(storageKey); } catch {}
  if (!asksFirst || choice === 'yes') return load();
  if (choice === 'no') return;
  const part = document.getElementById(storageKey);
  part.hidden = false;
  part.addEventListener('click', ({ target: { value } }) => {
    if (value !== 'yes' && value !== 'no') return;
    try { localStorage.setItem(storageKey, value); } catch {}
    part.remove();
    if (value === 'yes') load();
  });
}`;

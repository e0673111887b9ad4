import type { SiteManifest } from '../../areas/sites/publication/served-deployments.api.js';
import type { AnalyticsSources } from '../../config/settings/analytics-settings.js';
import { inScript } from '../../kernel/text/escaped-html.js';

interface Tracker {
  readonly kind: 'primary' | 'secondary';
  readonly id: string;
  /** Full URL of the script. */
  readonly src: string;
}

/** Third-party scripts that a page may load to count its visitors. */
export interface Trackers {
  /** Scripts in the order in which they load. */
  readonly scripts: readonly Tracker[];
  /** Whether nothing of them loads before the visitor has consented. */
  readonly asksFirst: boolean;
}

export const noTrackers: Trackers = { scripts: [], asksFirst: true };

/** Returns the trackers with which the deployment was published. */
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

/**
 * Returns the part of a page that asks for consent and loads trackers, or an empty text if there are none. The answer
 * is stored in this browser, for this host alone, and a visitor who has answered is not asked again.
 */
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
 * Function that runs in the browser. If nothing can be stored, it asks for consent in every document. The primary
 * tracker counts the calls in its queue, and the secondary one takes over its queue.
 */
const loading = `(scripts, asksFirst) => {
  const kept = 'site-consent';
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
  let said = null;
  try { said = localStorage.getItem(kept); } catch {}
  if (!asksFirst || said === 'yes') return load();
  if (said === 'no') return;
  const part = document.getElementById(kept);
  part.hidden = false;
  part.addEventListener('click', ({ target: { value } }) => {
    if (value !== 'yes' && value !== 'no') return;
    try { localStorage.setItem(kept, value); } catch {}
    part.remove();
    if (value === 'yes') load();
  });
}`;

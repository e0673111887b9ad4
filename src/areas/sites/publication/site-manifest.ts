import type { SiteAsset } from '../../../ports/offloaded/site-builder.port.js';
import type { AnalyticsSettings } from '../analytics/analytics-settings.record.js';

/** A page of a deployment. Each request is checked against the page's current access rules. */
export interface PublishedPage {
  readonly id: string;
  /** A path or pattern, such as `/blog/:slug`. */
  readonly path: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly redirectIfUnauth: string | null;
  readonly script: string;
  readonly imports: readonly string[];
  readonly styles: string;
  /** HTML of the page's content, rendered in the sandbox. If it is omitted, browsers render the page. */
  readonly html?: string;
  /** Identifies the inputs from which `html` was rendered. A later deployment with the same key reuses the HTML. */
  readonly htmlKey?: string;
  /** A message to the page's author that explains why the page was not rendered. */
  readonly unrendered?: string;
}

/** A deployment without the bytes of its assets. Like assets, it is stored under its digest. */
export interface SiteManifest {
  readonly pages: readonly PublishedPage[];
  readonly assets: readonly SiteAsset[];
  /** Name of the asset with the script that starts every page. */
  readonly start: string;
  readonly site: {
    readonly name: string;
    readonly description: string | null;
    readonly logo: string | null;
    readonly favicon: string | null;
    readonly color: string;
    readonly appIcon: string | null;
    readonly appDisplayName: string | null;
    readonly orientation: string;
    readonly pwaEnabled: boolean;
    readonly showServiceBranding: boolean;
    /** Omitted if the site was published without analytics settings. */
    readonly analytics?: AnalyticsSettings;
  };
}

import type { SiteAsset } from '../../../ports/offloaded/site-builder.port.js';
import type { AnalyticsSettings } from '../analytics/analytics-settings.record.js';

/** A page of a deployment. Access to it is judged for each request by the page's present rules. */
export interface PublishedPage {
  readonly id: string;
  /** A path such as `/blog/:slug`. */
  readonly path: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly redirectIfUnauth: string | null;
  readonly script: string;
  readonly imports: readonly string[];
  readonly styles: string;
  /** HTML of the page's content, rendered in the sandbox. If omitted, the browser renders it. */
  readonly html?: string;
  /** Key of the inputs of `html`: equal inputs give equal HTML, also in later deployments. */
  readonly htmlKey?: string;
  /** Why the page could not be rendered, in a sentence for its author. */
  readonly unrendered?: string;
}

/**
 * Everything needed to serve a deployment, except the bytes of its assets. Stored under its digest, like the assets.
 */
export interface SiteManifest {
  readonly pages: readonly PublishedPage[];
  readonly assets: readonly SiteAsset[];
  /** Name of the script that starts a page. */
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

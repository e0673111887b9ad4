import type { SiteAsset } from '../../../ports/offloaded/site-builder.port.js';
import type { AnalyticsSettings } from '../analytics/analytics-settings.record.js';

/** A page of a deployment. Who may read it is judged when it is asked for, by the page's rules of that moment. */
export interface PublishedPage {
  readonly id: string;
  /** `/blog/:slug`. */
  readonly path: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly redirectIfUnauth: string | null;
  readonly script: string;
  readonly imports: readonly string[];
  readonly styles: string;
  /** HTML of its content, made in the sandbox. Left out: the browser renders it. */
  readonly html?: string;
  /** What `html` was made of: the same makes the same, in a later deployment too. */
  readonly htmlKey?: string;
  /** Why it could not be rendered, in a sentence for its author. */
  readonly unrendered?: string;
}

/** All that serving a deployment needs beside the bytes of its assets. Stored by content, like the assets. */
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
    /** Left out: it was published without any. */
    readonly analytics?: AnalyticsSettings;
  };
}

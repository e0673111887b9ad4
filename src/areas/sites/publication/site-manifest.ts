import type { SiteAsset } from '../../../ports/offloaded/site-builder.port.js';
import type { AnalyticsSettings } from '../analytics/analytics-settings.record.js';

/** Contains no access rules, because each request is checked against the page's current ones. */
export interface PublishedPage {
  readonly id: string;
  readonly path: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly redirectIfUnauth: string | null;
  readonly script: string;
  readonly imports: readonly string[];
  readonly styles: string;
  /** If it is omitted, browsers render the page. */
  readonly html?: string;
  /** Identifies the inputs from which `html` was rendered. A later deployment with the same key reuses the HTML. */
  readonly htmlKey?: string;
  readonly unrendered?: string;
}

export interface SiteManifest {
  readonly pages: readonly PublishedPage[];
  readonly assets: readonly SiteAsset[];
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
    readonly analytics?: AnalyticsSettings;
  };
}

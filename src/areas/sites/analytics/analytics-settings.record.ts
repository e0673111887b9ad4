/** External analytics that measure the visits of a site, in addition to the service's own count. */
export interface AnalyticsSettings {
  /** Public ids. `null` if none is set. */
  readonly primaryAnalyticsId: string | null;
  readonly secondaryAnalyticsId: string | null;
  /** Whether visitors are asked for consent before anything is loaded. */
  readonly consentBanner: boolean;
}

export const firstAnalytics: AnalyticsSettings = {
  primaryAnalyticsId: null,
  secondaryAnalyticsId: null,
  consentBanner: true,
};

export const analyticsOf = ({
  primaryAnalyticsId,
  secondaryAnalyticsId,
  consentBanner,
}: AnalyticsSettings): AnalyticsSettings => ({ primaryAnalyticsId, secondaryAnalyticsId, consentBanner });

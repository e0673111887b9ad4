export interface AnalyticsSettings {
  /** Measurement ids, which are public. */
  readonly primaryAnalyticsId: string | null;
  readonly secondaryAnalyticsId: string | null;
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

/** Settings of external analytics providers that measure visits in addition to the service. */
export interface AnalyticsSettings {
  /** Measurement ids, which are public. `null` if there is none. */
  readonly primaryAnalyticsId: string | null;
  readonly secondaryAnalyticsId: string | null;
  /** Whether a script of the provider is loaded only after the visitor has consented. */
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

import type { JsonObject } from '../../../../kernel/json/json.js';
import type { AnalyticsSettings } from '../../analytics/analytics-settings.record.js';

export const orientations = ['default', 'portrait', 'landscape'] as const;
export type Orientation = (typeof orientations)[number];

export const mobilePermissions = [
  'camera',
  'location',
  'notifications',
  'media-library',
  'contacts',
  'biometrics',
  'file-system',
] as const;
export type MobilePermission = (typeof mobilePermissions)[number];

/** Keyed by npm package. A value is a version, range or tag. */
export type Dependencies = Readonly<Record<string, string>>;

export interface ProjectSettings {
  /** Each image in these settings is a URL or a path on the site. */
  readonly logo: string | null;
  readonly favicon: string | null;
  readonly appIcon: string | null;
  readonly splashScreen: string | null;
  readonly aiKnowledge: string | null;
  readonly marketplaceEnabled: boolean;
  readonly marketplaceThumbnail: string | null;
  readonly marketplaceCover: string | null;
  readonly marketplaceDescription: string | null;
  readonly appVersion: string | null;
  readonly buildNumber: number | null;
  readonly showServiceBranding: boolean;
  readonly pwaEnabled: boolean;
  readonly orientation: Orientation;
  readonly mobilePermissions: readonly MobilePermission[];
  readonly dependencies: Dependencies;
}

export const firstSettings: ProjectSettings = {
  logo: null,
  favicon: null,
  appIcon: null,
  splashScreen: null,
  aiKnowledge: null,
  marketplaceEnabled: false,
  marketplaceThumbnail: null,
  marketplaceCover: null,
  marketplaceDescription: null,
  appVersion: null,
  buildNumber: null,
  showServiceBranding: true,
  pwaEnabled: false,
  orientation: 'default',
  mobilePermissions: [],
  dependencies: {},
};

export interface ChangeableSettings extends ProjectSettings {
  readonly name: string;
  readonly description: string | null;
  readonly color: string;
  readonly brandKit: JsonObject | null;
  readonly bundleIdentifier: string | null;
  readonly appDisplayName: string | null;
}

export interface Published {
  readonly at: string;
  readonly settings: PublishedSettings;
}

/** These settings have no effect on what visitors see, so a change needs no new publish (Q-S08). */
type OnlyInside =
  | 'aiKnowledge'
  | 'marketplaceEnabled'
  | 'marketplaceThumbnail'
  | 'marketplaceCover'
  | 'marketplaceDescription';

/** Projects that were published before analytics settings existed lack them. */
export type PublishedSettings = Omit<ChangeableSettings, OnlyInside> & Partial<AnalyticsSettings>;

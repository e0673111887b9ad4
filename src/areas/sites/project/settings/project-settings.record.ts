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

/** Names of npm packages, with the requested version, range or tag of each. */
export type Dependencies = Readonly<Record<string, string>>;

/** Settings that can only be set after a project was created. */
export interface ProjectSettings {
  /** This and the other images are URLs, or paths on the site. */
  readonly logo: string | null;
  readonly favicon: string | null;
  readonly appIcon: string | null;
  readonly splashScreen: string | null;
  /** Instructions for agents that work on the project. */
  readonly aiKnowledge: string | null;
  readonly marketplaceEnabled: boolean;
  readonly marketplaceThumbnail: string | null;
  readonly marketplaceCover: string | null;
  readonly marketplaceDescription: string | null;
  readonly appVersion: string | null;
  readonly buildNumber: number | null;
  /** Whether the site shows the 'built with' badge. */
  readonly showServiceBranding: boolean;
  /** Whether visitors can install the site on their device. */
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

/** The settings that `updateProject` can change. */
export interface ChangeableSettings extends ProjectSettings {
  readonly name: string;
  readonly description: string | null;
  readonly color: string;
  readonly brandKit: JsonObject | null;
  readonly bundleIdentifier: string | null;
  readonly appDisplayName: string | null;
}

/** The settings with which the live deployment of a project was built. */
export interface Published {
  /** ISO 8601. */
  readonly at: string;
  readonly settings: PublishedSettings;
}

/** Settings that have no effect on what visitors see. A change of these needs no new publish (Q-S08). */
type OnlyInside =
  | 'aiKnowledge'
  | 'marketplaceEnabled'
  | 'marketplaceThumbnail'
  | 'marketplaceCover'
  | 'marketplaceDescription';

/** Projects that were published before analytics settings existed lack those settings. */
export type PublishedSettings = Omit<ChangeableSettings, OnlyInside> & Partial<AnalyticsSettings>;

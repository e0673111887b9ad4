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

/** npm packages with the requested versions, ranges or tags. */
export type Dependencies = Readonly<Record<string, string>>;

/** Settings that a new project does not have yet. */
export interface ProjectSettings {
  /** Images are URLs, or paths on the site. */
  readonly logo: string | null;
  readonly favicon: string | null;
  readonly appIcon: string | null;
  readonly splashScreen: string | null;
  /** Instructions about the project for agents. */
  readonly aiKnowledge: string | null;
  readonly marketplaceEnabled: boolean;
  readonly marketplaceThumbnail: string | null;
  readonly marketplaceCover: string | null;
  readonly marketplaceDescription: string | null;
  readonly appVersion: string | null;
  readonly buildNumber: number | null;
  /** Whether the 'built with' badge is shown. */
  readonly showServiceBranding: boolean;
  /** Whether visitors can install the pages as an app. */
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

/** The settings that updateProject changes. */
export interface ChangeableSettings extends ProjectSettings {
  readonly name: string;
  readonly description: string | null;
  readonly color: string;
  readonly brandKit: JsonObject | null;
  readonly bundleIdentifier: string | null;
  readonly appDisplayName: string | null;
}

/** The settings with which a project was published. */
export interface Published {
  /** ISO 8601. */
  readonly at: string;
  readonly settings: PublishedSettings;
}

/** Settings that visitors do not see, so changing them needs no new publish (Q-S08). */
type OnlyInside =
  | 'aiKnowledge'
  | 'marketplaceEnabled'
  | 'marketplaceThumbnail'
  | 'marketplaceCover'
  | 'marketplaceDescription';

/** Absent in projects that were published before analytics settings existed. */
export type PublishedSettings = Omit<ChangeableSettings, OnlyInside> & Partial<AnalyticsSettings>;

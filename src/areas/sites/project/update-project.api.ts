import type { JsonObject } from '../../../kernel/json/json.js';
import { differing } from '../../../kernel/record/differing.js';
import type { Plan } from '../../workspace/workspace/workspace.record.js';
import { analyticsOf, firstAnalytics } from '../analytics/analytics-settings.record.js';
import { refuse } from '../sites.refusals.js';
import type { Project, ProjectEvent } from './project.record.js';
import { dependenciesInOrder, refusedPackages } from './settings/dependency-set.js';
import {
  type ChangeableSettings,
  mobilePermissions,
  type Orientation,
  type PublishedSettings,
} from './settings/project-settings.record.js';

/** An empty text clears an optional setting. */
export interface ProjectUpdate {
  readonly name?: string;
  readonly description?: string;
  readonly color?: string;
  readonly logo?: string;
  readonly favicon?: string;
  readonly aiKnowledge?: string;
  readonly marketplaceThumbnail?: string;
  readonly marketplaceCover?: string;
  readonly marketplaceDescription?: string;
  readonly appDisplayName?: string;
  readonly bundleIdentifier?: string;
  readonly appVersion?: string;
  readonly showServiceBranding?: boolean;
  readonly dependencies?: JsonObject;
  readonly brandKit?: JsonObject;
  readonly marketplaceEnabled?: boolean;
  readonly pwaEnabled?: boolean;
  readonly buildNumber?: number;
  readonly appIcon?: string;
  readonly splashScreen?: string;
  readonly orientation?: Orientation;
  readonly mobilePermissions?: readonly string[];
}

export interface ProjectCircumstances {
  readonly plan: Plan;
  readonly upgradeUrl: string;
}

/**
 * A changed name does not change the address.
 * @throws Refusal
 */
export function updateProject(
  project: Project,
  sent: ProjectUpdate,
  { plan, upgradeUrl }: ProjectCircumstances,
): readonly ProjectEvent[] {
  if (sent.showServiceBranding === false && plan === 'free') {
    refuse('plan-limit', { plan, what: "the 'built with' badge on every site", upgradeUrl }, { upgradeUrl });
  }
  const packages = refusedPackages(sent.dependencies ?? {});
  if (packages.length > 0) {
    const list = packages.map(({ name, version, reason }) => `${name} (${version}) ${reason}`).join('; ');
    const at = packages.map(({ name }) => `dependencies.${name}`);
    refuse('dependencies-refused', { list }, { at, packages });
  }
  const changed = differing<ChangeableSettings>(project, settingsOf(sent));
  return changed === undefined ? [] : [{ type: 'ProjectUpdated', data: changed }];
}

function settingsOf({
  dependencies,
  mobilePermissions: permissions,
  ...sent
}: ProjectUpdate): Partial<ChangeableSettings> {
  const values = Object.entries(sent).map(([name, value]) => [name, value === '' ? null : value]);
  return {
    ...Object.fromEntries(values),
    ...(dependencies === undefined ? {} : { dependencies: dependenciesInOrder(dependencies) }),
    ...(permissions === undefined
      ? {}
      : { mobilePermissions: mobilePermissions.filter((one) => permissions.includes(one)) }),
  };
}

export function publishedSettingsOf(project: Project): PublishedSettings {
  return {
    name: project.name,
    description: project.description,
    color: project.color,
    brandKit: project.brandKit,
    bundleIdentifier: project.bundleIdentifier,
    appDisplayName: project.appDisplayName,
    logo: project.logo,
    favicon: project.favicon,
    appIcon: project.appIcon,
    splashScreen: project.splashScreen,
    appVersion: project.appVersion,
    buildNumber: project.buildNumber,
    showServiceBranding: project.showServiceBranding,
    pwaEnabled: project.pwaEnabled,
    orientation: project.orientation,
    mobilePermissions: project.mobilePermissions,
    dependencies: project.dependencies,
    ...analyticsOf(project),
  };
}

export interface Republish {
  readonly needsRepublish?: boolean;
  readonly republishNote?: string;
}

/** Empty if the project is unpublished or `sent` has no setting of `PublishedSettings`. */
export function republishOf(project: Project, sent: ProjectUpdate): Republish {
  const { published } = project;
  const settings = publishedSettingsOf(project);
  const isPartOfIt = Object.entries(sent).some(([name, value]) => value !== undefined && name in settings);
  if (published === null || !isPartOfIt) return {};
  const names = Object.keys(differing<PublishedSettings>({ ...firstAnalytics, ...published.settings }, settings) ?? {});
  if (names.length === 0) return { needsRepublish: false };
  return {
    needsRepublish: true,
    republishNote: `Visitors will see the changes of ${names.join(', ')} after the next publish.`,
  };
}

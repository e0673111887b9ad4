import { uniqueName } from '../../../engine/commands/reservation.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { Text } from '../../../kernel/text/text.js';
import { type AnalyticsSettings, firstAnalytics } from '../analytics/analytics-settings.record.js';
import { refuse } from '../sites.refusals.js';
import { type AuthSettings, firstAuthSettings } from './settings/auth-settings.record.js';
import {
  type ChangeableSettings,
  type Dependencies,
  firstSettings,
  type ProjectSettings,
  type Published,
} from './settings/project-settings.record.js';

export const projectTypes = ['web', 'mobile'] as const;
export type ProjectType = (typeof projectTypes)[number];

export interface ProjectFields {
  readonly name: string;
  readonly description: string | null;
  readonly color: string;
  readonly brandKit: JsonObject | null;
  readonly projectType: ProjectType;
  readonly bundleIdentifier: string | null;
  readonly appDisplayName: string | null;
  /** True for a workspace app, which only members with edit rights can open. */
  readonly isApp: boolean;
  /** Last segment of an app's path, `/app/<handle>/<slug>`, unique in the workspace. `null` for a site. */
  readonly slug: string | null;
  readonly subdomain: string | null;
  /** The only base that the pages and functions of the project read directly. */
  readonly linkedBaseId: string;
}

/** Keyed by `<area>:*` or `<area>:<operation>`. If it is empty, agents may use all operations. */
export type AiPermissions = Readonly<Record<string, boolean>>;

export interface LockedDependencies {
  readonly dependencies: Dependencies;
  readonly packageCount: number;
  readonly lock: Text;
}

export interface ContentId {
  readonly kind: string;
  readonly id: string;
}

export interface ProjectNotice {
  readonly id: string;
  readonly name: string;
  readonly summary: string;
  /** The notice is shown as new until this time (ISO 8601). */
  readonly expiresAt: string;
}

export type ProjectEvent =
  | DomainEvent<'ProjectCreated', ProjectFields>
  | DomainEvent<'ProjectUpdated', Partial<ChangeableSettings>>
  | DomainEvent<'ProjectAuthUpdated', Partial<AuthSettings>>
  | DomainEvent<'ProjectAnalyticsUpdated', AnalyticsSettings>
  | DomainEvent<'ProjectDependenciesLocked', { readonly locked: LockedDependencies }>
  | DomainEvent<'ProjectSubdomainChanged', { readonly subdomain: string }>
  | DomainEvent<'ProjectAiPermissionsSet', { readonly aiPermissions: AiPermissions }>
  /** The site that visitors see from now on was built with these settings. */
  | DomainEvent<'ProjectPublished', { readonly published: Published }>
  | DomainEvent<'ProjectUnpublished', object>
  /** Recorded before the events that discard edits, so that the snapshot includes those edits. */
  | DomainEvent<'SnapshotSaved', { readonly snapshotId: string; readonly message: string }>
  | DomainEvent<'SnapshotRestored', { readonly snapshotId: string }>
  | DomainEvent<
      'SnapshotChangeReverted',
      {
        readonly snapshotId: string;
        readonly reverted: readonly ContentId[];
        readonly skipped: readonly (ContentId & { readonly reason: string })[];
      }
    >
  | DomainEvent<'ProjectSignInMailLost', { readonly notice: ProjectNotice }>
  /** The sessions of all visitors of the site end with this event. */
  | DomainEvent<'ProjectSitePassesReset', object>
  | DomainEvent<'ProjectDeleted', object>;

export interface Project extends Document, ProjectFields, ProjectSettings, AuthSettings, AnalyticsSettings {
  readonly aiPermissions: AiPermissions;
  readonly locked: LockedDependencies | null;
  readonly published: Published | null;
  /**
   * A pass, which proves a visitor's session, contains this number as it was when the pass was issued. The pass is
   * valid only while the project has the same number.
   */
  readonly passGeneration: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const projects = plainRecord<Project, ProjectEvent>()({
  category: 'project',
  auditedFor: 'site.read',
  shownBy: 'site/getProject',
  limited: true,
  is: 'project',
  undoing: {
    sets: [
      'site/updateProject',
      { operation: 'site/updateProjectAuth', of: 'auth', merges: ['authPaths'], leaves: ['authCustomFields'] },
      'site/updateSubdomain',
      { operation: 'site/updateAnalyticsSettings', of: 'analytics' },
      'site/updateAiPermissions',
    ],
    otherwise: 'Fields of users are added and removed with updateProjectAuth; getStateAt returns the earlier state.',
    gone: 'Everything that belonged to the site was deleted with it; create a new one.',
  },
  missing: () => refuse('site-not-found'),
  collection: {
    name: 'projects',
    version: 4,
    indexes: [{ fields: ['workspaceId', 'createdAt'] }, { fields: ['subdomain'] }],
  },
  updatedAt: true,
  texts: ['locked.lock'],
  begins: {
    ProjectCreated: {
      ...firstSettings,
      ...firstAuthSettings,
      ...firstAnalytics,
      aiPermissions: {},
      locked: null,
      published: null,
      passGeneration: 0,
    },
  },
  merges: [
    'ProjectSubdomainChanged',
    'ProjectAiPermissionsSet',
    'ProjectUpdated',
    'ProjectAuthUpdated',
    'ProjectAnalyticsUpdated',
    'ProjectDependenciesLocked',
    'ProjectPublished',
  ],
  ends: ['ProjectDeleted'],
  sentences: {
    ProjectPublished: () => 'What visitors see was made with the settings of then',
    ProjectUnpublished: () => 'Visitors see nothing of the site any more',
  },
  also: {
    ProjectUnpublished: () => ({ published: null }),
    SnapshotSaved: () => ({}),
    SnapshotRestored: () => ({}),
    SnapshotChangeReverted: () => ({}),
    ProjectSignInMailLost: () => ({}),
    ProjectSitePassesReset: ({ passGeneration }) => ({ passGeneration: passGeneration + 1 }),
  },
});

/** Unique in the whole service, not only in the workspace. */
export const projectSubdomain = uniqueName(
  'projectSubdomain',
  projects,
  (project: Project) => project.subdomain ?? undefined,
  { among: 'service' },
);

export const appSlug = uniqueName('appSlug', projects, (project: Project) => project.slug ?? undefined);

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

/** A site or a workspace app. Only members with edit rights can open an app. */
export interface ProjectFields {
  readonly name: string;
  readonly description: string | null;
  /** Colour in the form `#RRGGBB`. */
  readonly color: string;
  readonly brandKit: JsonObject | null;
  readonly projectType: ProjectType;
  readonly bundleIdentifier: string | null;
  readonly appDisplayName: string | null;
  readonly isApp: boolean;
  /** Last segment of an app's path, `/app/<handle>/<slug>`, unique in the workspace. `null` for a site. */
  readonly slug: string | null;
  /** Subdomain of a site, unique in the service. `null` for an app. */
  readonly subdomain: string | null;
  /** The only base that the pages and functions of the project read directly. */
  readonly linkedBaseId: string;
}

/**
 * Keys of operations and whether agents may use them in the project: `<area>:*` or `<area>:<operation>`. If it is
 * empty, agents may use all operations.
 */
export type AiPermissions = Readonly<Record<string, boolean>>;

/** The result of resolving a set of dependencies to exact package versions. */
export interface LockedDependencies {
  /** The dependencies as requested. */
  readonly dependencies: Dependencies;
  readonly packageCount: number;
  /** JSON with each package's path in node_modules, version and integrity hash. */
  readonly lock: Text;
}

/** Identifies a page, component or email template of a project. */
export interface ContentId {
  /** Category of the record's stream. */
  readonly kind: string;
  readonly id: string;
}

/** A notice about a project to the members of its workspace. */
export interface ProjectNotice {
  readonly id: string;
  /** Name of the project. */
  readonly name: string;
  readonly summary: string;
  /**
   * Time until which the notice is shown as new. Other notices offer to undo a change until this time; this one does
   * not.
   */
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
  | DomainEvent<'SnapshotRestored', { readonly snapshotId: string }>
  | DomainEvent<
      'SnapshotChangeReverted',
      {
        readonly snapshotId: string;
        readonly reverted: readonly ContentId[];
        readonly skipped: readonly (ContentId & { readonly reason: string })[];
      }
    >
  /** The mailbox or template that the project's sign-in uses is no longer available. */
  | DomainEvent<'ProjectSignInMailLost', { readonly notice: ProjectNotice }>
  /** The sessions of all visitors of the site end with this event. */
  | DomainEvent<'ProjectSitePassesReset', object>
  | DomainEvent<'ProjectDeleted', object>;

export interface Project extends Document, ProjectFields, ProjectSettings, AuthSettings, AnalyticsSettings {
  readonly aiPermissions: AiPermissions;
  /** `null` until `bundleDeps` is called for the first time. */
  readonly locked: LockedDependencies | null;
  /** `null` if the site is not published. */
  readonly published: Published | null;
  /**
   * A pass, which proves a visitor's session, contains this number as it was when the pass was issued. The pass is
   * invalid if the project has another number now. Resetting all passes increases the number.
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
  says: {
    ProjectPublished: () => 'What visitors see was made with the settings of then',
    ProjectUnpublished: () => 'Visitors see nothing of the site any more',
  },
  also: {
    ProjectUnpublished: () => ({ published: null }),
    SnapshotRestored: () => ({}),
    SnapshotChangeReverted: () => ({}),
    ProjectSignInMailLost: () => ({}),
    ProjectSitePassesReset: ({ passGeneration }) => ({ passGeneration: passGeneration + 1 }),
  },
});

/** Subdomains are unique in the whole service, not only in the workspace. */
export const projectSubdomain = uniqueName(
  'projectSubdomain',
  projects,
  (project: Project) => project.subdomain ?? undefined,
  { among: 'service' },
);

export const appSlug = uniqueName('appSlug', projects, (project: Project) => project.slug ?? undefined);

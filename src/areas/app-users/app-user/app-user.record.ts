import { inProject, uniqueName } from '../../../engine/commands/reservation.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../app-users.refusals.js';

/** How the user was created: by an operation, by signing up, or by the first sign-in with another service. */
export type AppUserOrigin = 'operation' | 'signUp' | 'social';

export interface AppUserFacts {
  readonly projectId: string;
  /** Normalised by `userEmail`. */
  readonly email: string;
  readonly name: string;
  /** Keyed by field id. Values of fields that were removed from the site remain here. */
  readonly customFields: JsonObject;
  /** Time in ISO 8601. `null` until the address is verified. */
  readonly emailVerifiedAt: string | null;
  /** The legacy role. It gives no access by itself. */
  readonly role: string | null;
  /** Ids of the user's roles. Some of these roles may have been deleted since. */
  readonly roleIds: readonly string[];
  /**
   * Name of the vault entry with the password's hash. Every new password gets its own entry. `null` if the user has no
   * password.
   */
  readonly passwordId: string | null;
}

interface OfProject {
  readonly projectId: string;
}

/**
 * The generation that the user's session passes must have from now on. Each change that ends the user's sessions
 * increases it, so all earlier passes become invalid.
 */
interface EndsPasses {
  readonly passGeneration: number;
}

export type AppUserEvent =
  | DomainEvent<'AppUserCreated', AppUserFacts & { readonly origin: AppUserOrigin }>
  | DomainEvent<'AppUserUpdated', Partial<Pick<AppUserFacts, 'name' | 'customFields' | 'role'>>>
  | DomainEvent<'AppUserEmailChanged', Pick<AppUserFacts, 'email' | 'emailVerifiedAt'> & EndsPasses>
  | DomainEvent<'AppUserVerified', OfProject & { readonly emailVerifiedAt: string }>
  /** `replaces` is the vault entry with the old password's hash, which can be destroyed. */
  | DomainEvent<
      'AppUserPasswordSet',
      { readonly passwordId: string; readonly replaces: string | null } & Partial<EndsPasses>
    >
  | DomainEvent<'AppUserRoleAssigned', OfProject & { readonly roleId: string }>
  | DomainEvent<'AppUserRoleUnassigned', OfProject & { readonly roleId: string }>
  /** The legacy role was migrated to this role. If the legacy role changes, it can be migrated again. */
  | DomainEvent<'AppUserRoleMigrated', OfProject & { readonly roleId: string }>
  | DomainEvent<'AppUserBanned', OfProject & EndsPasses>
  | DomainEvent<'AppUserUnbanned', object>
  | DomainEvent<'AppUserDeleted', OfProject & { readonly passwordId: string | null }>;

export interface AppUser extends Document, AppUserFacts {
  readonly isBanned: boolean;
  readonly passGeneration: number;
  /** Whether the legacy role still has to be migrated. */
  readonly hasRoleToMigrate: boolean;
  /** The role that the migration assigned and that the user still has, or `null`. */
  readonly migratedRoleId: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const appUsers = plainRecord<AppUser, AppUserEvent>()({
  category: 'appUser',
  inner: ['passwordId'],
  secrets: {
    entry: 'app-user-password',
    fates: {
      AppUserCreated: ({ passwordId }) => ({ keeps: passwordId }),
      AppUserPasswordSet: ({ passwordId, replaces }) => ({ keeps: passwordId, destroys: replaces }),
      AppUserDeleted: ({ passwordId }) => ({ destroys: passwordId }),
    },
  },
  auditedFor: 'site.users',
  shownBy: 'site/getAppUser',
  of: { project: 'projectId' },
  personal: { email: 'erased', name: 'A former user', customFields: null },
  undoing: {
    sets: [
      {
        operation: 'site/updateAppUser',
        merges: ['customFields'],
        unseen: ['migratedRoleId'],
        // An undo that changes `role` is refused while the user has a migrated role. The undo would not remove that
        // role, so the user would retain the access of the former legacy role.
        clears: { role: 'migratedRoleId' },
      },
    ],
    gone: "A deleted user's data is erased; create the user again.",
  },
  missing: () => refuse('app-user-not-found'),
  collection: {
    name: 'appUsers',
    version: 2,
    indexes: [
      { fields: ['workspaceId', 'projectId'] },
      { fields: ['workspaceId', 'projectId', 'createdAt'] },
      { fields: ['workspaceId', 'projectId', 'hasRoleToMigrate'] },
    ],
  },
  updatedAt: true,
  begins: {
    AppUserCreated: ({ data: { origin: _, ...facts } }) => ({
      ...facts,
      isBanned: false,
      passGeneration: 0,
      hasRoleToMigrate: isInformative(facts.role),
      migratedRoleId: null,
    }),
  },
  merges: ['AppUserEmailChanged', 'AppUserVerified'],
  ends: ['AppUserDeleted'],
  also: {
    AppUserUpdated: (_, { data }) => ({
      ...data,
      ...(data.role === undefined ? {} : { hasRoleToMigrate: isInformative(data.role) }),
    }),
    AppUserPasswordSet: (_, { data: { replaces: __, ...set } }) => set,
    AppUserRoleAssigned: ({ roleIds }, { data: { roleId } }) => ({
      roleIds: [...roleIds.filter((id) => id !== roleId), roleId],
    }),
    AppUserRoleUnassigned: ({ roleIds, migratedRoleId }, { data: { roleId } }) => ({
      roleIds: roleIds.filter((id) => id !== roleId),
      migratedRoleId: migratedRoleId === roleId ? null : migratedRoleId,
    }),
    AppUserRoleMigrated: (_, { data: { roleId } }) => ({ hasRoleToMigrate: false, migratedRoleId: roleId }),
    AppUserBanned: (_, { data: { passGeneration } }) => ({ isBanned: true, passGeneration }),
    AppUserUnbanned: () => ({ isBanned: false }),
  },
});

/**
 * Whether the legacy role must be migrated. The role `user` need not be, because it gives no access that other users do
 * not have anyway (Q-S31).
 */
function isInformative(role: string | null): boolean {
  return role !== null && role !== 'user';
}

/**
 * Builds the reservation that makes an email unique among the users of a project. The first argument is
 * `inProject(projectId, userEmail(…))`.
 */
export const appUserEmail = uniqueName(
  'appUserEmail',
  appUsers,
  ({ projectId, email }: AppUser) => inProject(projectId, email),
  { personal: true },
);

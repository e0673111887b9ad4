import { inProject, uniqueName } from '../../../engine/commands/reservation.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../app-users.refusals.js';

export type AppUserOrigin = 'operation' | 'signUp' | 'social';

export interface AppUserFacts {
  readonly projectId: string;
  /** Normalised by `userEmail`. */
  readonly email: string;
  readonly name: string;
  /** Keyed by field id. Values of fields that were removed from the site remain here. */
  readonly customFields: JsonObject;
  readonly emailVerifiedAt: string | null;
  /** The legacy role. It gives no access by itself. */
  readonly role: string | null;
  /** The list can include roles that were deleted. */
  readonly roleIds: readonly string[];
  /** Name of the vault entry with the password's hash. Each new password gets a new entry. */
  readonly passwordId: string | null;
}

interface OfProject {
  readonly projectId: string;
}

/** Each change that ends the user's sessions increases this number. Session passes with a lower number are invalid. */
interface EndsPasses {
  readonly passGeneration: number;
}

export type AppUserEvent =
  | DomainEvent<'AppUserCreated', AppUserFacts & { readonly origin: AppUserOrigin }>
  | DomainEvent<'AppUserUpdated', Partial<Pick<AppUserFacts, 'name' | 'customFields' | 'role'>>>
  | DomainEvent<'AppUserEmailChanged', Pick<AppUserFacts, 'email' | 'emailVerifiedAt'> & EndsPasses>
  | DomainEvent<'AppUserVerified', OfProject & { readonly emailVerifiedAt: string }>
  | DomainEvent<
      'AppUserPasswordSet',
      { readonly passwordId: string; readonly replaces: string | null } & Partial<EndsPasses>
    >
  | DomainEvent<'AppUserRoleAssigned', OfProject & { readonly roleId: string }>
  | DomainEvent<'AppUserRoleUnassigned', OfProject & { readonly roleId: string }>
  | DomainEvent<'AppUserRoleMigrated', OfProject & { readonly roleId: string }>
  | DomainEvent<'AppUserBanned', OfProject & EndsPasses>
  | DomainEvent<'AppUserUnbanned', object>
  | DomainEvent<'AppUserDeleted', OfProject & { readonly passwordId: string | null }>;

export interface AppUser extends Document, AppUserFacts {
  readonly isBanned: boolean;
  readonly passGeneration: number;
  readonly hasRoleToMigrate: boolean;
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
        // A change of `role` also unassigns the migrated role. An undo changes `role` again, so it is refused if
        // another role has been migrated since.
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

/** The role `user` is not migrated, because it gives no access that other users lack (Q-S31). */
function isInformative(role: string | null): boolean {
  return role !== null && role !== 'user';
}

/** The name must be `inProject(projectId, userEmail(…))`. */
export const appUserEmail = uniqueName(
  'appUserEmail',
  appUsers,
  ({ projectId, email }: AppUser) => inProject(projectId, email),
  { personal: true },
);

import { inProject, uniqueName } from '../../../engine/commands/reservation.js';
import { boolean, field, id, name } from '../../../kernel/noun/fields.js';
import { noun } from '../../../kernel/noun/noun.js';
import type { NounEvents, RecordOf } from '../../../kernel/noun/noun-types.js';
import { folded } from '../../../kernel/text/folded.js';
import { refuse } from '../app-users.refusals.js';

const fields = {
  projectId: id().owner(),
  name: name().describe({
    create: 'Unique in the project. Not case-sensitive.',
    update: 'Unique in the project. Not case-sensitive. The reserved role cannot be renamed.',
  }),
  color: field({ type: 'string', pattern: /^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/ })
    .clearable()
    .describe({ create: 'For example #1a73e8.', update: 'For example #1a73e8. null removes the color.' }),
  isLegacy: boolean()
    .initially(false)
    .unsent()
    .fixed()
    .describe("Whether the role was created from users' legacy `role` values."),
  isReserved: boolean()
    .initially(false)
    .unsent()
    .fixed()
    .describe('Whether this is the reserved role app-super-admin, which cannot be renamed or deleted.'),
};

const events = { created: 'SiteRoleCreated', changed: 'SiteRoleUpdated', deleted: 'SiteRoleDeleted' } as const;

export type SiteRoleEvent = NounEvents<typeof fields, typeof events>;

export interface SiteRole extends RecordOf<typeof fields> {}

export const siteRoles = noun<SiteRole, SiteRoleEvent>()({
  kind: 'siteRole',
  fields,
  events,
  auditedFor: 'site.read',
  shownBy: 'site/listProjectRoles',
  limited: true,
  of: { project: 'projectId' },
  undoing: {
    sets: ['site/updateProjectRole'],
    ends: 'site/deleteProjectRole',
    gone: 'The role was removed from its users; create it again.',
  },
  missing: () => refuse('role-not-found'),
  collection: { name: 'siteRoles', version: 1, indexes: [{ fields: ['workspaceId', 'projectId', 'createdAt'] }] },
});

/** Normalises the name of a role. Two names are treated as the same if their normalised forms are equal. */
export const roleNameKey = (name: string): string => folded(name.normalize('NFC').replace(/\s+/g, ' ').trim());

const siteRoleName = uniqueName('siteRoleName', siteRoles, ({ projectId, name }: SiteRole) =>
  roleNameKey(inProject(projectId, name)),
);

/** @param name the project and the name of the role, as combined by `inProject` */
export const reservedRoleName = (name: string, holder: string) => siteRoleName(roleNameKey(name), holder);

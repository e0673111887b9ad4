import { inProject, uniqueName } from '../../../engine/commands/reservation.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { folded } from '../../../kernel/text/folded.js';

export interface SiteRoleFacts {
  readonly projectId: string;
  /** Unique in the project, whatever the case of its letters. */
  readonly name: string;
  /** `#rgb` or `#rrggbb`. */
  readonly color: string | null;
  /** Made of the role texts that users had before there were roles. */
  readonly isLegacy: boolean;
  /** `app-super-admin`: neither renamed nor deleted. */
  readonly isReserved: boolean;
}

export type SiteRoleEvent =
  | DomainEvent<'SiteRoleCreated', SiteRoleFacts>
  | DomainEvent<'SiteRoleUpdated', { readonly name?: string; readonly color?: string | null }>
  | DomainEvent<'SiteRoleDeleted', { readonly projectId: string }>;

/** What users of a site can be; rules name it by its id. Who has it stands with the users. */
export interface SiteRole extends Document, SiteRoleFacts {
  readonly createdAt: string;
}

export const siteRoles = plainRecord<SiteRole, SiteRoleEvent>()({
  category: 'siteRole',
  auditedFor: 'site.read',
  shownBy: 'site/listProjectRoles',
  limited: true,
  within: 'project',
  undoing: {
    sets: ['site/updateProjectRole'],
    ends: 'site/deleteProjectRole',
    gone: 'It was taken from its users; create the role again.',
  },
  missing: () => refuse('role-not-found'),
  collection: { name: 'siteRoles', version: 1, indexes: [{ fields: ['workspaceId', 'projectId', 'createdAt'] }] },
  begins: { SiteRoleCreated: {} },
  merges: ['SiteRoleUpdated'],
  ends: ['SiteRoleDeleted'],
  also: {},
});

/** The form in which two names of one role are equal, and so are two that are `inProject`. */
export const roleNameKey = (name: string): string => folded(name.normalize('NFC').replace(/\s+/g, ' ').trim());

const siteRoleName = uniqueName('siteRoleName', siteRoles, ({ projectId, name }: SiteRole) =>
  roleNameKey(inProject(projectId, name)),
);

/** By a name that is `inProject`. */
export const reservedRoleName = (name: string, holder: string) => siteRoleName(roleNameKey(name), holder);

import { Operation, success } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';

const source = 'Sites API, App users and roles';
const group = 'roles';
const color = { type: 'string', pattern: /^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/, optional: true } as const;
const example = 'Such as #1a73e8.';

export class RoleRow {
  @Field({ type: 'string', description: 'The roleId of has_role rules.' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', nullable: true }) color!: string | null;
  @Field({ type: 'boolean', description: 'Made of what users had as `role` before there were roles.' })
  isLegacy!: boolean;
  @Field({ type: 'boolean', description: 'app-super-admin: cannot be renamed or deleted.' }) isReserved!: boolean;
  @Field({ type: 'integer' }) assignedUserCount!: number;
  @Field({ type: 'string' }) createdAt!: string;
}

@Operation('site/listProjectRoles', {
  summary: 'Lists the roles of a project, after making the reserved one and those of legacy users where they lack.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  within: 'project',
  tools: 'granted',
  answers: { list: RoleRow },
})
export class ListProjectRoles {
  @Field(idField) projectId!: string;
}

@Operation('site/createProjectRole', {
  summary: 'Creates a role that users of a project can have.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  within: 'project',
  tools: 'granted',
  answers: { record: RoleRow },
})
export class CreateProjectRole {
  @Field(idField) projectId!: string;
  @Field({ ...nameField, description: 'Unique in the project, whatever the case of its letters.' }) name!: string;
  @Field({ ...color, description: example }) color?: string;
}

@Operation('site/updateProjectRole', {
  summary: 'Updates a role; users who have it keep it.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  tools: 'granted',
  answers: { record: RoleRow },
})
export class UpdateProjectRole {
  @Field(idField) roleId!: string;
  @Field({ ...nameField, optional: true, description: 'The reserved role keeps its name.' }) name?: string;
  @Field({ ...color, nullable: true, description: `${example} null: none.` }) color?: string | null;
}

@Operation('site/deleteProjectRole', {
  summary: 'Deletes a role and takes it from all users; rules that name it let nobody in by it any more.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  tools: 'granted',
  takesAway: true,
  answers: success,
})
export class DeleteProjectRole {
  @Field(idField) roleId!: string;
}

class OneRoleOfUser {
  @Field(idField) userId!: string;
  @Field({ ...idField, description: 'Of the same project as the user.' }) roleId!: string;
}

@Operation('site/assignRoleToAppUser', {
  summary: 'Gives a user of a site a role; nothing happens where the user has it.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  tools: 'agents',
  answers: success,
})
export class AssignRoleToAppUser extends OneRoleOfUser {}

@Operation('site/unassignRoleFromAppUser', {
  summary: 'Takes a role from a user of a site; nothing happens where the user does not have it.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  tools: 'agents',
  takesAway: true,
  answers: success,
})
export class UnassignRoleFromAppUser extends OneRoleOfUser {}

@Operation('site/getAppUserRoles', {
  summary: 'Lists the roles that a user of a site has.',
  source,
  group,
  effect: 'query',
  permission: 'site.users',
  tools: 'agents',
  answers: { list: RoleRow },
})
export class GetAppUserRoles {
  @Field(idField) userId!: string;
}

@Operation('site/migrateProjectToRoleSystem', {
  summary: 'Turns the legacy roles of users into roles, once for every user; repeating it changes nothing.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  within: 'project',
  tools: 'granted',
  answers: success,
})
export class MigrateProjectToRoleSystem {
  @Field(idField) projectId!: string;
}

import { Operation, success } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { TriggerRecord } from '../../account-events/event-trigger/trigger-record.api.js';
import { firstColor } from './project.js';
import { type AiPermissions, type ProjectType, projectTypes } from './project.record.js';
import { ProjectAuth } from './project-auth.operations.js';
import {
  type Dependencies,
  type MobilePermission,
  mobilePermissions,
  type Orientation,
  orientations,
} from './project-settings.record.js';

const source = 'Sites API, Projects and settings';
const nullableText = { type: 'string', nullable: true } as const;
const count = { type: 'integer' } as const;

export class ProjectRow {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field(nullableText) description!: string | null;
  @Field({ type: 'boolean' }) isApp!: boolean;
  @Field({ ...nullableText, description: 'Of a site.' }) subdomain!: string | null;
  @Field({ ...nullableText, description: 'Of a workspace app.' }) slug!: string | null;
  @Field({ type: 'string', description: 'The one base that the site reads directly.' }) linkedBaseId!: string;
  @Field(count) pageCount!: number;
  @Field(count) componentCount!: number;
  @Field({ type: 'string' }) createdAt!: string;
  @Field({ type: 'string' }) updatedAt!: string;
}

export class LinkedBase {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

@Operation('site/listProjects', {
  summary: 'Lists the sites of the workspace, its workspace apps, or both, oldest first.',
  source,
  group: 'projects',
  effect: 'query',
  permission: 'site.read',
  tools: 'granted',
  answers: { list: ProjectRow },
})
export class ListProjects {
  @Field({ type: 'string', enum: ['site', 'app', 'all'], optional: true, default: 'site' }) kind?:
    | 'site'
    | 'app'
    | 'all';
}

export const colorField = {
  type: 'string',
  pattern: /^#[0-9A-Fa-f]{6}$/,
  description: 'Hex, e.g. #3B82F6.',
} as const;
export const brandKitField = { type: 'object', maxBytes: 64 * 1024 } as const;
export const bundleIdentifierField = {
  type: 'string',
  maxLength: 155,
  pattern: /^com(?:\.[A-Za-z][A-Za-z0-9-]*){2,}$/,
  description: 'com.<org>.<app>',
} as const;
export const descriptionField = { type: 'string', maxLength: 2_000 } as const;

@Operation('site/createProject', {
  summary: 'Creates a site, or a workspace app, with its base, a home page and an address made from the name.',
  source,
  group: 'projects',
  effect: 'command',
  permission: 'site.edit',
  tools: 'granted',
  answers: { record: ProjectRow },
})
export class CreateProject {
  @Field(nameField) name!: string;
  @Field({ ...descriptionField, optional: true }) description?: string;
  @Field({ ...colorField, optional: true, default: firstColor }) color?: string;
  @Field({ ...brandKitField, optional: true, description: 'The beginning of the design system.' })
  brandKit?: JsonObject;
  @Field({ type: 'string', enum: projectTypes, optional: true, default: 'web' }) projectType?: ProjectType;
  @Field({ ...bundleIdentifierField, optional: true }) bundleIdentifier?: string;
  @Field({ ...nameField, optional: true }) appDisplayName?: string;
  @Field({ type: 'boolean', optional: true, default: false, description: 'A workspace app.' }) isApp?: boolean;
}

/** A page of a project, in short; getPage answers it whole. */
export class ProjectPage {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) path!: string;
  @Field(nullableText) title!: string | null;
  @Field({ type: 'boolean' }) isHomePage!: boolean;
  @Field({ type: 'boolean' }) isDraft!: boolean;
  @Field({ type: 'boolean' }) active!: boolean;
  @Field({ type: 'number' }) sortOrder!: number;
}

/** A component of a project, in short; getComponent answers it whole. */
export class ProjectComponent {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) type!: string;
  @Field({ type: 'boolean' }) isGlobal!: boolean;
}

export class ProjectDetails extends ProjectRow {
  @Field({ type: 'array', items: () => ProjectPage, description: 'In their order.' }) pages!: readonly ProjectPage[];
  @Field({ type: 'array', items: () => ProjectComponent }) components!: readonly ProjectComponent[];
  @Field({ type: 'string' }) color!: string;
  @Field({ type: 'object', nullable: true }) brandKit!: JsonObject | null;
  @Field({ type: 'string', enum: projectTypes }) projectType!: ProjectType;
  @Field(nullableText) bundleIdentifier!: string | null;
  @Field(nullableText) appDisplayName!: string | null;
  @Field(nullableText) logo!: string | null;
  @Field(nullableText) favicon!: string | null;
  @Field(nullableText) appIcon!: string | null;
  @Field(nullableText) splashScreen!: string | null;
  @Field(nullableText) aiKnowledge!: string | null;
  @Field({ type: 'boolean' }) marketplaceEnabled!: boolean;
  @Field(nullableText) marketplaceThumbnail!: string | null;
  @Field(nullableText) marketplaceCover!: string | null;
  @Field(nullableText) marketplaceDescription!: string | null;
  @Field(nullableText) appVersion!: string | null;
  @Field({ ...count, nullable: true }) buildNumber!: number | null;
  @Field({ type: 'boolean' }) showServiceBranding!: boolean;
  @Field({ type: 'boolean' }) pwaEnabled!: boolean;
  @Field({ type: 'string', enum: orientations }) orientation!: Orientation;
  @Field({ type: 'array', items: 'string', enum: mobilePermissions }) mobilePermissions!: readonly MobilePermission[];
  @Field({ type: 'object' }) dependencies!: Dependencies;
  @Field({ type: 'object', shape: () => ProjectAuth }) auth!: ProjectAuth;
  @Field({ type: 'object', shape: () => LinkedBase }) linkedBase!: LinkedBase;
  @Field({
    type: 'array',
    items: () => TriggerRecord,
    description: 'Triggers that events of the project can fire, and those that start its functions, oldest first.',
  })
  eventFlowTriggers!: readonly TriggerRecord[];
  @Field({ type: 'object', description: 'Empty: agents may use everything.' }) aiPermissions!: AiPermissions;
  @Field({ type: 'boolean' }) isPublished!: boolean;
  @Field(nullableText) publishedUrl!: string | null;
}

@Operation('site/getProject', {
  summary: 'Returns a project with its settings, its linked base and what agents may use of it.',
  source,
  group: 'projects',
  effect: 'query',
  permission: 'site.read',
  tools: 'granted',
  answers: { record: ProjectDetails },
})
export class GetProject {
  @Field(idField) id!: string;
}

export class ProjectDeleteInfo {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field(count) pageCount!: number;
  @Field(count) componentCount!: number;
  @Field(count) appUserCount!: number;
  @Field({ ...count, description: 'Tables of the linked base.' }) tableCount!: number;
  @Field({ ...count, description: 'Rows of all of them.' }) rowCount!: number;
  @Field({ type: 'object', shape: () => LinkedBase }) linkedBase!: LinkedBase;
}

@Operation('site/getProjectDeleteInfo', {
  summary: 'Returns what a deletion of the project would take along.',
  source,
  group: 'projects',
  effect: 'query',
  permission: 'site.read',
  tools: 'granted',
  answers: { record: ProjectDeleteInfo },
})
export class GetProjectDeleteInfo {
  @Field(idField) id!: string;
}

@Operation('site/deleteProject', {
  summary: 'Deletes a project with its linked base and everything that belongs to it.',
  source,
  group: 'projects',
  effect: 'command',
  permission: 'workspace.manage',
  callers: ['person'],
  tools: 'never',
  takesAway: true,
  outside: ['destroys rows for good'],
  answers: success,
})
export class DeleteProject {
  @Field(idField) id!: string;
}

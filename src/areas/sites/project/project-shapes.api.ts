import { Field } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { type AiPermissions, type ProjectType, projectTypes } from './project.record.js';
import { type CustomFieldType, customFieldTypes } from './settings/auth-settings.record.js';
import {
  type Dependencies,
  type MobilePermission,
  mobilePermissions,
  type Orientation,
  orientations,
} from './settings/project-settings.record.js';

const nullableText = { type: 'string', nullable: true } as const;
const count = { type: 'integer' } as const;

export class ProjectRow {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field(nullableText) description!: string | null;
  @Field({ type: 'boolean' }) isApp!: boolean;
  @Field({ ...nullableText, description: 'For a site.' }) subdomain!: string | null;
  @Field({ ...nullableText, description: 'For a workspace app.' }) slug!: string | null;
  @Field({ type: 'string', description: 'The base that belongs to the project.' }) linkedBaseId!: string;
  @Field(count) pageCount!: number;
  @Field(count) componentCount!: number;
  @Field({ type: 'string' }) createdAt!: string;
  @Field({ type: 'string' }) updatedAt!: string;
}

export class LinkedBase {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

class AuthCustomField {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) label!: string;
  @Field({ type: 'string', enum: customFieldTypes }) type!: CustomFieldType;
  @Field({ type: 'boolean' }) required!: boolean;
  @Field({ type: 'array', items: 'string', optional: true }) options?: readonly string[];
}

export class ProjectAuth {
  @Field({ type: 'boolean' }) authEnabled!: boolean;
  @Field({ type: 'boolean' }) authAllowSignup!: boolean;
  @Field({ type: 'boolean', description: 'Whether users must verify their email addresses.' })
  authRequireEmail!: boolean;
  @Field({ type: 'boolean' }) authAllowSocial!: boolean;
  @Field({ type: 'object' }) authPaths!: Readonly<Record<string, string>>;
  @Field({
    type: 'integer',
    nullable: true,
    description: 'Lifetime of new sessions in hours. null for the default of 7 days.',
  })
  authSessionHours!: number | null;
  @Field({ type: 'array', items: () => AuthCustomField }) authCustomFields!: readonly AuthCustomField[];
  @Field(nullableText) authMailAccount!: string | null;
  @Field(nullableText) authVerifyTemplateId!: string | null;
  @Field(nullableText) authResetTemplateId!: string | null;
  @Field({
    type: 'array',
    items: 'string',
    description: 'Other origins whose pages may call the visitor API.',
  })
  allowedOrigins!: readonly string[];
}

/** The contract's response lacks these settings. They were added, because undo needs them. */
class ProjectAnalytics {
  @Field(nullableText) primaryAnalyticsId!: string | null;
  @Field(nullableText) secondaryAnalyticsId!: string | null;
  @Field({ type: 'boolean' }) consentBanner!: boolean;
}

class ProjectPage {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) path!: string;
  @Field(nullableText) title!: string | null;
  @Field({ type: 'boolean' }) isHomePage!: boolean;
  @Field({ type: 'boolean' }) isDraft!: boolean;
  @Field({ type: 'boolean' }) active!: boolean;
  @Field({ type: 'number' }) sortOrder!: number;
}

class ProjectComponent {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) type!: string;
  @Field({ type: 'boolean' }) isGlobal!: boolean;
}

export class ProjectFacts extends ProjectRow {
  @Field({ type: 'array', items: () => ProjectPage, description: 'The pages in their order.' })
  pages!: readonly ProjectPage[];
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
  @Field({ type: 'object', shape: () => ProjectAnalytics }) analytics!: ProjectAnalytics;
  @Field({ type: 'object', shape: () => LinkedBase }) linkedBase!: LinkedBase;
  @Field({ type: 'object', description: 'If empty, agents may use everything.' }) aiPermissions!: AiPermissions;
  @Field({ type: 'boolean' }) isPublished!: boolean;
  @Field(nullableText) publishedUrl!: string | null;
}

export class ProjectDeleteInfo {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field(count) pageCount!: number;
  @Field(count) componentCount!: number;
  @Field(count) appUserCount!: number;
  @Field({ ...count, description: 'Number of tables in the linked base.' }) tableCount!: number;
  @Field({ ...count, description: 'Number of rows in all tables of the linked base.' }) rowCount!: number;
  @Field({ type: 'object', shape: () => LinkedBase }) linkedBase!: LinkedBase;
}

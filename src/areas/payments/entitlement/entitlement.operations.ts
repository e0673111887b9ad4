import { Operation, success } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { statuses } from './entitlement.js';
import { entitlementChanges } from './entitlement.record.js';
import { wrongEntitlementKey } from './entitlement-key.api.js';

// Functions reach the entitlements of a site by the power `entitlements`, never by these.
const declared = {
  source: 'Sites API, Entitlements and manual payments',
  group: 'entitlements',
  permission: 'site.users',
  within: 'project',
  tools: 'agents',
} as const;
const nullableTime = { type: 'string', format: 'date-time', nullable: true } as const;

export const entitlementKeyField = {
  type: 'any',
  schema: { type: 'string', minLength: 1 },
  wrong: wrongEntitlementKey,
  description: "A name such as 'member', for which conditions ask by has_entitlement.",
} as const;
const expiresAt = { type: 'string', format: 'date-time' } as const;
const graceUntil = {
  type: 'string',
  format: 'date-time',
  optional: true,
  description: 'Access goes on until then when it expires. Never before the expiry; without one it counts for nothing.',
} as const;

export class Doer {
  @Field({ type: 'string' }) kind!: string;
  @Field({ type: 'string' }) id!: string;
}

export class EntitlementChangeRecord {
  @Field({ type: 'string', enum: entitlementChanges }) change!: string;
  @Field({ type: 'string', format: 'date-time' }) at!: string;
  @Field({ type: 'object', shape: () => Doer }) by!: Doer;
  @Field({ ...nullableTime, description: 'As it was from then on.' }) expiresAt!: string | null;
  @Field(nullableTime) graceUntil!: string | null;
  @Field({ type: 'object', nullable: true, description: 'Of a grant.' }) source!: JsonObject | null;
}

export class EntitlementRecord {
  @Field({ type: 'string' }) key!: string;
  @Field({ ...nullableTime, description: 'null: for life.' }) expiresAt!: string | null;
  @Field({ ...nullableTime, description: 'Until then there is access past the expiry, or while it is suspended.' })
  graceUntil!: string | null;
  @Field({ type: 'object', nullable: true, description: 'What the last grant said of its reason.' })
  source!: JsonObject | null;
  @Field({ type: 'string', enum: statuses, description: 'At this moment.' }) status!: string;
  @Field({ type: 'array', items: () => EntitlementChangeRecord, description: 'The 50 latest changes, oldest first.' })
  history!: readonly EntitlementChangeRecord[];
}

@Operation('site/getEntitlements', {
  ...declared,
  summary: 'Lists what a user of a site is or was entitled to, with its status at this moment.',
  effect: 'query',
  answers: { list: EntitlementRecord },
})
export class GetEntitlements {
  @Field(idField) projectId!: string;
  @Field(idField) appUserId!: string;
}

@Operation('site/grantEntitlement', {
  ...declared,
  summary: 'Entitles a user of a site, for life or until a time; one that lapsed or was revoked is granted again.',
  effect: 'command',
  answers: success,
  risky: true,
})
export class GrantEntitlement {
  @Field(idField) projectId!: string;
  @Field(idField) appUserId!: string;
  @Field(entitlementKeyField) key!: string;
  @Field({ ...expiresAt, optional: true, description: 'Left out: for life.' }) expiresAt?: string;
  @Field(graceUntil) graceUntil?: string;
  @Field({
    type: 'object',
    maxBytes: 4_096,
    optional: true,
    description: 'The reason, for whoever asks later. It stays in the audit: nothing personal belongs here.',
  })
  source?: JsonObject;
}

@Operation('site/extendEntitlement', {
  ...declared,
  summary: 'Moves the expiry of an entitlement; one that is suspended stays so until it is granted again.',
  effect: 'command',
  answers: success,
  risky: true,
})
export class ExtendEntitlement {
  @Field(idField) projectId!: string;
  @Field(idField) appUserId!: string;
  @Field(entitlementKeyField) key!: string;
  @Field(expiresAt) expiresAt!: string;
  @Field({ ...graceUntil, description: 'Replaces the grace that there was; left out: none.' }) graceUntil?: string;
}

@Operation('site/suspendEntitlement', {
  ...declared,
  summary: 'Suspends an entitlement: access ends at once, or when a grace has run out.',
  effect: 'command',
  answers: success,
})
export class SuspendEntitlement {
  @Field(idField) projectId!: string;
  @Field(idField) appUserId!: string;
  @Field(entitlementKeyField) key!: string;
  @Field({ ...graceUntil, description: 'When access ends. Left out: at once.' }) graceUntil?: string;
}

@Operation('site/revokeEntitlement', {
  ...declared,
  summary: 'Revokes an entitlement: access ends at once. Its history stays.',
  effect: 'command',
  takesAway: true,
  answers: success,
})
export class RevokeEntitlement {
  @Field(idField) projectId!: string;
  @Field(idField) appUserId!: string;
  @Field(entitlementKeyField) key!: string;
}

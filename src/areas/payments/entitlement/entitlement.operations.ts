import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { showsFields } from '../../../engine/records/record-views.js';
import { Field, typed } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { SiteUsers } from '../../app-users/app-user/site-users.api.js';
import { statuses } from './entitlement.js';
import { entitlementChanges, entitlements } from './entitlement.record.js';
import { wrongEntitlementKey } from './entitlement-key.api.js';
import { Entitlements } from './entitlements.api.js';

// Functions cannot call these operations. Instead, they use members of `ctx`, which require the power `entitlements`.
const declared = {
  source: 'Sites API, Entitlements and manual payments',
  group: 'entitlements',
  permission: 'site.users',
  within: 'project',
  tools: 'agents',
} as const;
const nullableTime = { type: 'string', format: 'date-time', nullable: true } as const;

const entitlementKeyField = typed<string>()({
  type: 'any',
  schema: { type: 'string', minLength: 1 },
  wrong: wrongEntitlementKey,
  description: "A name such as 'member', for which conditions ask by has_entitlement.",
});
const expiresAt = { type: 'string', format: 'date-time' } as const;
const graceUntil = {
  type: 'string',
  format: 'date-time',
  optional: true,
  description: 'Access goes on until then when it expires. Never before the expiry; without one it counts for nothing.',
} as const;

class Doer {
  @Field({ type: 'string' }) kind!: string;
  @Field({ type: 'string' }) id!: string;
}

class EntitlementChangeRecord {
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

showsFields(entitlements, EntitlementRecord);

const ofUser = { projectId: idField, appUserId: idField } as const;
const one = { ...ofUser, key: entitlementKeyField } as const;
const changes = { ...declared, answers: success, inject: [SiteUsers, Entitlements] } as const;

export const entitlementOperations = [
  query('site/getEntitlements', {
    ...declared,
    summary: 'Lists what a user of a site is or was entitled to, with its status at this moment.',
    answers: { list: EntitlementRecord },
    input: ofUser,
    inject: [SiteUsers, Entitlements],
    handle: async ({ projectId, appUserId }, { workspaceId }, users, known) => {
      await users.require(workspaceId, projectId, appUserId);
      return known.list(workspaceId, appUserId);
    },
  }),
  command('site/grantEntitlement', {
    ...changes,
    summary: 'Entitles a user of a site, for life or until a time; one that lapsed or was revoked is granted again.',
    risky: true,
    input: {
      ...one,
      expiresAt: { ...expiresAt, optional: true, description: 'Left out: for life.' },
      graceUntil,
      source: {
        type: 'object',
        maxBytes: 4_096,
        optional: true,
        description: 'The reason, for whoever asks later. It stays in the audit: nothing personal belongs here.',
      },
    },
    handle: async ({ projectId, appUserId, key, ...terms }, call, users, known) => {
      await users.require(call.workspaceId, projectId, appUserId);
      await known.grant(call, { projectId, appUserId, key }, terms);
      return { success: true };
    },
  }),
  command('site/extendEntitlement', {
    ...changes,
    summary: 'Moves the expiry of an entitlement; one that is suspended stays so until it is granted again.',
    risky: true,
    input: {
      ...one,
      expiresAt,
      graceUntil: { ...graceUntil, description: 'Replaces the grace that there was; left out: none.' },
    },
    handle: async ({ projectId, appUserId, key, ...extension }, call, users, known) => {
      await users.require(call.workspaceId, projectId, appUserId);
      await known.extend(call, { projectId, appUserId, key }, extension);
      return { success: true };
    },
  }),
  command('site/suspendEntitlement', {
    ...changes,
    summary: 'Suspends an entitlement: access ends at once, or when a grace has run out.',
    input: { ...one, graceUntil: { ...graceUntil, description: 'When access ends. Left out: at once.' } },
    handle: async ({ projectId, appUserId, key, ...grace }, call, users, known) => {
      await users.require(call.workspaceId, projectId, appUserId);
      await known.suspend(call, { projectId, appUserId, key }, grace);
      return { success: true };
    },
  }),
  command('site/revokeEntitlement', {
    ...changes,
    summary: 'Revokes an entitlement: access ends at once. Its history stays.',
    takesAway: true,
    input: one,
    handle: async ({ projectId, appUserId, key }, call, users, known) => {
      await users.require(call.workspaceId, projectId, appUserId);
      await known.revoke(call, { projectId, appUserId, key });
      return { success: true };
    },
  }),
];

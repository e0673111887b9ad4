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

// Functions cannot call these operations. They use members of `ctx` instead, which require the power `entitlements`.
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
  description: "Key of the entitlement, such as 'member'. The condition has_entitlement tests for it.",
});
const expiresAt = { type: 'string', format: 'date-time' } as const;
const graceUntil = {
  type: 'string',
  format: 'date-time',
  optional: true,
  description:
    'End of the grace period: after expiresAt, access continues until this time. Must not be before expiresAt. Has no effect if the entitlement does not expire.',
} as const;

class Doer {
  @Field({ type: 'string' }) kind!: string;
  @Field({ type: 'string' }) id!: string;
}

class EntitlementChangeRecord {
  @Field({ type: 'string', enum: entitlementChanges }) change!: string;
  @Field({ type: 'string', format: 'date-time' }) at!: string;
  @Field({ type: 'object', shape: () => Doer }) by!: Doer;
  @Field({ ...nullableTime, description: 'The expiry after the change. null if the entitlement never expires.' })
  expiresAt!: string | null;
  @Field(nullableTime) graceUntil!: string | null;
  @Field({ type: 'object', nullable: true, description: 'The `source` sent with a grant; null for other changes.' })
  source!: JsonObject | null;
}

export class EntitlementRecord {
  @Field({ type: 'string' }) key!: string;
  @Field({ ...nullableTime, description: 'null if the entitlement never expires.' }) expiresAt!: string | null;
  @Field({
    ...nullableTime,
    description:
      'End of the grace period. Access continues until this time although the entitlement has expired or is suspended. null if there is no grace period.',
  })
  graceUntil!: string | null;
  @Field({ type: 'object', nullable: true, description: 'The `source` sent with the latest grant.' })
  source!: JsonObject | null;
  @Field({ type: 'string', enum: statuses, description: 'The status at the time of the call.' }) status!: string;
  @Field({ type: 'array', items: () => EntitlementChangeRecord, description: 'The latest 50 changes, oldest first.' })
  history!: readonly EntitlementChangeRecord[];
}

showsFields(entitlements, EntitlementRecord);

const ofUser = { projectId: idField, appUserId: idField } as const;
const one = { ...ofUser, key: entitlementKeyField } as const;
const changes = { ...declared, answers: success, inject: [SiteUsers, Entitlements] } as const;

export const entitlementOperations = [
  query('site/getEntitlements', {
    ...declared,
    summary: 'Lists the current and former entitlements of an app user, with their status at the time of the call.',
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
    summary:
      'Grants an entitlement to an app user, for life or until a time. An expired, suspended or revoked one is granted again.',
    risky: true,
    input: {
      ...one,
      expiresAt: { ...expiresAt, optional: true, description: 'If omitted, the entitlement never expires.' },
      graceUntil,
      source: {
        type: 'object',
        maxBytes: 4_096,
        optional: true,
        description:
          'The reason for the grant, for later reference. It remains in the audit permanently, so it must not contain personal data.',
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
    summary: 'Changes the expiry of an entitlement. A suspended entitlement stays suspended until it is granted again.',
    risky: true,
    input: {
      ...one,
      expiresAt,
      graceUntil: { ...graceUntil, description: 'Replaces the grace period. If omitted, there is none.' },
    },
    handle: async ({ projectId, appUserId, key, ...extension }, call, users, known) => {
      await users.require(call.workspaceId, projectId, appUserId);
      await known.extend(call, { projectId, appUserId, key }, extension);
      return { success: true };
    },
  }),
  command('site/suspendEntitlement', {
    ...changes,
    summary: 'Suspends an entitlement. Access ends immediately, or at graceUntil.',
    input: {
      ...one,
      graceUntil: {
        ...graceUntil,
        description: 'When access ends, if it would not end earlier anyway. If omitted, it ends immediately.',
      },
    },
    handle: async ({ projectId, appUserId, key, ...grace }, call, users, known) => {
      await users.require(call.workspaceId, projectId, appUserId);
      await known.suspend(call, { projectId, appUserId, key }, grace);
      return { success: true };
    },
  }),
  command('site/revokeEntitlement', {
    ...changes,
    summary: 'Revokes an entitlement. Access ends immediately. Its history is retained.',
    takesAway: true,
    input: one,
    handle: async ({ projectId, appUserId, key }, call, users, known) => {
      await users.require(call.workspaceId, projectId, appUserId);
      await known.revoke(call, { projectId, appUserId, key });
      return { success: true };
    },
  }),
];

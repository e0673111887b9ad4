import { findOperation } from '../../../../engine/operation/operation.js';
import { Pipeline } from '../../../../engine/pipeline/pipeline.js';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.js';
import { projects } from '../../../sites/project/project.record.js';
import { Sites } from '../../../sites/project/sites.api.js';
import { type CtxMember, ctxMember } from '../ctx-member.js';
import { siteReadOnly, wrongUse } from '../ctx-refusals.js';
import { functionCall } from '../function-caller.js';

interface SiteOperation {
  readonly name: string;
  readonly usage: string;
  readonly operation: `site/${string}`;
  body(sent: readonly Json[]): JsonObject | undefined;
}

/**
 * The call has the function's rights even if the run acts for a visitor, so a person must have granted the power to the
 * function.
 */
const siteOperation =
  (power: 'users' | 'entitlements') =>
  ({ name, usage, operation: recordedAs, body }: SiteOperation): CtxMember =>
    ctxMember({ pipeline: Pipeline, sites: Sites })({
      name: `sites.${name}`,
      usage,
      owner: 'workspace',
      power,
      recordedAs,
      args: (sent) => {
        const operation = findOperation(recordedAs);
        const sound = body(sent);
        return operation === undefined || sound === undefined
          ? wrongUse('It', `is called as ${name}${usage.slice(0, usage.indexOf('): ') + 1)}`)
          : { operation, body: sound };
      },
      call: async ({ operation, body: sound }, run) => {
        const { projectId, readsOnly } = run.site;
        if (readsOnly && operation.effect === 'command') {
          const { workspaceId } = run.scope.request;
          throw siteReadOnly((await run.sites.nameOf(workspaceId, projectId)) ?? projects.missing());
        }
        const answer = await run.pipeline.within(operation, { ...sound, projectId }, functionCall(run, recordedAs));
        return answer as Json;
      },
    });

const ofUsers = siteOperation('users');
const ofEntitlements = siteOperation('entitlements');

const optional = (value: Json | undefined): JsonObject | undefined =>
  value === undefined || value === null ? {} : object(value);
const object = (value: Json | undefined): JsonObject | undefined => (isJsonObject(value) ? value : undefined);
const text = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

const joined = (options: JsonObject | undefined, named: Readonly<Record<string, string | undefined>>) => {
  const isWhole = options !== undefined && Object.values(named).every((value) => value !== undefined);
  return isWhole && !Object.keys(named).some((name) => name in options)
    ? ({ ...options, ...named } as JsonObject)
    : undefined;
};

export const appUserMembers: readonly CtxMember[] = [
  ofUsers({
    name: 'users.list',
    usage: '({ limit?, offset? }): resolves to { users, total }, oldest first.',
    operation: 'site/getAppUsers',
    body: ([options]) => optional(options),
  }),
  ofUsers({
    name: 'users.get',
    usage: '(userId): resolves to the user.',
    operation: 'site/getAppUser',
    body: ([userId]) => joined({}, { userId: text(userId) }),
  }),
  ofUsers({
    name: 'users.update',
    usage: '(userId, { name?, role?, isBanned?, customFields? }): changes the given fields; resolves to the user.',
    operation: 'site/updateAppUser',
    body: ([userId, changes]) => joined(object(changes), { userId: text(userId) }),
  }),
  ofUsers({
    name: 'users.ban',
    usage: '(userId): bans the user, whose sessions end at once; resolves to the user.',
    operation: 'site/updateAppUser',
    body: ([userId]) => joined({ isBanned: true }, { userId: text(userId) }),
  }),
  ofEntitlements({
    name: 'entitlements.list',
    usage: "(userId): resolves to the user's present and former entitlements, each with its current status.",
    operation: 'site/getEntitlements',
    body: ([userId]) => joined({}, { appUserId: text(userId) }),
  }),
  ofEntitlements({
    name: 'entitlements.grant',
    usage: '(userId, key, { expiresAt?, graceUntil?, source? }): grants an entitlement, for life or until a time.',
    operation: 'site/grantEntitlement',
    body: ([userId, key, options]) => joined(optional(options), { appUserId: text(userId), key: text(key) }),
  }),
  ofEntitlements({
    name: 'entitlements.revoke',
    usage: '(userId, key): revokes the entitlement; access ends at once.',
    operation: 'site/revokeEntitlement',
    body: ([userId, key]) => joined({}, { appUserId: text(userId), key: text(key) }),
  }),
];

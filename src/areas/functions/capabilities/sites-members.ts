import { Injectable } from '@nestjs/common';
import { Calls } from '../../../engine/operation/calls.js';
import { findOperation } from '../../../engine/operation/operation.js';
import { Pipeline } from '../../../engine/pipeline/pipeline.js';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.js';
import { type Capability, CapabilityRefused } from '../../../ports/sandbox.port.js';
import type { Power } from '../function/function.record.js';
import { mustHold, refusedCall } from './capability-refusals.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { functionCall } from './function-caller.api.js';
import { grantedSite, siteReadOnly } from './granted-site.js';
import type { SitesMemberName } from './sites-members-names.api.js';

interface SitesMember {
  readonly name: SitesMemberName;
  /** The arguments, and what the call does and resolves to. */
  readonly usage: string;
  readonly power: Power;
  readonly operation: `site/${string}`;
  /** The body of the operation beside the site; undefined where the arguments are not what the member takes. */
  body(args: readonly Json[]): JsonObject | undefined;
}

const of =
  (power: Power) =>
  (member: Omit<SitesMember, 'power'>): SitesMember => ({ ...member, power });
const ofUsers = of('users');
const ofEntitlements = of('entitlements');

/** What is left out, or null, counts as nothing. */
const optional = (value: Json | undefined): JsonObject | undefined =>
  value === undefined || value === null ? {} : object(value);
const object = (value: Json | undefined): JsonObject | undefined => (isJsonObject(value) ? value : undefined);
const text = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

/** Options first, so that none of them stands for the user or the key. */
const joined = (options: JsonObject | undefined, named: Readonly<Record<string, string | undefined>>) => {
  const isWhole = options !== undefined && Object.values(named).every((value) => value !== undefined);
  return isWhole && !Object.keys(named).some((name) => name in options)
    ? ({ ...options, ...named } as JsonObject)
    : undefined;
};

const members: readonly SitesMember[] = [
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
    usage: '(userId, { name?, role?, isBanned?, customFields? }): changes what is given; resolves to the user.',
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
    usage: '(userId): resolves to what the user is or was entitled to, each with its status now.',
    operation: 'site/getEntitlements',
    body: ([userId]) => joined({}, { appUserId: text(userId) }),
  }),
  ofEntitlements({
    name: 'entitlements.grant',
    usage: '(userId, key, { expiresAt?, graceUntil?, source? }): entitles the user, for life or until a time.',
    operation: 'site/grantEntitlement',
    body: ([userId, key, options]) => joined(optional(options), { appUserId: text(userId), key: text(key) }),
  }),
  ofEntitlements({
    name: 'entitlements.revoke',
    usage: '(userId, key): access ends at once.',
    operation: 'site/revokeEntitlement',
    body: ([userId, key]) => joined({}, { appUserId: text(userId), key: text(key) }),
  }),
];

/**
 * `ctx.sites['<name or id>'].users` and `.entitlements`: operations of a site in grants.bases, for functions that hold the
 * power. The function acts for itself, also where a visitor stands behind its run: a person gave it the power.
 */
@Injectable()
export class SitesMembers {
  readonly makers: readonly CapabilityMaker[] = members.map((member) => ({
    usage: `${written(member)}${member.usage} Needs the power '${member.power}' and the site in grants.bases.`,
    make: (scope) => this.capability(member, scope),
  }));

  constructor(
    private readonly pipeline: Pipeline,
    private readonly calls: Calls,
  ) {}

  private capability(member: SitesMember, scope: RunScope): Capability {
    return { name: `sites.${member.name}`, call: (args) => this.call(member, scope, args) };
  }

  private async call(member: SitesMember, scope: RunScope, [site, ...args]: readonly Json[]): Promise<Json> {
    mustHold(scope, member.power, written(member));
    const { projectId, readsOnly } = grantedSite(scope, site);
    const operation = findOperation(member.operation);
    const body = member.body(args);
    if (operation === undefined || body === undefined) throw notAsItTakes(member);
    if (readsOnly && operation.effect === 'command') throw siteReadOnly('this site');
    try {
      const call = functionCall(this.calls, scope, member.operation);
      return (await this.pipeline.within(operation, { ...body, projectId }, call)) as Json;
    } catch (error) {
      throw refusedCall(error);
    }
  }
}

const written = ({ name }: SitesMember) => `ctx.sites['<name or id>'].${name}`;

function notAsItTakes(member: SitesMember): CapabilityRefused {
  const { name, usage } = member;
  return new CapabilityRefused(
    `It is called as ${name}${usage.slice(0, usage.indexOf('): ') + 1)}.`,
    'invalid-input',
    400,
  );
}

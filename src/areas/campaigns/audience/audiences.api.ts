import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Condition, Policies } from '../../../kernel/condition/condition.js';
import type { EntitlementFacts } from '../../../kernel/judging/facts.js';
import { judge } from '../../../kernel/judging/judge.js';
import { personFacts } from '../../../kernel/judging/person-facts.js';
import { Clock } from '../../../ports/clock.port.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import type { AppUser } from '../../app-users/app-user/app-user.record.js';
import { SiteRoles } from '../../app-users/role/site-roles.api.js';
import { type Entitlement, entitlements } from '../../payments/entitlement/entitlement.record.js';
import type { Project } from '../../sites/project/project.record.js';
import { type Needs, needsOf } from './audience-needs.js';
import { AudienceUsers } from './audience-users.js';

export interface Audience {
  readonly project: Project;
  /** Null: all users. */
  readonly audienceRules: Condition | null;
  /** Users made later are none of it. ISO 8601. */
  readonly madeBy: string;
}

/** Some of an audience, and the last user who was looked at for it. Personal data is sealed. */
export interface AudiencePage {
  readonly users: readonly AppUser[];
  readonly through: string;
}

/** Users judged in one go on the main thread: a few milliseconds. */
const slice = 25;

/**
 * Who a campaign is for: users of the site whom its rules let in at this moment. Banned users are none of it, and where the
 * site requires verified addresses, neither are those who have none: anybody could have typed it.
 */
@Injectable()
export class Audiences {
  constructor(
    private readonly users: AudienceUsers,
    private readonly policies: SitePolicies,
    private readonly roles: SiteRoles,
    private readonly reads: Reads,
    private readonly personal: PersonalData,
    private readonly clock: Clock,
  ) {}

  /** In the order of ids, each user once. Other work gets its turn after every page. */
  async *of(audience: Audience, after = ''): AsyncGenerator<AudiencePage> {
    const { project, audienceRules: condition } = audience;
    const { workspaceId, id: projectId } = project;
    const policies = await this.policies.of(workspaceId, projectId);
    for await (const page of this.users.pages({ workspaceId, projectId, condition, policies, after })) {
      const open = page.filter((user) => mayGetMail(user, audience));
      yield {
        users: condition === null ? open : await this.letIn(open, condition, policies, project),
        through: page.at(-1)?.id ?? '',
      };
      await setImmediate();
    }
  }

  private async letIn(users: readonly AppUser[], condition: Condition, policies: Policies, project: Project) {
    const { workspaceId, id: projectId, authCustomFields } = project;
    const needs = needsOf(condition, policies);
    const [roles, held] = await Promise.all([
      this.roles.namesOf(workspaceId, projectId),
      needs.entitlements ? this.entitlementsOf(workspaceId, users) : noEntitlements,
    ]);
    const now = this.clock.now();
    const found: AppUser[] = [];
    for (let from = 0; from < users.length; from += slice) {
      const some = users.slice(from, from + slice);
      const opened = await this.opened(workspaceId, some, needs);
      for (const [at, sealed] of some.entries()) {
        const user = opened[at] ?? sealed;
        const roleIds = user.roleIds.filter((id) => roles.has(id));
        const person = personFacts(user, authCustomFields, roleIds, held.get(user.id) ?? []);
        const facts = { now, place: 'audience', throughSite: false, person } as const;
        if (judge(condition, facts, policies).isAllowed) found.push(sealed);
      }
      await setImmediate();
    }
    return found;
  }

  /** With the fields open that the rules look at, and no others: each costs a decryption. */
  private async opened(workspaceId: string, users: readonly AppUser[], { fields }: Needs): Promise<readonly AppUser[]> {
    if (fields.length === 0) return users;
    const opened = await this.personal.opened(
      workspaceId,
      users.map((user) => Object.fromEntries(fields.map((field) => [field, user[field]]))),
    );
    return users.map((user, at) => ({ ...user, ...opened[at] }));
  }

  private async entitlementsOf(workspaceId: string, users: readonly AppUser[]) {
    const found = await this.reads.find<Entitlement>(workspaceId, entitlements.collection.name, {
      where: { appUserId: { in: users.map(({ id }) => id) } },
    });
    return Map.groupBy<string, EntitlementFacts & { readonly appUserId: string }>(found, ({ appUserId }) => appUserId);
  }
}

const noEntitlements: ReadonlyMap<string, readonly EntitlementFacts[]> = new Map();

function mayGetMail({ isBanned, emailVerifiedAt, createdAt }: AppUser, { project, madeBy }: Audience): boolean {
  return !isBanned && createdAt <= madeBy && (emailVerifiedAt !== null || !project.authRequireEmail);
}

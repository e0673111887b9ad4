import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Condition, Policies } from '../../../kernel/condition/condition.js';
import { Measures } from '../../../kernel/condition/measures.js';
import type { RuleKind } from '../../../kernel/condition/places.js';
import { readStored } from '../../../kernel/condition/read-condition.js';
import type { EntitlementFacts } from '../../../kernel/judging/facts.js';
import { judge } from '../../../kernel/judging/judge.js';
import { Clock } from '../../../ports/clock.port.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import type { AppUser } from '../../app-users/app-user/app-user.record.js';
import { personFacts } from '../../app-users/app-user/person-facts.api.js';
import { SiteRoles } from '../../app-users/role/site-roles.api.js';
import { type Entitlement, entitlements } from '../../payments/entitlement/entitlement.record.js';
import type { Project } from '../../sites/project/project.record.js';
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

/** What the rules of an audience look at. */
interface Needs {
  readonly personal: boolean;
  readonly entitlements: boolean;
}

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
    const [roles, held, opened] = await Promise.all([
      this.roles.namesOf(workspaceId, projectId),
      needs.entitlements ? this.entitlementsOf(workspaceId, users) : noEntitlements,
      needs.personal ? this.personal.opened(workspaceId, users) : users,
    ]);
    const now = this.clock.now();
    return users.filter((user, at) => {
      const roleIds = user.roleIds.filter((id) => roles.has(id));
      const person = personFacts(opened[at] ?? user, authCustomFields, roleIds, held.get(user.id) ?? []);
      return judge(condition, { now, place: 'audience', throughSite: false, person }, policies).isAllowed;
    });
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

const ofPersons: readonly RuleKind[] = ['user_property', 'own email'];

/** A condition that cannot be judged needs nothing: it lets nobody in. */
function needsOf(condition: Condition, policies: Policies): Needs {
  const reading = readStored(condition);
  const kinds = reading.ok ? new Measures(policies).kindsOf(reading, 'audience') : undefined;
  return {
    personal: ofPersons.some((kind) => kinds?.has(kind)),
    entitlements: kinds?.has('has_entitlement') === true,
  };
}
